"""Random sequences of eager operations, and a runner that tells what each step does.

``program(seed)`` is a list of steps; each is an expression over the list ``v`` of the tensors so
far, run in some mode.  ``run(torch, seed)`` gives one line of text per step (what came out, or what
was raised), then the gradients of the leaves.  The engine is an argument: the expected texts in
``data/sequences.json`` were written by ``python tests/eager/sequences.py <first> <count>`` with
PyTorch 2.13 (CPU, one thread) installed; only there it is imported.
"""

from __future__ import annotations

import json
import random
import re
import sys
import warnings
from pathlib import Path
from typing import Any

STORED = Path(__file__).parent / "data" / "sequences.json"

LEAVES = ("leaf([[1., 2., 3.], [4., 5., 6.]])", "leaf([[.5, -1., 2.], [1.5, .2, -.3]])",
          "leaf([.7, -.4, 1.1])", "plain([[0., 1., 0.], [2., -1., .5]])", "plain([.3, .6, -.2])",
          "leaf(.8)")
VIEWS = (
    "a[0]", "a[..., 0]", "a[:1]", "a[1:]", "a[None]", "a[...]", "a[:, 1:]", "a[..., ::2]", "a.t()",
    "a.T", "a.transpose(0, -1)", "a.view(-1)", "a.reshape(-1)", "a.flatten()", "a.unsqueeze(0)",
    "a.unsqueeze(-1)", "a.squeeze()", "a.squeeze(0)", "a.narrow(0, 0, 1)", "a.narrow(-1, 1, 2)",
    "a.unfold(-1, 2, 1)", "a.diagonal()", "a.expand(2, *a.shape)", "a.expand_as(b)", "a.movedim(0, -1)",
    "a.permute(*range(a.dim() - 1, -1, -1))", "a.select(-1, 0)", "a.view_as(a)", "a.detach()",
    "a.data", "a.unbind(0)", "a.split(1)", "a.split([1, 1])", "a.chunk(2, -1)", "a.tensor_split(2)",
    "a.as_strided((2,), (1,), 1)", "a.as_strided((2, 2), (1, 2))", "a.as_strided((3,), (0,))",
    "a.contiguous()", "a.view(3, -1)", "a.unflatten(-1, (1, -1))", "a.swapaxes(0, -1)", "a.mT",
    "a.real", "a.to(torch.float64)", "a.broadcast_to(2, 2, 3)", "a.view(a.shape)",
)
PURE = (
    "a * 2", "2 - a", "a / 3", "3 / (a.abs() + 1)", "a ** 2", "a ** 3", "-a", "a.sin()", "a.tanh()",
    "a.sigmoid()", "a.exp().clamp(max=9)", "a.abs()", "a.relu()", "(a.abs() + 1).sqrt()",
    "(a.abs() + 1).log()", "a.clone()", "a.sum()", "a.sum(0)", "a.mean(-1)", "a.prod()", "a.prod(0)",
    "a.cumsum(0)", "a.cumprod(-1)", "a.softmax(-1)", "a.logsumexp(-1)", "a.max()", "a.min(0)",
    "a.sort(-1)", "a.topk(2)", "a.amax(-1)", "a.var(-1)", "torch.std_mean(a)", "a.norm()",
    "a.norm(dim=-1)", "a.clamp(-1, 1)", "a.flip(0)", "a.roll(1, 0)", "a.tril()", "a.float()",
    "a[[0]]", "a[a > .5]", "a[torch.tensor([0, 0])]", "a.index_select(0, torch.tensor([0]))",
    "a.gather(0, torch.zeros_like(a, dtype=torch.int64))", "a.masked_fill(a > 1, 0.)",
    "a.repeat(2, *(1,) * (a.dim() - 1))", "a.sgn()", "a.aminmax()", "a.median(-1)", "a.diff()",
    "a.reciprocal()", "a.erf()", "a.cummax(-1)", "a.angle()", "a.trace()", "a.outer(a)",
    "a + b", "a * b", "a - b", "a / (b.abs() + 1)", "torch.maximum(a, b)", "torch.where(a > b, a, b)",
    "torch.cat([a, b])", "torch.stack([a, b])", "a @ b", "a @ b.mT", "torch.atan2(a, b)",
    "torch.lerp(a, b, .3)", "torch.addcmul(a, b, b)", "torch.hypot(a, b)", "(a * b).sum()",
    "a.abs() ** b", "torch.dot(a, b)", "torch.einsum('...i,...i->...', a, b)", "torch.logaddexp(a, b)",
    "torch.broadcast_tensors(a, b)", "a.scatter_add(0, torch.zeros_like(b, dtype=torch.int64), b)",
    "a.index_add(0, torch.tensor([0]), b[:1])", "a.det()", "a.new_zeros(2) * a.sum()",
    "torch.nn.functional.pad(a, (1, 0))", "a.dist(b)", "torch.linalg.vector_norm(a, 3)",
)
WRITES = (
    "a.mul_(2)", "a.add_(1)", "a.add_(b)", "a.mul_(b)", "a.sub_(b, alpha=.5)", "a.div_(2)",
    "a.zero_()", "a.fill_(3.)", "a.fill_(b.sum())", "a.copy_(b)", "a.sin_()", "a.tanh_()",
    "a.sigmoid_()", "a.abs_()", "a.neg_()", "a.relu_()", "a.pow_(2)", "a.clamp_(-1, 1)",
    "a.masked_fill_(a > 1, .5)", "a.cumsum_(0)", "a.cumprod_(0)", "a.lerp_(b, .5)",
    "a.addcmul_(b, b)", "a.sqrt_()", "a.t_()", "a.transpose_(0, -1)", "a.squeeze_()",
    "a.unsqueeze_(0)", "a.index_fill_(0, torch.tensor([0]), 2.)", "a.__imul__(b)", "a.__iadd__(1.)",
    "a.__setitem__(0, 1.)", "a.__setitem__(0, b[0])", "a.__setitem__((..., 0), b.sum())",
    "a.__setitem__(slice(1, None), b[1:])", "a.__setitem__(a > 1, 0.)", "a.__setitem__([0], b[0])",
    "a.__setitem__(Ellipsis, b)", "a[0].mul_(2)", "a[..., 1:].add_(b[..., 1:])", "a.view(-1)[1:].neg_()",
    "a.data.mul_(2)", "a.detach().add_(1)", "a.detach_()", "a.requires_grad_()",
    "a.requires_grad_(False)", "a.scatter_(0, torch.zeros_like(b, dtype=torch.int64), b)",
    "a.index_add_(0, torch.tensor([0]), b[:1])", "a.exp_().clamp_(max=5)", "a.erf_()", "a.tril_()",
    "a.hypot_(b)", "a.diagonal().zero_()",
    "a.swapaxes_(0, -1)", "a.as_strided_((2,), (1,))", "a.resize_(1)", "a.index_put_((torch.tensor([0]),), b[0])",
    "torch.add(a, 1, out=b)", "torch.mul(a, a, out=b)",
)
ENGINE = (
    "a.retain_grad()", "a.register_hook(lambda g: g * 2)", "a.register_hook(lambda g: note('hook', g))",
    "a.grad_fn.register_hook(lambda i, o: note('post', *i, *o))",
    "a.grad_fn.register_prehook(lambda o: note('pre', *o))",
    "a.grad_fn.register_prehook(lambda o: tuple(g if g is None else g * 3 for g in o))",
    "a.sum().backward(retain_graph=True)", "(a * a).sum().backward()",
    "(a * b).sum().backward(inputs=[b], retain_graph=True)", "a.backward(torch.ones_like(a))",
    "torch.autograd.backward([a.sum(), b.sum()])",
    "torch.autograd.grad((a * a).sum(), [b], allow_unused=True)",
    "torch.autograd.grad((a * a).sum(), [a, b], allow_unused=True, retain_graph=True)",
    "torch.autograd.grad((a * a * b).sum(), [b], create_graph=True)",
    "torch.autograd.grad(a.sin().sum(), v[0], create_graph=True, allow_unused=True)",
    "torch.autograd.grad(a, v[:2], torch.ones_like(a), allow_unused=True, retain_graph=True)",
    "Cube.apply(a)", "Scale.apply(a, b)", "ScaleInPlace.apply(a, b)", "Same.apply(a)", "Two.apply(a)",
    "Part.apply(a)", "Marked.apply(a)", "checkpoint(lambda s, t: (s * t).tanh() * s, a, b)",
    "checkpoint(lambda s, t: (s * t).tanh() * s, a, b).sum().backward()",
    "values(torch.func.grad(lambda t: (t * b).sin().sum())(a))",
    "values(torch.func.vjp(lambda t: t * t.sum(), a)[1](a)[0])",
    "values(torch.func.jvp(lambda t: t.tanh() * b, (a,), (torch.ones_like(a),)))",
    "dual(lambda t: t.mul(b).sin(), a)", "dual(written, a)", "values(torch.func.vmap(lambda t: t * 2)(a))",
    "values(torch.func.jacrev(lambda t: t.sin().sum(0))(a))", "a.grad", "b.grad", "a.is_leaf", "a.output_nr",
    "a.grad_fn.next_functions", "a._base is None", "Pair.apply(a, b)", "Named.apply(a)", "nested(a)",
    "torch.autograd.grad(edge(a), v[:2], torch.ones_like(a), allow_unused=True, retain_graph=True)",
    "torch.autograd.grad(edge(a), v[0], allow_unused=True, retain_graph=True)",
    "torch.autograd.grad(a.sum(), edge(b), allow_unused=True, retain_graph=True)",
    "products(a)", "kept(a, b)", "a.resize_(a.shape)", "values(torch.func.hessian(lambda t: (t ** 3).sum())(a))",
)
MODES = ("", "", "", "", "", "", "", "", "no_grad", "no_grad", "no_grad", "hooks", "enable_grad")


