"""Programs about control flow."""

# ruff: noqa: E501, E722, F401, F541, F632, F811, F821, F841, W605, B, C, I001, E702
# isort: skip_file

from comparison import program


@program((1,), (-1,), (0,))
def branches(x):
    if x > 0:
        y = 1
    elif x < 0:
        y = -1
    else:
        y = 0
    return y * 10


@program((3,), (0,), (-2,))
def early_returns(x):
    if x > 2:
        return "big"
    if x < 0:
        return "negative"
    x += 1
    if x == 1:
        x += 5
        return x
    return None


@program((0,), (5,))
def no_return(x):
    if x:
        return x


@program((10,), (0,), (3,))
def while_loop(n):
    s = 0
    while n > 0:
        s += n
        n -= 1
        if s > 30:
            break
        if n % 2:
            continue
        s += 100
    else:
        s = -s
    return s, n


@program(([1, 2, 3],), ([],), ([1, 5, 2],))
def for_else(items):
    for item in items:
        if item == 5:
            found = item
            break
    else:
        found = None
    return found


@program((5, 3), (0, 0), (2, 9))
def nested_loops_return(n, m):
    for i in range(n):
        for j in range(m):
            if i * j == 6:
                return i, j
            if j > i:
                break
        else:
            continue
        if i > 3:
            return "broke"
    return "none"


@program((4,), (0,))
def break_in_else(n):
    out = []
    for i in range(3):
        for j in range(n):
            out.append((i, j))
        else:
            out.append("else")
            if i == 1:
                break
        out.append("after")
    return out


@program((0,), (1,), (2,), (3,))
def try_forms(k):
    log = []
    for i in range(3):
        try:
            log.append("try")
            if k == 0:
                continue
            if k == 1:
                break
            if k == 2:
                return log
            raise ValueError("x")
        except ValueError as e:
            log.append(str(e))
        else:
            log.append("else")
        finally:
            log.append("finally")
    try:
        e
    except NameError as error:
        log.append(type(error).__name__ + str(error))
    return log


@program((0,), (1,), (2,))
def finally_overrides(k):
    try:
        if k == 0:
            return "body"
        if k == 1:
            raise KeyError("k")
    finally:
        if k < 2:
            return "finally"
    return "end"


@program((0,), (1,), (2,), (3,))
def handler_order(k):
    try:
        try:
            if k == 0:
                return [][1]
            if k == 1:
                return {}["a"]
            if k == 2:
                return int("x")
        except (IndexError, KeyError) as error:
            raise RuntimeError("wrapped") from error
        finally:
            print("inner")
    except RuntimeError as error:
        return str(error), repr(error.__cause__)
    except:
        print("bare")
        raise
    else:
        return "fine"


@program()
def reraise_with_context():
    try:
        raise ValueError("one")
    except ValueError:
        raise TypeError("two")


@program()
def raise_from_none():
    try:
        raise ValueError("one")
    except ValueError:
        raise TypeError("two") from None


@program((None,), (3,), ("text",))
def raise_odd(what):
    raise what


@program()
def raise_bare():
    raise


@program()
def catch_odd():
    try:
        raise ValueError("a")
    except "text":
        pass


@program((1,), (0,), (-1,))
def asserts(x):
    assert x, "zero"
    assert x > 0, f"negative: {x!r}"
    return x


@program()
def assert_without_message():
    assert not 1


@program()
def with_statements():
    log = []

    class Manager:
        def __init__(self, name, swallow=False):
            self.name = name
            self.swallow = swallow

        def __enter__(self):
            log.append("enter " + self.name)
            return self.name

        def __exit__(self, kind, value, tb):
            log.append(("exit", self.name, kind and kind.__name__))
            return self.swallow

    with Manager("a") as a, Manager("b"):
        log.append(a)
    with Manager("c", True) as (x,):
        log.append(x)
        raise ValueError
    for i in range(3):
        with Manager("d"):
            if i == 1:
                break
    with Manager("e"):
        return log


@program()
def with_odd():
    with 3:
        pass


