"""Optimizers against PyTorch's trajectories; groups, state, hooks, closures, schedules."""

import copy
import json
import pathlib
import warnings

import numpy as np
import pytest
from nn_optimizer_cases import CONFIGURATIONS, trajectory

import srcgrad.eager as torch
from srcgrad.eager import nn, optim

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
REFERENCE = json.loads((DATA / "optimizers.json").read_text())
RUNS = [(name, number) for name, many in CONFIGURATIONS.items() for number in range(len(many))]


@pytest.mark.parametrize("name, number", RUNS)
def test_fifty_steps(name, number):
    got = trajectory(torch, name, CONFIGURATIONS[name][number])
    np.testing.assert_allclose(got, REFERENCE[f"{name} {number}"], rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_complex_parameters(name):
    got = trajectory(torch, name, CONFIGURATIONS[name][0], "complex128")
    np.testing.assert_allclose(got, REFERENCE[f"{name} complex"], rtol=0, atol=1e-7)


def weights():
    p = nn.Parameter(torch.tensor([1.0, -2.0]))
    p.grad = torch.tensor([0.5, 0.25])
    return p


def test_text():
    assert repr(optim.SGD([weights()], lr=0.1)) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n"
        "    fused: None\n    lr: 0.1\n    maximize: False\n    momentum: 0\n    nesterov: False\n"
        "    weight_decay: 0\n)")


@pytest.mark.parametrize("name", [n for n in CONFIGURATIONS if n != "LBFGS"])
def test_state_moves_to_another_optimizer(name):
    def run(p, optimizer, steps):
        for _ in range(steps):
            p.grad = p.detach() * 0.5 + 0.1
            optimizer.step()

    make = getattr(optim, name)
    p, q = weights(), weights()
    first = make([p])
    run(p, first, 3)
    with torch.no_grad():
        q.copy_(p)
    second = make([q])
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    run(p, first, 2)
    run(q, second, 2)
    assert torch.equal(p, q)


def test_state_dict_layout():
    p = weights()
    optimizer = optim.Adam([p], amsgrad=True)
    optimizer.step()
    state = optimizer.state_dict()
    assert list(state["state"][0]) == ["step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"]
    assert repr(state["state"][0]["step"]) == "tensor(1.)"
    assert state["param_groups"][0]["params"] == [0]
    assert optim.SGD([weights()]).state_dict()["state"] == {}
    with pytest.raises(ValueError, match="loaded state dict has a different number of parameter"):
        optim.SGD([weights()]).load_state_dict({"state": {}, "param_groups": []})


@pytest.mark.parametrize("call, kind, text", [
    (lambda: optim.SGD([]), ValueError, "optimizer got an empty parameter list"),
    (lambda: optim.SGD(weights()), TypeError, "params argument given to the optimizer should be"),
    (lambda: optim.SGD([3]), TypeError,
     "optimizer can only optimize Tensors, but one of the params is int"),
    (lambda: optim.SGD([weights() * 2]), ValueError, "can't optimize a non-leaf Tensor"),
    (lambda: optim.SGD([weights()], lr=-1), ValueError, "Invalid learning rate: -1"),
    (lambda: optim.SGD([weights()], nesterov=True), ValueError,
     "Nesterov momentum requires a momentum and zero dampening"),
    (lambda: optim.Adam([weights()], betas=(1.0, 0.9)), ValueError,
     "Invalid beta parameter at index 0: 1.0"),
    (lambda: optim.Adam([weights()], fused=True, foreach=True), RuntimeError,
     "`fused` and `foreach` cannot be `True` together."),
    (lambda: optim.LBFGS([{"params": [weights()]}, {"params": [weights()]}]), ValueError,
     "LBFGS doesn't support per-parameter options (parameter groups)"),
])
def test_messages(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_parameters_in_two_groups_are_refused():
    p = weights()
    with pytest.raises(ValueError, match="some parameters appear in more than one"):
        optim.SGD([{"params": [p]}, {"params": [p]}])


def test_step_writes_in_place_and_counts_as_a_write():
    p = weights()
    view, version = p.detach(), p._version
    optim.SGD([p], lr=1.0).step()
    assert view.tolist() == [0.5, -2.25]
    assert p._version > version
    x = torch.ones(2, requires_grad=True)
    out = (x * p).sum()
    p.grad = torch.ones(2)
    optim.SGD([p], lr=1.0).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.backward()


def test_closure_loss_is_returned_and_parameters_without_gradient_stay():
    p, unused = weights(), nn.Parameter(torch.ones(1))
    optimizer = optim.Adam([p, unused])

    def closure():
        optimizer.zero_grad()
        loss = p.pow(2).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 5.0
    assert unused.item() == 1 and unused not in optimizer.state


def test_learning_rate_as_tensor_and_hooks():
    p, seen = weights(), []
    optimizer = optim.SGD([p], lr=torch.tensor(1.0))
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("pre"))
    handle = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append("post"))
    optimizer.step()
    handle.remove()
    optimizer.step()
    assert seen == ["pre", "post", "pre"]
    assert p.tolist() == [0.0, -2.5]


def test_own_optimizer():
    class Halving(optim.Optimizer):
        def __init__(self, params, factor=0.5):
            super().__init__(params, {"factor": factor})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.mul_(group["factor"])
                    self.state[p]["seen"] = True

    p = weights()
    optimizer = Halving([p])
    optimizer.step()
    assert p.tolist() == [0.5, -1.0]
    assert optimizer.state_dict()["state"] == {0: {"seen": True}}


def test_scheduler_order_warning_and_state():
    p = weights()
    optimizer = optim.SGD([p], lr=1.0)
    scheduler = optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    with pytest.warns(UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before"):
        scheduler.step()
    state = scheduler.state_dict()
    assert state["last_epoch"] == 1 and "optimizer" not in state
    other = optim.lr_scheduler.ExponentialLR(optim.SGD([weights()], lr=1.0), 0.5)
    other.load_state_dict(state)
    assert other.get_last_lr() == [0.5]


def test_schedules_with_several_groups():
    p, q = weights(), weights()
    optimizer = optim.SGD([{"params": [p], "lr": 1.0}, {"params": [q]}], lr=0.1)
    scheduler = optim.lr_scheduler.LambdaLR(optimizer, [lambda e: 0.5**e, lambda e: 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            optimizer.step()
            scheduler.step()
    assert scheduler.get_last_lr() == [0.125, 0.1]
    with pytest.raises(ValueError, match="Expected 2 lr_lambdas, but got 1"):
        optim.lr_scheduler.LambdaLR(optimizer, [lambda e: 1.0])


def test_bfloat16_parameters_stay_representable():
    p = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
    optimizer = optim.Adam([p], lr=0.01)
    for _ in range(2):
        p.grad = torch.full((3,), 0.3, dtype=torch.bfloat16)
        optimizer.step()
    assert p.tolist() == [0.9765625] * 3
    mean = optimizer.state[p]["exp_avg"]
    assert torch.equal(mean, mean.float().bfloat16())
