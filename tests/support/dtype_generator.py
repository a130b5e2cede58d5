"""Random programs over arrays of several dtypes, ranks and sizes (empty ones, of one element, without
axes) that have views of views, and are written in place by every means that NumPy has: slices with any
step, masks, indices, ``out=``, ``where=``, ``ufunc.at``, ``put``, ``copyto``, ``putmask``, ``fill``,
``place``, ``itemset`` of views; beside scalars of NumPy and of Python.

``double(text)`` is the same program in double precision, for differences."""

from __future__ import annotations

from generator import Lines


class Program(Lines):
    """One random ``program(x, y, a, k)``: two vectors of one length, a number, a small integer."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        # names of vectors as long as x, of square matrices, of numbers; what may be written to
        self.vectors = ["x", "y"]
        self.mine: list[str] = []
        self.matrices: list[str] = []
        self.numbers = ["a", "s"]
        self.budget = self.random.randint(5, 11)

    def constant(self) -> str:
        return self.pick("2", "0.5", "1.5", "np.float32(0.7)", "np.int64(2)", "np.float64(0.3)", "True", "0.25",
                         "np.array(0.6)", "np.array(2)", "np.float32(1.5)", "-1", "np.int8(3)", "(0.5 + 0.2j)")

    def number(self, depth: int = 1) -> str:
        if depth == 0 or self.chance(0.3):
            return self.pick(*self.numbers, *self.numbers, self.constant(), "x[0]", "y[-1]")
        v, m = self.vector(0), self.matrix(0)
        return self.pick(
            f"{v}.sum()", f"np.max({v}.real)", f"{v}[{self.pick('0', '-1', 'k % len(x)', '..., 0')}]", f"{m}[0, -1]",
            f"{m}.mean()", f"np.dot({v}, {self.vector(0)})", f"({self.number(0)} * {self.number(0)})",
            f"({self.number(0)} + {self.constant()})", f"np.prod({v}[:2])", f"{v}[1:1].sum()", f"np.float32({self.real(0)})",
            f"float({self.real(0)})", f"abs({self.number(0)})", f"np.where({self.real(0)} > 0.5, {self.number(0)}, {self.number(0)})",
            f"{m}.trace()", f"np.sum({v}, dtype={self.dtype()})", f"np.asarray({self.number(0)})", f"np.array({self.number(0)})[()]",
            f"{v}[:1].reshape(())", f"np.square({self.number(0)})", f"np.vdot({v}, {v}).real", f"np.min({v}.real, initial=3.0)",
            f"np.sum({v} > 0.6)", f"np.count_nonzero({v} > 0.7) * 0.1", f"np.sum({v}, where={self.mask()})",
            f"np.power({self.real(0)}, 2)", f"{self.real(0)} ** 2", f"np.true_divide({self.number(0)}, 2)", f"{v}[{self.mask()}].sum()")

    def real(self, depth: int = 1) -> str:
        return f"np.real({self.number(depth)})"

    def dtype(self) -> str:
        return self.pick("np.float64", "float", "complex", "np.float64", "np.complex128", "'f8'", "np.float32")

    def mask(self) -> str:
        v = self.pick(*self.vectors)
        return self.pick(f"({v}.real > 0.6)", f"({v}.real <= {v}.real[::-1])", "(np.arange(len(x)) % 2 == 0)", "(x > y)", "(x > 9.0)",
                         f"~({v}.real > 1.0)", "np.isfinite(y)")

    def index(self) -> str:
        return self.pick("np.array([0, 0, -1])", "[0, -1, 0]", "np.arange(len(x))[::-1]", "np.argsort(y)", "np.flatnonzero(x > 0.7)",
                         "[0, 1]", "np.array([1, 0])", "np.array([], dtype=int)", "np.array([0, 1, 1, 0]) - 1")

    def piece(self) -> str:
        return self.pick("1:", ":-1", "::-1", "::2", "1::2", "-1:0:-1", ":2", "k:", ":k", "k:k", "-2:", "::-2", "...", ":", "0:1")

    def vector(self, depth: int = 1) -> str:
        """As long as ``x``."""
        if depth == 0 or self.chance(0.25):
            return self.pick(*self.vectors, *self.vectors[2:])
        v, u, m = self.vector(0), self.vector(0), self.matrix(0)
        return self.pick(
            f"({v} {self.pick('+', '-', '*')} {u})", f"({v} {self.pick('+', '*', '-')} {self.number(0)})",
            f"({self.constant()} {self.pick('+', '*', '-')} {v})", f"{v}[::-1]", f"{m}[0]", f"{m}[:, -1]", f"{m} @ {v}", f"{m}.sum(axis=0)",
            f"np.where({self.mask()}, {v}, {u})", f"np.where({self.mask()}, {v}, {self.constant()})", f"{v}.astype({self.dtype()})",
            f"np.maximum({v}.real, {u}.real)", f"np.minimum({v}.real, {self.real(0)})", f"np.tanh({v})", f"{v} / (2 + {u}.real)", f"np.roll({v}, 1)",
            f"np.cumsum({v})", f"np.diag({m})", f"{m}.T[0]", f"{v}[np.argsort(y)]", f"({v} > 0.5) * {u}", f"({self.mask()} + {v})",
            f"np.concatenate([{v}[1:], {v}[:1]])", f"{v}.reshape(1, -1)[0]", f"{v}[:, None][:, 0]", f"np.sin({v}, dtype=None)", f"np.clip({v}.real, 0.4, {self.real(0)})",
            f"{v}.conj()", f"np.abs({v})", f"{v}.real", f"({v} * (0.3 + 1j)).imag", f"np.sort({v}.real)", f"{v}.round() + {u}", f"np.floor({v}.real) + {u}",
            f"np.full(len(x), {self.number(0)})", f"np.ones_like({v}) * {self.number(0)}", f"np.zeros(len(x), dtype={self.dtype()}) + {u}",
            f"np.outer({v}, {u})[:, 0]", f"np.broadcast_to({v}[:1], x.shape) + 0 * {u}", f"{v} ** 2", f"{u} ** 3",
            f"np.einsum('ij,j->i', {m}, {v})", f"np.interp({u}.real, [0.0, 1.0, 3.0], [0.1, 0.5, {self.real(0)}])", f"np.add({v}, {u}, where={self.mask()}, out=np.zeros(len(x), complex))",
            f"np.arange(len(x)) * {self.number(0)}", f"np.linspace({self.real(0)}, 1.0, len(x))", f"np.diff({v}, append=0.5)", f"np.stack([{v}, {u}]).sum(axis=0)",
            f"np.array([{self.number(0)}] * len(x))", f"np.array([v * 2 for v in {v}])", f"np.asarray({v})", f"np.array({v}, copy=True)", f"np.pad({v}[1:], (0, 1))")

    def matrix(self, depth: int = 1) -> str:
        if self.matrices and (depth == 0 or self.chance(0.3)):
            return self.pick(*self.matrices)
        v, u = self.pick(*self.vectors), self.pick(*self.vectors)
        if depth == 0:
            return f"({v}[:, None] * {u})"
        return self.pick(f"np.outer({v}, {u})", f"{v}[:, None] + {u}[None]", f"np.eye(len(x)) * {v}", f"np.tile({v}, (len(x), 1))",
                         f"np.diag({v})", f"np.vstack([{v}] * len(x))", f"np.zeros((len(x), len(x)), dtype={self.dtype()}) + {v}",
                         f"np.subtract.outer({v}, {u})", f"({v} > {u}[:, None]) * {v}", f"np.tril(np.outer({v}, {v}))")

    # ---- statements ----------------------------------------------------------------------------
    def statement(self) -> None:
        kind = self.random.random()
        if kind < 0.3:
            self.make()
        elif kind < 0.8:
            self.write()
        elif self.depth < 3:
            self.block()
        else:
            self.put(f"s = {self.real(1)} * 0.5 + s")

    def make(self) -> None:
        if self.depth > 1:
            self.put(f"s = s * 0.5 + 0.2 * {self.real(1)}")
            return
        kind = self.random.random()
        if kind < 0.4:
            name = self.fresh("v")
            self.put(f"{name} = {self.vector(1)}{self.pick('', '', ' * 1', ' + 0.0')}")
            self.vectors.append(name)
            if self.lines[-1].endswith((" * 1", " + 0.0")):
                self.mine.append(name)
        elif kind < 0.6:
            name = self.fresh("m")
            self.put(f"{name} = ({self.matrix(1)}) * 1")
            self.matrices.append(name)
        elif kind < 0.75:
            name = self.fresh("n")
            self.put(f"{name} = {self.number(1)}")
            self.numbers.append(name)
        elif self.matrices:
            m = self.pick(*self.matrices)
            name = self.fresh("r")
            self.put(f"{name} = {m}{self.pick('[0]', '[-1]', '[:, 0]', '.T[1]', '[::-1, 0]', '.diagonal()', '.reshape(-1)[:len(x)]', '.ravel()[len(x):2 * len(x)]', '.T.T[1, ::-1]', '[1][::-1]', '.T.ravel()[:len(x)]', '.flatten()[:len(x)]', '[[1]][0]', '.swapaxes(0, 1)[0]', '[None][0, 1]')}")
            self.vectors.append(name)
            if "diagonal" not in self.lines[-1]:
                self.mine.append(name)
        elif self.mine:
            name = self.fresh("z")
            self.put(f"{name} = {self.pick(*self.mine)}{self.pick('[::-1]', '[:]', '.T', '.real', '.reshape(-1)', '[None][0]', '.ravel()', '.view()', '[:, None][:, 0]', '[...]', '.squeeze()')}")
            self.vectors.append(name)
            self.mine.append(name)

    def write(self) -> None:
        if not self.mine and not self.matrices:
            return self.make()
        if self.matrices and self.chance(0.3):
            t = self.pick(*self.matrices)
            v = self.vector(0)
            return self.put(self.pick(
                f"{t}[0] = {v}.real", f"{t}[:, 0] += {v}.real", f"{t} *= {self.real(0)}", f"np.fill_diagonal({t}, {self.real(0)})", f"{t}[np.diag_indices(len(x))] += {v}.real",
                f"{t}[{self.index()}] = {self.real(0)}", f"{t}[{self.index()}, 0] = {self.real(0)}", f"{t}[{t}.real > 0.8] = {self.real(0)}", f"{t}.T[1] -= {v}.real", f"{t}[::-1, ::2] *= 0.5",
                f"np.add.at({t}, ([0, 0, 1], [1, 1, 0]), {self.real(0)})", f"{t}[1, {self.piece()}] = {self.real(0)}", f"{t}.flat[::2] = {self.real(0)}", f"{t}[{self.mask()}] *= 0.5", f"{t}[:, {self.mask()}] = {self.real(0)}",
                f"{t}[...] = {v}.real", f"np.copyto({t}, {v}.real, where={self.mask()})", f"{t}[0], {t}[1] = {t}[1].copy(), {t}[0].copy()", f"{t}[[0, 1]] = {t}[[1, 0]]", f"{t}.flat[k] += 0.3"))
        if not self.mine:
            return self.make()
        t = self.pick(*self.mine)
        v, p = self.vector(0), self.piece()
        n = self.real(0)
        self.put(self.pick(
            f"{t}[{p}] = {n}", f"{t}[{p}] {self.pick('+=', '*=', '-=')} {n}", f"{t}[{p}] = {v}[{p}].real", f"{t}[{p}] += {v}[{p}].real", f"{t} {self.pick('+=', '*=', '-=')} {v}.real",
            f"{t} {self.pick('+=', '*=')} {self.pick('2', 'True', 'np.float32(0.5)', 'np.array(0.5)', 'np.int64(1)')}", f"{t}[1:] += {t}[:-1]", f"{t}[:-1] = {t}[1:]", f"{t}[::-1] += {t}", f"{t}[:] = {t}[::-1]",
            f"{t}[{self.index()}] = {n}", f"{t}[{self.index()}] += {n}", f"{t}[{self.mask()}] = {n}", f"{t}[{self.mask()}] *= {n}", f"{t}[x > y] = {v}.real[x > y]",
            f"np.add.at({t}, {self.index()}, {n})", f"np.subtract.at({t}, [0, 0, 1], {v}.real[[0, 1, 1]])", f"np.multiply.at({t}, [0, 0, 1], {n})", f"np.put({t}, [0, -1], {n})", f"np.put({t}, [1, 0], [{n}, {n}])",
            f"np.copyto({t}, {v}.real)", f"np.copyto({t}, {n}, where={self.mask()})", f"np.putmask({t}, {self.mask()}, {v}.real)", f"np.place({t}, {self.mask()}, [{n}, 0.4])", f"{t}.fill({n})",
            f"np.add({t}, {v}.real, out={t})", f"np.multiply({t}, {n}, out={t}, where={self.mask()})", f"np.add({v}.real[1:], {n}, out={t}[1:])", f"np.multiply({t}[::-1], {v}.real, out={t})", f"np.cumsum({v}.real, out={t})",
            f"np.clip({t}.real, 0.3, 1.1, out={t})" if self.chance(0.2) else f"{t}.sort()", f"np.put_along_axis({t}, np.array([1, 0]), {n}, 0)", f"{t}[0], {t}[-1] = {t}[-1], {t}[0]", f"{t}[{p}][:1] = {n}", f"{t}[{p}][::-1] *= {n}",
            f"{t}.reshape(-1)[0] = {n}", f"{t}[None, {p}] += 0.2", f"{t}[k % len(x)] += {n}", f"{t}[(0,)] = {n}", f"np.negative({t}, out={t})", f"np.maximum({t}.real, {n}, out={t})" if self.chance(0.3) else f"np.add.accumulate({t}, out={t})",
            f"{t}[...] = {n}", f"{t}[:, None][:2] = {n}", f"{t}.flat[1:] = {n}", f"{t}.flat = {v}.real", f"np.exp(-np.abs({t}), out={t})", f"np.divide({t}, 2, out={t}, casting='same_kind')", f"{t} /= 1.5"))

    def block(self) -> None:
        self.put(self.pick(f"if {self.real(0)} > 0.6:", f"if {self.real(1)} < 0.9:", "for i in range(len(x) - 1):", "for i in range(k):", "for v in y:", f"for i, v in enumerate({self.vector(0)}):",
                           "if x[0] > y[0]:", "if len(x) > 3:", f"while s.real < {self.pick('1.0', '2.0')}:"))
        head = self.lines[-1].strip()
        saved = list(self.numbers)
        self.depth += 1
        if head.startswith("while"):
            self.put("s = s + 0.7")
        if "v" in head.split(" in ")[0].split():
            self.numbers.append("v")
        if head.startswith("for i") and self.mine and self.chance(0.6):
            t = self.pick(*self.mine)
            self.put(self.pick(f"{t}[i] += 0.3 * {self.vector(0)}[i - 1].real", f"{t}[i:] *= 0.9", f"{t}[-i] = {t}[i] * 0.5", f"{t}[:i] += {self.real(0)}", f"{t}[i::2] = {self.real(0)}"))
        for _ in range(self.random.randint(1, 2)):
            self.statement_inside()
        if self.chance(0.2) and not head.startswith("if"):
            self.put(f"if {self.real(0)} > 0.9:")
            self.put(f"    {self.pick('break', 'continue')}")
            self.put("s = s * 0.9")
        self.depth -= 1
        self.numbers = saved
        if self.chance(0.3) and head.startswith("if"):
            self.put("else:")
            self.depth += 1
            self.statement_inside()
            self.depth -= 1

    def statement_inside(self) -> None:
        if self.chance(0.75):
            self.write()
        else:
            self.put(f"s = s * 0.5 + 0.2 * {self.real(1)}")
        self.put("pass")

    def text(self) -> str:
        self.put("s = 0.4")
        for dtype in self.random.sample(["float", "np.float32", "complex", "np.float64"], 2):
            name = self.fresh("w")
            self.put(f"{name} = {self.pick('x', 'y')}.astype({dtype}){self.pick('', ' * 0.5', '[::-1]', ' + 1', ' * np.float32(0.5)')}")
            self.vectors.append(name)
            self.mine.append(name)
        if self.chance(0.3):
            self.put("j1 = np.arange(len(x)) + k")
            self.vectors.append("j1")
        if self.chance(0.4):
            self.put(f"m0 = {self.matrix(1)} + 0.0")
            self.matrices.append("m0")
        while self.budget > 0:
            self.budget -= 1
            self.statement()
        parts = [f"np.sum(np.cos(np.arange(len(x))) * {v}).real" for v in self.vectors[2:]]
        parts += [f"np.sum({m} * x).real" for m in self.matrices]
        parts += [f"0.3 * np.real({n})" for n in self.numbers[2:]]
        self.put("return " + self.pick("float", "np.float64", "") + f"(s.real + {' + '.join(parts)})")
        return "import numpy as np\n\n\ndef program(x, y, a, k):\n" + "\n".join(self.lines) + "\n"


def program(seed: int) -> str:
    return Program(seed).text()


def double(text: str) -> str:
    return text.replace("float32", "float64")
