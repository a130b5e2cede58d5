"""Several threads: modes are their own, gradients of a shared leaf are all counted."""

from __future__ import annotations

import threading
from collections.abc import Callable

import srcgrad.eager as torch


def together(work: Callable[[], None], count: int) -> None:
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded) for _ in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors, errors


def test_accumulation_from_many_threads() -> None:
    w = torch.zeros(1000, requires_grad=True)

    def work() -> None:
        for _ in range(50):
            (w * 2).sum().backward()

    together(work, 6)
    assert w.grad.min().item() == w.grad.max().item() == 600.0


def test_backward_of_one_graph_from_many_threads() -> None:
    x = torch.ones(10, requires_grad=True)
    h = x * 3
    loss = (h * h).sum()

    def work() -> None:
        for _ in range(50):
            loss.backward(retain_graph=True)

    together(work, 4)
    assert x.grad.tolist() == [18.0 * 200] * 10


def test_grad_mode_is_thread_local() -> None:
    inside, leave = threading.Event(), threading.Event()
    seen: list[bool] = []

    def work() -> None:
        with torch.no_grad():
            inside.set()
            leave.wait(5)
            seen.append(torch.is_grad_enabled())

    t = threading.Thread(target=work)
    t.start()
    inside.wait(5)
    assert torch.is_grad_enabled()
    leave.set()
    t.join()
    assert seen == [False]
