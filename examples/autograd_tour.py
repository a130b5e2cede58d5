"""A tour of the eager mode: what `import torch` shows, on NumPy alone.

Follows five well-known introductions to autograd: tracking, gradients of scalars and of vectors,
the graph behind a tensor, turning tracking off, and accumulation.

    python examples/autograd_tour.py
"""

from __future__ import annotations

import srcgrad.eager as torch


def title(text: str) -> None:
    print(f"\n--- {text} ---")


def tracking() -> None:
    """A tensor that requires gradients leaves a trace in all that is computed from it."""
    title("tracking")
    torch.manual_seed(0)
    plain, tracked = torch.rand(10), torch.rand(10, requires_grad=True)
    print(plain)
    print(tracked)
    print((plain**2).mean())
    mean = (tracked**2).mean()
    print(mean)
    print(type(mean.grad_fn).__name__)
    mean.backward()
    print(tracked.grad)
    print(torch.isclose(tracked.grad, tracked / 10 * 2, atol=1e-8))


def scalar_loss() -> None:
    """d/dx of mean(3 (x + 2)^2) at x = 1 is 3/2 * 3 = 4.5 for each of four elements."""
    title("a scalar loss")
    x = torch.ones(2, 2, requires_grad=True)
    y = x + 2
    z = y * y * 3
    z.retain_grad()
    out = z.mean()
    print(y)
    print(z, out)
    out.backward()
    print(z.grad)
    print(x.grad)


def vector_output() -> None:
    """A vector output needs the vector its Jacobian is to be multiplied with."""
    title("a vector output")
    x = torch.tensor([-1.0617, 1.1143, 0.9000], requires_grad=True)
    y = x * 2
    while y.data.norm() < 1000:
        y = y * 2
    print(y)
    y.backward(torch.tensor([0.1, 1.0, 0.0001]))
    print(x.grad)

    a = torch.tensor([2.0, 3.0], requires_grad=True)
    b = torch.tensor([6.0, 4.0], requires_grad=True)
    q = 3 * a.pow(3) - b.pow(2)
    print(f"Q = 3a^3 - b^2: {q}")
    q.backward(gradient=torch.tensor([1.0, 1.0]))
    print(f"dQ/da = 9a^2: {a.grad}, dQ/db = -2b: {b.grad}")


def without_tracking() -> None:
    """Inside no_grad, and for a detached tensor, nothing is recorded."""
    title("without tracking")
    x = torch.ones(2, 2, requires_grad=True)
    print((x**2).requires_grad)
    with torch.no_grad():
        print((x**2).requires_grad)
    y = x.detach()
    print(y.requires_grad, x.eq(y).all())


def layer_and_loss() -> None:
    """One layer of a network, its loss, and gradients of its parameters."""
    title("a layer and its loss")
    torch.manual_seed(0)
    x, y = torch.ones(5), torch.zeros(3)
    w = torch.randn(5, 3, requires_grad=True)
    b = torch.randn(3, requires_grad=True)
    z = torch.matmul(x, w) + b
    loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
    print(type(z.grad_fn).__name__, type(loss.grad_fn).__name__)
    loss.backward()
    print(w.grad)
    print(b.grad)


def accumulation() -> None:
    """Gradients add up until they are cleared."""
    title("accumulation")
    inp = torch.eye(3, requires_grad=True)
    out = (inp + 1).pow(2)
    for _ in range(2):
        out.backward(torch.ones_like(inp), retain_graph=True)
        print(inp.grad)
    inp.grad.zero_()
    out.backward(torch.ones_like(inp))
    print(inp.grad)
    try:
        out.backward(torch.ones_like(inp))
    except RuntimeError as error:
        print(str(error).split(" (")[0])


if __name__ == "__main__":
    tracking()
    scalar_loss()
    vector_output()
    without_tracking()
    layer_and_loss()
    accumulation()
