"""Layers against PyTorch's text, state and initial values; Module's own machinery."""

import copy
import gc
import json
import pathlib
import pickle
import warnings
import weakref
from collections import OrderedDict

import pytest
from nn_module_cases import CONSTRUCTORS, RUNS, describe, run

import srcgrad.eager as torch
from srcgrad.eager import nn

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
REFERENCE = json.loads((DATA / "modules.json").read_text())
RUN_REFERENCE = json.loads((DATA / "module_runs.json").read_text())


@pytest.mark.parametrize("text", CONSTRUCTORS)
def test_text_state_and_initial_values(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, expected = describe(torch, text), REFERENCE[text]
    assert got["repr"] == expected["repr"]
    assert got["versions"] == expected["versions"]
    assert [entry[:2] for entry in got["state"]] == [entry[:2] for entry in expected["state"]]
    for (key, _, value), (_, _, wanted) in zip(got["state"], expected["state"]):
        assert value == pytest.approx(wanted, rel=1e-6), key


@pytest.mark.parametrize("layer, call, shapes", RUNS)
def test_calls_with_state_and_randomness(layer, call, shapes):
    got = run(torch, layer, call, shapes)
    expected = RUN_REFERENCE[f"{layer}: {call} {shapes}"]
    assert got == pytest.approx(expected, rel=2e-4, abs=1e-5)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 3)
        self.scale = nn.Parameter(torch.ones(()))
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)
        self.parts = nn.ModuleList([nn.ReLU(), nn.Linear(3, 1)])

    def forward(self, x):
        for part in self.parts:
            x = part(self.a(x)) if part is self.parts[0] else part(x)
        return x * self.scale


def test_names_of_members():
    net = Net()
    assert [n for n, _ in net.named_parameters()] == [
        "scale", "a.weight", "a.bias", "parts.1.weight", "parts.1.bias"]
    assert [n for n, _ in net.named_buffers()] == ["count", "scratch"]
    assert [n for n, _ in net.named_modules()] == ["", "a", "parts", "parts.0", "parts.1"]
    assert list(net.state_dict()) == [
        "scale", "count", "a.weight", "a.bias", "parts.1.weight", "parts.1.bias"]
    assert net.get_parameter("parts.1.bias") is net.parts[1].bias
    assert net.get_submodule("parts.0") is net.parts[0]


def test_shared_parameters_are_listed_once():
    net = Net()
    net.tied = net.a
    assert len(list(net.parameters())) == 5
    assert len(net.state_dict()) == 8


def error_of(call):
    with pytest.raises(Exception) as caught:
        call()
    return type(caught.value), str(caught.value)


def test_loading_messages():
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    state = net.state_dict()
    state["extra"] = torch.ones(1)
    del state["1.bias"]
    state["0.weight"] = torch.ones(5, 5)
    kind, text = error_of(lambda: net.load_state_dict(state))
    assert kind is RuntimeError
    assert text == (
        'Error(s) in loading state_dict for Sequential:\n\tMissing key(s) in state_dict: "1.bias". '
        '\n\tUnexpected key(s) in state_dict: "extra". '
        "\n\tsize mismatch for 0.weight: copying a param with shape torch.Size([5, 5]) from "
        "checkpoint, the shape in current model is torch.Size([3, 2])."
    )
    state["0.weight"] = torch.ones(3, 2)
    keys = net.load_state_dict(state, strict=False)
    assert keys.missing_keys == ["1.bias"] and keys.unexpected_keys == ["extra"]
    assert net[0].weight.sum().item() == 6
    assert repr(net.load_state_dict(net.state_dict())) == "<All keys matched successfully>"


@pytest.mark.parametrize("call, kind, text", [
    (lambda m: setattr(m, "scale", torch.ones(1)), TypeError,
     "cannot assign 'torch.FloatTensor' as parameter 'scale' "
     "(torch.nn.Parameter or None expected)"),
    (lambda m: setattr(m, "a", 3), TypeError,
     "cannot assign 'int' as child module 'a' (torch.nn.Module or None expected)"),
    (lambda m: m.register_parameter("x.y", None), KeyError, "parameter name can't contain \".\""),
    (lambda m: m.register_buffer("forward", torch.ones(1)), KeyError,
     "attribute 'forward' already exists"),
    (lambda m: m.add_module("b", 3), TypeError, "int is not a Module subclass"),
    (lambda m: m.missing, AttributeError, "'Net' object has no attribute 'missing'"),
    (lambda m: m.train("yes"), ValueError, "training mode is expected to be boolean"),
    (lambda m: m.load_state_dict(3), TypeError,
     "Expected state_dict to be dict-like, got <class 'int'>."),
    (lambda m: m.to(torch.int64), TypeError,
     "nn.Module.to only accepts floating point or complex dtypes, but got desired "
     "dtype=torch.int64"),
    (lambda m: nn.Module()(1), NotImplementedError,
     'Module [Module] is missing the required "forward" function'),
])
def test_messages(call, kind, text):
    got, message = error_of(lambda: call(Net()))
    assert got is kind
    assert text in message.replace('\\"', '"').replace("\\'", "'")