def program(seed: int) -> list[tuple[str, int, int, str]]:
    """Steps ``(mode, a, b, expression)``."""
    rng = random.Random(seed)
    count = rng.randrange(3, 6)
    steps = [("", 0, 0, rng.choice(LEAVES)) for _ in range(count)]
    for _ in range(rng.randrange(4, 16)):
        kind = rng.choice((VIEWS, VIEWS, PURE, PURE, WRITES, WRITES, ENGINE))
        mode = rng.choice(MODES)
        late = rng.random() < 0.5
        a = -rng.randrange(1, 4) if late else rng.randrange(8)
        steps.append((mode, a, rng.randrange(-3, 6), rng.choice(kind)))
    return steps


class Session:
    """The names that steps use, for one engine."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.v: list[Any] = []
        self.notes: list[str] = []
        self.versions: dict[int, int] = {}  # when first seen: results differ in how they are made
        self.names = {"torch": torch, "v": self.v, "note": self.note, "dual": self.dual,
                      "leaf": self.leaf, "plain": self.plain, "checkpoint": self.checkpoint,
                      "written": self.written, "values": self.values, "products": self.products,
                      "kept": self.kept, "nested": self.nested,
                      "edge": torch.autograd.graph.get_gradient_edge, **functions(torch)}

    def leaf(self, values: Any) -> Any:
        return self.torch.tensor(values, dtype=self.torch.float64, requires_grad=True)

    def plain(self, values: Any) -> Any:
        return self.torch.tensor(values, dtype=self.torch.float64)

    def note(self, label: str, *tensors: Any) -> None:
        self.notes.append(label + " " + " ".join(
            "None" if t is None else str(short(t.detach().tolist())) for t in tensors))

    @staticmethod
    def values(out: Any) -> str:
        return str([short(t.detach().tolist()) for t in (out if isinstance(out, tuple) else [out])])

    def checkpoint(self, function: Any, *args: Any) -> Any:
        return self.torch.utils.checkpoint.checkpoint(function, *args, use_reentrant=False)

    def dual(self, function: Any, t: Any) -> Any:
        forward = self.torch.autograd.forward_ad
        with forward.dual_level():
            out = function(forward.make_dual(t.clone(), self.torch.ones_like(t)))
            return forward.unpack_dual(out)[1]

    def products(self, t: Any) -> str:
        """First and second derivatives of products in which zeros meet."""
        places = self.torch.zeros(t.shape, dtype=self.torch.int64)
        factors = (t - t[:1]).detach().requires_grad_()
        out = t.detach().scatter_reduce(0, places, factors, "prod").sum()
        first, = self.torch.autograd.grad(out, factors, create_graph=True)
        second, = self.torch.autograd.grad((first * first).sum(), factors)
        return self.values((first, second))

    def kept(self, t: Any, u: Any) -> str:
        """Writes to what a backward needs, allowed."""
        with self.torch.autograd.graph.allow_mutation_on_saved_tensors() as kept:
            x = t.detach().clone().requires_grad_()
            y = x.clone()
            out = (y ** 2 * u.detach()).sum()
            y[0].mul_(3)
            out = out + (y.sin() * y).sum()
            y.exp_()
            count = len(kept.cloned)
            out.backward()
        return f"{count} {self.values(x.grad)}"

    def nested(self, t: Any) -> str:
        """A backward within a backward, and what is called when each is through."""
        engine, said = self.torch.autograd.Variable._execution_engine, []

        def hook(g: Any) -> Any:
            engine.queue_callback(lambda: said.append(len(said)))
            inner = t.detach().requires_grad_()
            with self.torch.enable_grad():
                (inner * inner).sum().backward()
            said.append("inner")
            return g * inner.grad

        x = t.detach().requires_grad_()
        y = x.sin()
        y.register_hook(hook)
        y.sum().backward()
        return f"{said} {self.values(x.grad)}"

    @staticmethod
    def written(t: Any) -> Any:
        y = t * 2
        y[0].mul_(3)
        part = y[..., :1]
        y.add_(t)
        return part * t[0]

    def step(self, mode: str, a: int, b: int, text: str) -> str:
        torch = self.torch
        names = self.names | ({"a": self.v[a % len(self.v)], "b": self.v[b % len(self.v)]}
                              if self.v else {})
        guard = {"": torch.enable_grad, "no_grad": torch.no_grad,
                 "enable_grad": torch.enable_grad}.get(mode) or (
            lambda: torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t))
        try:
            with guard():
                out = eval(text, names)
        except Exception as error:
            return f"{type(error).__name__}: {str(error).splitlines()[0]}"
        items = out if isinstance(out, tuple | list) else (out,)
        tensors = [t for t in items if isinstance(t, torch.Tensor)]
        self.v.extend(tensors)
        return " ".join([self.described(t) for t in tensors] or [str(out)])

    def described(self, t: Any) -> str:
        try:
            node = None if t.grad_fn is None else t.grad_fn.name()
            grad = "" if node or t.grad is None else f" grad {short(t.grad.tolist())}"
            written = t._version - self.versions.setdefault(id(t), t._version)
            return (f"{short(t.detach().tolist())} {t.requires_grad:d}{t.is_leaf:d}"
                    f"{t._is_view():d} {node} {t.output_nr} {written} {t.stride() if t._is_view() else ''}{grad}")
        except RuntimeError as error:
            return str(error)


def functions(torch: Any) -> dict[str, Any]:
    """Some autograd Functions of ``torch``."""
    base = torch.autograd.Function

    class Cube(base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return 3 * ctx.saved_tensors[0] ** 2 * g

    class Scale(base):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            out = x * y
            ctx.save_for_backward(x, y, out)
            return out

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, y, _ = ctx.saved_tensors
            return g * y, g * x

    class ScaleInPlace(base):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(y)
            x.mul_(y)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0], g

    class Same(base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    class Two(base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, x.sum()

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return g * 2 + h

    class Part(base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.shape = x.shape
            return x[:1]

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            out = g.new_zeros(ctx.shape)
            out[:1] = g
            return out

    class Marked(base):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            places = x > 0
            ctx.mark_non_differentiable(places)
            ctx.set_materialize_grads(False)
            return x.abs(), places

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return g

    class Pair(base):
        @staticmethod
        def forward(x: Any, y: Any, scale: float = 2.0) -> Any:
            return x[:1], (x * y).sum() * scale

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            x, y, ctx.scale = inputs
            ctx.save_for_backward(x, y)

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            x, y = ctx.saved_tensors
            out = y * h * ctx.scale
            out[:1] += g
            return out, x * h * ctx.scale, None

    class Named(base):  # attributes with names that an engine may use itself
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.where, ctx.saved, ctx.plan, ctx.meta = x > 0, 3, "plan", {"shape": x.shape}
            ctx.edges, ctx.seq, ctx.ex = [1], 7, None
            return x.clamp(min=0)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            assert (ctx.saved, ctx.plan, ctx.edges, ctx.seq, ctx.ex) == (3, "plan", [1], 7, None)
            return (g * ctx.where).reshape(ctx.meta["shape"])

    functions = (Cube, Scale, ScaleInPlace, Same, Two, Part, Marked, Pair, Named)
    return {f.__name__: f for f in functions}


def short(value: Any) -> Any:
    """Nested lists of numbers to four digits."""
    if isinstance(value, list):
        return [short(v) for v in value]
    if isinstance(value, complex):
        return complex(short(value.real), short(value.imag))
    return float(f"{value:.4g}") + 0.0 if isinstance(value, float) else value


def run(torch: Any, seed: int) -> str:
    """What the program of ``seed`` does with the engine ``torch``."""
    session = Session(torch)
    lines = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step in program(seed):
            lines.append(session.step(*step))
        lines.append(session.step("", -1, -2, "sum((t * t).sum() for t in v if t.requires_grad and "
                                  "t.is_floating_point()).backward()"))
        lines += [session.described(t) for t in session.v]
    text = "\n".join([*lines, *session.notes])
    return re.sub(r"0x[0-9a-f]+", "0x", re.sub(r"<[^<>]* object at [^<>]*>", "<object>", text))


def main() -> None:
    """Write what PyTorch does for the seeds given."""
    import torch

    torch.set_num_threads(1)
    first, count = int(sys.argv[1]), int(sys.argv[2])
    out = {str(seed): run(torch, seed) for seed in range(first, first + count)}
    (Path(sys.argv[3]) if len(sys.argv) > 3 else STORED).write_text(json.dumps(out, indent=0))


if __name__ == "__main__":
    main()
