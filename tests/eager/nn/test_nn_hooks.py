"""Hooks on every module and optimizer, backends' switches, gradients of convolutions."""

from __future__ import annotations

import copy
import importlib

import pytest

import srcgrad.eager as torch
from srcgrad.eager import nn
from srcgrad.eager.nn.modules import module as everywhere
from srcgrad.eager.optim import optimizer as optimizers


def test_hooks_on_every_call_come_before_the_module_s_own():
    seen = []
    layer = nn.Linear(2, 2)
    handles = [
        everywhere.register_module_forward_pre_hook(lambda m, args: seen.append("every pre")),
        everywhere.register_module_forward_hook(
            lambda m, args, kwargs, out: seen.append("every after"), with_kwargs=True),
        everywhere.register_module_full_backward_pre_hook(
            lambda m, grad: seen.append("every backward pre")),
        everywhere.register_module_full_backward_hook(
            lambda m, grad_in, grad_out: seen.append("every backward")),
    ]
    layer.register_forward_pre_hook(lambda m, args: seen.append("own pre"))
    layer.register_forward_hook(lambda m, args, out: seen.append("own after"))
    layer.register_full_backward_hook(lambda m, grad_in, grad_out: seen.append("own backward"))
    x = torch.ones(1, 2, requires_grad=True)
    layer(x).sum().backward()
    assert seen == ["every pre", "own pre", "every after", "own after", "every backward pre",
                    "every backward", "own backward"]
    with pytest.raises(RuntimeError, match="Please use only one of them"):
        everywhere.register_module_backward_hook(print)
    for handle in handles:
        handle.remove()
    seen.clear()
    nn.Linear(2, 2)(x)
    assert seen == []


def test_registrations_may_be_replaced():
    other = nn.Parameter(torch.zeros(2, 2))
    with everywhere.register_module_parameter_registration_hook(
            lambda m, name, value: other if name == "weight" else None):
        assert nn.Linear(2, 2).weight is other
    with everywhere.register_module_module_registration_hook(
            lambda m, name, value: nn.Tanh()):
        assert repr(nn.Sequential(nn.ReLU())[0]) == "Tanh()"
    with everywhere.register_module_buffer_registration_hook(
            lambda m, name, value: value + 5):
        module = nn.Module()
        module.register_buffer("b", torch.zeros(1))
        assert module.b.tolist() == [5.0]


def test_old_backward_hooks_say_what_they_miss():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    model.register_backward_hook(lambda m, grad_in, grad_out: None)
    with pytest.warns(FutureWarning, match="the forward contains multiple autograd Nodes"):
        model(torch.ones(1, 2, requires_grad=True))


def test_hooks_on_every_optimizer_step():
    seen = []
    weight = nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    optimizer.register_step_pre_hook(lambda *_: seen.append("own pre"))
    optimizer.register_step_post_hook(lambda *_: seen.append("own post"))
    before = optimizers.register_optimizer_step_pre_hook(lambda *_: seen.append("pre"))
    after = optimizers.register_optimizer_step_post_hook(lambda *_: seen.append("post"))
    optimizer.step()
    before.remove()
    after.remove()
    optimizer.step()
    assert seen == ["pre", "own pre", "own post", "post", "own pre", "own post"]


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "NAdam", "RMSprop", "ASGD"])
def test_states_of_older_versions_load(name):
    def fitted(optimizer, steps):
        for _ in range(steps):
            optimizer.zero_grad()
            (weight * weight).sum().backward()
            optimizer.step()

    weight = nn.Parameter(torch.tensor([1.0, -2.0], dtype=torch.float64))
    optimizer = getattr(torch.optim, name)([weight], lr=0.01)
    fitted(optimizer, 2)
    start, state = weight.detach().clone(), copy.deepcopy(optimizer.state_dict())
    fitted(optimizer, 2)
    wanted = weight.detach().clone()
    for group in state["param_groups"]:
        for option in ("maximize", "foreach", "capturable", "decoupled_weight_decay"):
            group.pop(option, None)
    for own in state["state"].values():
        if "step" in own:
            own["step"] = own["step"].item()
    with torch.no_grad():
        weight.copy_(start)
    optimizer = getattr(torch.optim, name)([weight], lr=0.01)
    optimizer.load_state_dict(state)
    fitted(optimizer, 2)
    assert torch.allclose(weight.detach(), wanted, rtol=1e-6)


def test_switches_of_backends_are_set_and_restored():
    for name in ("cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"):
        backend = importlib.import_module(f"srcgrad.eager.backends.{name}")
        assert backend is getattr(torch.backends, name)
    with torch.backends.cudnn.flags(enabled=False, deterministic=True):
        assert not torch.backends.cudnn.enabled and torch.backends.cudnn.deterministic
    assert torch.backends.cudnn.enabled and not torch.backends.cudnn.deterministic
    assert not torch.backends.mkldnn.is_available() and not torch.cuda.is_tf32_supported()


@pytest.mark.parametrize("n", [1, 2, 3])
def test_gradients_of_convolutions_as_functions(n):
    torch.manual_seed(0)
    convolve = getattr(nn.functional, f"conv{n}d")
    x = torch.randn(2, 4, *(5,) * n, dtype=torch.float64, requires_grad=True)
    w = torch.randn(6, 2, *(3,) * n, dtype=torch.float64, requires_grad=True)
    y = convolve(x, w, None, 2, 1, 1, 2)
    ct = torch.randn(*y.shape, dtype=torch.float64)
    wanted = torch.autograd.grad(y, (x, w), ct)
    gradient = getattr(nn.grad, f"conv{n}d_input")
    assert torch.allclose(gradient(x.shape, w.detach(), ct, 2, 1, 1, 2), wanted[0])
    gradient = getattr(nn.grad, f"conv{n}d_weight")
    assert torch.allclose(gradient(x.detach(), w.shape, ct, 2, 1, 1, 2), wanted[1])


def test_a_batch_of_nothing_moves_no_statistics():
    layer = nn.BatchNorm2d(3)
    x = torch.ones(0, 3, 2, 2, requires_grad=True)
    layer(x).sum().backward()
    assert x.grad.shape == x.shape and layer.weight.grad.tolist() == [0, 0, 0]
    assert layer.running_mean.tolist() == [0, 0, 0] and layer.running_var.tolist() == [1, 1, 1]


def test_ignored_targets_give_no_gradient():
    x = torch.ones(2, 3, requires_grad=True)
    loss = nn.functional.cross_entropy(x, torch.tensor([1, 1]), ignore_index=1)
    loss.backward()
    assert loss.isnan() and not x.grad.any()


def test_powers_of_zero_and_of_negative_bases():
    b = torch.tensor([0.0, 2.0, -1.0], requires_grad=True)
    (0**b).sum().backward()
    assert b.grad.tolist() == [0, 0, -float("inf")]
    z = torch.tensor([0.5 + 0j, 2 + 0j], requires_grad=True)
    ((-2.0) ** z).abs().sum().backward()
    wanted = [0.98025812 - 4.44288302j, 2.77258873 - 12.56637096j]
    assert torch.allclose(z.grad, torch.tensor(wanted), rtol=1e-5)