@program((1,), (0,))
def conditional_expressions(x):
    return (1 / x if x else "inf") if x != 5 else None, 1 if not x else 2 if x == 1 else 3


@program((0, 1), (2, 0), (3, 4))
def boolean_operators(a, b):
    def loud(v):
        print("eval", v)
        return v

    r = [a and b, a or b, not a, loud(a) and loud(b) and loud(7), loud(a) or loud(b) or loud(0)]
    return r, (a and b) or (b and not a)


@program((1, 2, 3), (3, 2, 1), (1, 1, 1))
def chained_comparisons(a, b, c):
    def loud(v):
        print("eval", v)
        return v

    return (a < b < c, a <= b <= c, a < loud(b) < loud(c) < loud(9), a == b == c, a < b > c != 3,
            a in [1] is True, (a is not b) is True, a not in (2, 3))


@program(([3, 1, 2],))
def loop_targets(items):
    d = {}
    obj = type("O", (), {})()
    for d["k"] in items:
        pass
    for obj.x, (a, *b) in [(1, "xyz"), (2, "pq")]:
        print(obj.x, a, b)
    for i in items:
        i += 1
    return d, obj.x, a, b, i


@program((0,), (1,), (7,), ([1, 2],), ([1, 2, 3],), ((5, 9),), ({"a": 1, "b": 2},), ("s",), (2.5,),
         ({"kind": "circle", "r": 2},), (None,), (True,), ([[1, 2], [3]],), ([],))
def match_values(v):
    match v:
        case 0 | None:
            return "zero or none"
        case True:
            return "true"
        case 7 as seven:
            return seven
        case [x, y] if x == y:
            return "same"
        case [x, y]:
            return ("pair", x, y)
        case [[a, *_], *rest]:
            return ("nested", a, rest)
        case [first, *rest]:
            return ("list", first, rest)
        case {"kind": "circle", "r": r}:
            return ("circle", r)
        case {"a": a, **rest}:
            return ("map", a, rest)
        case str(s):
            return ("str", s)
        case float():
            return "float"
        case _:
            return ("other", v)


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


@program((0, 0), (0, 3), (2, 2), (4, 5))
def match_classes(x, y):
    out = []
    for p in (Point(x, y), [Point(x, y), "tail"], {"p": Point(x, y)}):
        match p:
            case Point(0, 0):
                out.append("origin")
            case Point(x=0, y=b):
                out.append(("axis", b))
            case Point(a, b) if a == b:
                out.append(("diagonal", a))
            case [Point(a, _), (str() | int()) as tail]:
                out.append((a, tail))
                continue
            case {"p": Point(y=b)} | [b]:
                out.append(b)
                break
        out.append("next")
    return out


@program((3,))
def match_errors(v):
    match v:
        case Point(1, 2, 3):
            return 1
    match Point(1, 2):
        case Point(1, 2, 3):
            return 1


@program()
def while_true_with_return():
    n = 0
    while True:
        n += 1
        if n == 4:
            return n
        if n > 10:
            break


@program((3,))
def dead_code(n):
    while 1:
        n -= 1
        if n < 0:
            break
        continue
        n = 100
    return n
    n = 5
    yield_ = n


@program()
def del_then_use():
    x = 1
    del x
    if 0:
        x = 2
    return x


@program((True,), (False,))
def maybe_unbound(p):
    if p:
        x = 1
    return x


@program((5,))
def loop_variable_after(n):
    for i in range(n):
        pass
    return i, n


@program((0,))
def loop_variable_unbound(n):
    for i in range(n):
        pass
    return i


@program((4,))
def deep_mixture(n):
    out = []
    for i in range(n):
        try:
            for j in range(n):
                if (i + j) % 3 == 0:
                    continue
                while True:
                    if j == 2:
                        raise IndexError(j)
                    out.append((i, j))
                    break
                else:
                    out.append("never")
                if i == 3:
                    return out
        except IndexError as e:
            out.append(e.args)
            if i == 2:
                continue
        finally:
            out.append("f")
        out.append("tail")
    return out


@program(({1: 2},))
def mutated_while_iterating(d):
    for k in d:
        d[k + 1] = 3
