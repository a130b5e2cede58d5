"""Programs about data: assignment, containers, comprehensions, strings, NumPy."""

# ruff: noqa: E501, E722, F401, F541, F632, F811, F821, F841, W605, B, C, I001, E702
# isort: skip_file

import numpy as np

from comparison import program


@program(([1, 2, 3],), ((4, 5, 6),), ("xyz",), ([1, 2],), ([1, 2, 3, 4],), (5,))
def unpacking(v):
    a, b, c = v
    return a, b, c


@program(([1, 2, 3],), ([1],), ([],), ({1: 2, 3: 4},))
def star_unpacking(v):
    first, *rest = v
    *most, last = v
    [x, *_] = v
    return first, rest, most, last, x


@program(([1],))
def star_unpacking_errors(v):
    a, b, *c = v


@program()
def swaps_and_chains():
    a, b, c = 1, 2, 3
    a, b = b, a
    a, b, c = c, a, b
    i = j = k = [0]
    i.append(1)
    c1 = {}
    c1["x"], c1["y"] = c1["y"], c1["x"] = 1, 2
    m = np.zeros((2, 2))
    x = 0
    x, m[x, 1] = 1, 5.0
    m[0, 0] = m[1, 0] = x
    (p, q), [r, *s] = (1, 2), "abc"
    return a, b, c, i is k, j, c1, m, p, q, r, s


@program()
def augmented():
    x, a, d = 3, [1, 2], {"k": [1]}
    x += 1; x -= 2; x *= 6; x //= 5; x **= 3; x %= 5; x <<= 2; x |= 1; x &= 7; x ^= 2; x >>= 1
    y = 7.0
    y /= 2
    b = a
    a += [3]
    a *= 2
    d["k"] += (5,)
    obj = type("O", (), {})()
    obj.v = [1]
    alias = obj.v
    obj.v += [2]
    t = (1,)
    try:
        t[0] += 1
    except TypeError as e:
        message = str(e)
    try:
        undefined_here += 1
        undefined_here = 2
    except UnboundLocalError as e:
        other = str(e)
    return x, y, a, b, d, obj.v, alias, message, other


@program()
def index_evaluated_once():
    calls = []

    def f():
        calls.append(1)
        return 0

    a = [[1], 2]
    a[f()][f()] += 5
    return a, calls


@program((np.arange(12.0).reshape(3, 4),))
def slicing(x):
    y = x.copy()
    y[1:, ::2] = -1
    y[..., -1] *= 2
    y[0][1:3] += 10
    y[[0, 2], :] -= 1
    y[y > 9] = 0
    idx = (slice(None), 1)
    return y, x[1], x[1, 2], x[:, None, 1:].shape, x[::-1, ...], x[-1:0:-1], y[idx], x[*(1, 2)]


@program((np.arange(6.0),))
def aliasing(x):
    v = x[1:]
    v *= 2
    w = x
    w += 1
    u, un = x, x.copy()
    for _ in range(3):
        u, un = un, u
        un[1:-1] = u[1:-1] + 0.1 * (u[2:] - u[:-2])
    return x, un


@program((np.array([3.0, 1.0, 2.0]), np.float64(2.0)), (np.zeros((0, 3)), 1.0), (2.0, 3.0))
def numpy_arithmetic(x, s):
    a = -x + s * 2 - x / 3
    b = x ** 2 @ x if np.ndim(x) == 1 else x
    x = x + 1
    x *= s
    return a, b, x, np.sum(x), x.sum() if hasattr(x, "sum") else None, (x > 1) & (x < 5) | ~(x == 2)


@program()
def numpy_errors():
    x = np.zeros(3)
    x[5] = 1


@program()
def numpy_truth():
    if np.zeros(3) > 1:
        return 1


@program((4,))
def comprehensions(n):
    x = "outer"
    a = [x * 2 for x in range(n)]
    b = {x: y for x, y in zip("abc", range(n))}
    c = {x % 2 for x in range(n)}
    d = [(i, j) for i in range(n) if i % 2 for j in range(i) if j != 1 if i > 1]
    e = [[i * j for j in range(i)] for i in range(n)]
    f = [y := x for _ in range(2)]
    g = [last := k for k in range(3) if (m := k * 2) > 1]
    return a, b, c, d, e, f, y, g, last, m, x


@program()
def comprehension_first_iterable_in_outer_scope():
    x = [1, 2, 3]
    return [x for x in x if x > 1], [(x, y) for x in [1] for y in [x]]


@program()
def comprehension_errors():
    return [1 / k for k in (1, 0)]


@program()
def comprehension_order():
    def say(v):
        print(v, end=" ")
        return v

    return {say(k): say(v) for k, v in [(1, 2), (3, 4)] if say("if")}, [say(a) for a in say([5, 6])]