def test_assignment_before_init_is_refused():
    class Early(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)
            super().__init__()

    assert error_of(Early) == (
        AttributeError, "cannot assign module before Module.__init__() call")


def test_conversion_keeps_parameters_and_casts_gradients():
    net = Net()
    weight = net.a.weight
    net(torch.ones(1, 2)).sum().backward()
    net.double()
    assert net.a.weight is weight and weight.dtype == torch.float64
    assert weight.grad.dtype == torch.float64
    assert net.count.dtype == torch.float64
    net.to(torch.float32)
    assert weight.dtype == torch.float32


def test_zero_grad_and_requires_grad():
    net = Net()
    net(torch.ones(1, 2)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert net.a.weight.grad.abs().sum().item() == 0
    net.zero_grad()
    assert net.a.weight.grad is None
    assert not any(p.requires_grad for p in net.requires_grad_(False).parameters())


def test_hooks_run_in_order_and_can_replace():
    layer, seen = nn.Linear(2, 2), []
    layer.register_forward_pre_hook(lambda m, args: seen.append("pre"))
    layer.register_forward_hook(lambda m, args, out: seen.append("post") or out * 2)
    layer.register_forward_hook(lambda m, args, kwargs, out: seen.append(sorted(kwargs)),
                                with_kwargs=True)
    handle = layer.register_forward_pre_hook(lambda m, args: seen.append("first"), prepend=True)
    x = torch.ones(1, 2)
    assert torch.equal(layer(x), 2 * nn.functional.linear(x, layer.weight, layer.bias))
    assert seen == ["first", "pre", "post", []]
    handle.remove()
    layer(x)
    assert seen[4:] == ["pre", "post", []]


def test_full_backward_hooks():
    layer, seen = nn.Linear(2, 2), []
    layer.register_full_backward_pre_hook(lambda m, gout: seen.append("pre"))
    layer.register_full_backward_hook(
        lambda m, gin, gout: seen.append((tuple(gin[0].shape), tuple(gout[0].shape))) or
        (gin[0] * 0,))
    x = torch.ones(3, 2, requires_grad=True)
    out = layer(x)
    assert type(out.grad_fn).__name__ == "BackwardHookFunctionBackward"
    out.sum().backward()
    assert seen == ["pre", ((3, 2), (3, 2))]
    assert x.grad.abs().sum().item() == 0
    assert layer.weight.grad.abs().sum().item() > 0


def test_state_dict_hooks_and_extra_state():
    class Extra(nn.Linear):
        note = "start"

        def get_extra_state(self):
            return {"note": self.note}

        def set_extra_state(self, state):
            self.note = state["note"]

    layer = Extra(1, 1)
    layer.note = "kept"
    state = layer.state_dict()
    assert list(state) == ["weight", "bias", "_extra_state"]
    other = Extra(1, 1)
    other.load_state_dict(state)
    assert other.note == "kept"
    layer.register_state_dict_post_hook(lambda m, s, prefix, meta: s.pop("bias") and None)
    assert "bias" not in layer.state_dict()


def test_copies_are_independent_and_pickles_load():
    net = Net()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert repr(other) == repr(net)
        assert torch.equal(other.a.weight, net.a.weight)
        with torch.no_grad():
            other.a.weight.add_(1)
        assert not torch.equal(other.a.weight, net.a.weight)
        assert isinstance(other.a.weight, nn.Parameter)


def test_containers():
    seq = nn.Sequential(OrderedDict(one=nn.Linear(1, 2), two=nn.ReLU()))
    assert [n for n, _ in seq.named_children()] == ["one", "two"]
    assert repr(seq[:1]) == (
        "Sequential(\n  (one): Linear(in_features=1, out_features=2, bias=True)\n)")
    plain = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    del plain[1]
    assert [n for n, _ in plain.named_children()] == ["0", "1"]
    plain.insert(1, nn.GELU()).append(nn.Identity())
    assert [type(m).__name__ for m in plain] == ["ReLU", "GELU", "Sigmoid", "Identity"]
    assert len(plain + plain) == 8 and len(plain * 2) == 8
    modules = nn.ModuleList([nn.ReLU()])
    modules.extend([nn.Tanh(), nn.Tanh()])
    assert modules.pop(0).__class__ is nn.ReLU and len(modules) == 2
    table = nn.ModuleDict([["a", nn.ReLU()], ["b", nn.Tanh()]])
    assert list(table) == ["a", "b"] and "a" in table and len(table) == 2
    weights = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1))])
    assert all(isinstance(w, nn.Parameter) for w in weights)
    assert [n for n, _ in weights.named_parameters()] == ["0", "1"]
    named = nn.ParameterDict({"w": torch.ones(1)})
    assert named["w"].requires_grad and "w" in named


def test_parameter():
    data = torch.ones(2)
    p = nn.Parameter(data)
    assert repr(p) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    assert p.is_leaf and p.grad_fn is None and isinstance(p, torch.Tensor)
    with torch.no_grad():
        p[0] = 5
    assert data[0].item() == 5
    assert type(p * 2) is torch.Tensor
    assert not nn.Parameter(data, requires_grad=False).requires_grad


def test_modules_are_freed_without_the_collector():
    gc.disable()
    try:
        net = Net()
        net(torch.ones(1, 2)).sum().backward()
        reference = weakref.ref(net.a.weight)
        del net
        assert reference() is None
    finally:
        gc.enable()


def test_functional_call_uses_given_parameters():
    net = Net()
    zeros = {name: torch.zeros_like(p) for name, p in net.named_parameters()}
    assert torch.func.functional_call(net, zeros, (torch.ones(1, 2),)).item() == 0
    assert net(torch.ones(1, 2)).item() != 0


def test_initialisers():
    w = torch.empty(4, 6)
    assert nn.init.constant_(w, 2.0) is w and w.sum().item() == 48
    nn.init.eye_(w)
    assert w.sum().item() == 4
    nn.init.orthogonal_(w)
    assert torch.allclose(w @ w.t(), torch.eye(4), atol=1e-5)
    assert nn.init.calculate_gain("leaky_relu", 0.2) == pytest.approx(1.3867504905630728)
    assert error_of(lambda: nn.init.xavier_uniform_(torch.empty(3)))[1] == (
        "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    p = nn.Parameter(torch.empty(3, 3))
    nn.init.kaiming_normal_(p)
    assert p.requires_grad and p.grad_fn is None


def test_gradient_tools():
    p, q = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(2))
    p.grad, q.grad = torch.full((3,), 3.0), torch.full((2,), 4.0)
    norm = nn.utils.clip_grad_norm_([p, q], 1.0)
    assert norm.item() == pytest.approx(59**0.5)
    total = (p.grad.pow(2).sum() + q.grad.pow(2).sum()).sqrt().item()
    assert total == pytest.approx(1.0, rel=1e-5)
    nn.utils.clip_grad_value_([p, q], 0.1)
    assert max(p.grad.max().item(), q.grad.max().item()) == pytest.approx(0.1)
    vector = nn.utils.parameters_to_vector([p, q])
    nn.utils.vector_to_parameters(vector * 0 + torch.arange(5.0), [p, q])
    assert p.tolist() == [0, 1, 2] and q.tolist() == [3, 4]


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_packed_sequences_agree_with_each_sequence_alone(kind, bidirectional):
    rnn = nn.utils.rnn
    torch.manual_seed(0)
    layer = getattr(nn, kind)(3, 4, num_layers=2, bidirectional=bidirectional)
    parts = [torch.randn(n, 3) for n in (2, 5, 3)]
    packed = rnn.pack_sequence(parts, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [3, 3, 2, 1, 1]
    out, state = layer(packed)
    padded, lengths = rnn.pad_packed_sequence(out)
    assert lengths.tolist() == [2, 5, 3]
    last = state[0] if kind == "LSTM" else state
    for i, part in enumerate(parts):
        alone, own = layer(part)
        assert torch.allclose(padded[:len(part), i], alone, atol=1e-6)
        assert torch.allclose(last[:, i], own[0] if kind == "LSTM" else own, atol=1e-6)
    assert rnn.pad_sequence(parts).shape == (5, 3, 3)
    assert [s.shape[0] for s in rnn.unpack_sequence(packed)] == [2, 5, 3]


def test_state_is_a_plain_ordered_dictionary():
    state = nn.Linear(1, 1).state_dict()
    assert type(state) is OrderedDict
    assert pickle.loads(pickle.dumps(state))._metadata == {"": {"version": 1}}