@program((3.14159, "text", 42))
def formatting(x, s, n):
    width = 10
    return (f"{x:.2f}", f"{s!r:>{width}}", f"{n:{'0'}{width}d}", f"{x=}", f"{n!s}", f"{'nested ' + s}",
            f"{{literal}} {s}", f"", f"plain", f"{s}{n}", "%s %d" % (s, n), "{:>5}".format(n), f"{s!a:^8}",
            f"{n:,}", f"{[i for i in range(2)]}", f"{lambda_(1)}" if False else "no")


@program()
def constants_stay():
    a = (1, (2, 3), "x", None, True, ..., -1, 2.5, 1j, b"bytes")
    return a, -5, +3, ~7, not 0, 2 ** -1, -2 ** 2, 1e300 * 1e10, 7 // -2, "a" "b", 10 ** 20


@program()
def deletion():
    x, y = [1, 2, 3, 4], {"a": 1, "b": 2}
    obj = type("O", (), {})()
    obj.p = 1
    del x[0], x[1:], y["a"], obj.p
    a = b = c = 1
    del (a, [b])
    return x, y, hasattr(obj, "p"), c


@program(([],), ({},))
def deletion_errors(x):
    del x[0]


@program()
def delete_unbound():
    if 0:
        z = 1
    del z


@program()
def displays():
    a, b = [1, 2], {"x": 1}
    return ([*a, 3, *"xy"], (*a, *()), {*a, 2, 5}, {**b, "y": 2, **{"x": 3}}, [], {}, (), {1}, [[]] * 2,
            (*a,))


@program((0,), (1,), (2,), (3,))
def display_errors(k):
    if k == 0:
        return [*5]
    if k == 1:
        return {**5}
    if k == 2:
        return {[]: 1}
    return {[], 1}


@program((5,))
def walrus(n):
    if (m := n + 1) > 3 and (k := m * 2):
        m += k
    while (n := n - 1) > 2:
        print(n)
    return m, k, n, [z := 1, z], (lambda: (w := 2))()


@program((2,))
def walrus_in_thunks(x):
    r = (a := x) and (b := a + 1) or (c := 5)
    s = (d := 1) if x > 5 else (e := 2)
    return r, s, a, b, e


@program(([3, 1, 2],))
def list_methods(x):
    x.append(4)
    x.insert(0, 9)
    y = x.pop()
    x[1:2] = [7, 8]
    x.sort(key=lambda v: -v)
    x.extend([1] * 2)
    x.remove(9)
    x[::2] = [0] * len(x[::2])
    return x, y, x.index(0), x.count(1), sorted(x), x[::-1]


@program(({"a": 1},))
def dict_methods(d):
    d["b"] = 2
    d.setdefault("c", []).append(1)
    d.update(z=1)
    for k, v in d.items():
        print(k, v)
    return d.get("q"), d.pop("a"), list(d), {v: k for k, v in d.items() if k != "c"}


@program()
def strings():
    s = "hello"
    t = s[1:3] + s.upper()[::-1]
    for i, ch in enumerate(s):
        if ch in "aeiou":
            t += ch * i
    return t, "l" in s, s < t, s.replace("l", "L", 1).join(["a", "b"])


@program((3,))
def annotations(n: int):
    x: int = n
    y: "undefined_type"
    obj = type("O", (), {})()
    obj.attr: not_evaluated = 5
    d = {}
    d["k"]: list = [1]
    try:
        y
    except UnboundLocalError as e:
        return x, obj.attr, d, str(e)


@program((np.arange(6.0).reshape(2, 3),))
def heat_like(u):
    total = 0.0
    for t in range(4):
        for row in u:
            row[1:-1] += 0.1 * (row[2:] - 2 * row[1:-1] + row[:-2])
        total += u.sum()
        if total > 1e6:
            return None
    return total, u


@program((np.array([[4.0, 2.0], [2.0, 3.0]]),))
def cholesky(a):
    n = a.shape[0]
    out = np.zeros_like(a)
    for j in range(n):
        out[j, j] = np.sqrt(a[j, j] - out[j, :j] @ out[j, :j])
        for i in range(j + 1, n):
            out[i, j] = (a[i, j] - out[i, :j] @ out[j, :j]) / out[j, j]
    return out


@program((np.array([1.0, -2.0, 3.0]),))
def printing(x):
    print(x, x.shape, sep="|", end="!\n")
    print(f"{x[0]:.1f}", *x)
    return None


@program((1,), (2.5,), (np.float32(3),), (True,), (1j,))
def scalar_kinds(x):
    y = x
    y += 1
    z = abs(x) ** 2
    return y, z, x * 2, x == 1, type(x).__name__, isinstance(x, (int, float)), round(z, 1)


@program((2.0,), (0.0,), (-2.0,))
def scalar_errors(x):
    a = x ** 0.5
    return a, 1 / x


@program()
def one_line(): x = 1; y = 2; return x + y


@program()
def operators_fail():
    return [1] + 1


@program()
def compare_fails():
    return 1 < "a"


@program()
def attribute_fails():
    return (1).nothing


@program()
def store_fails():
    (1).nothing = 2
