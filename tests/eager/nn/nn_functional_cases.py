"""Calls of `nn.functional` with their inputs: one line each, evaluated with any engine.

An expression may use ``torch``, ``F``, the differentiable inputs (``x``, ``y``, ``w`` ...) and
the constants below.  :func:`evaluate` gives the value, the gradients against a fixed random
cotangent, and the gradients of a fixed random combination of those (second order).
"""

import dataclasses
import importlib
import math

import numpy as np

KINKS = np.array([-7.0, -6, -4, -3, -2, -1, -0.5, -0.1, 0, 0.1, 0.5, 1, 2, 3, 4, 6, 7, 20, 25, -25])
_rng = np.random.RandomState(7)
CONSTANTS = {
    "t": _rng.uniform(0.05, 0.95, (4, 3)),
    "sg": np.sign(_rng.standard_normal((4, 3))),
    "sg4": np.sign(_rng.standard_normal(4)),
    "lab": np.array([0, 2, 1, 2]),
    "labi": np.array([0, -100, 1, 2]),
    "lab1": _rng.randint(0, 3, (4, 5)),
    "lab2": _rng.randint(0, 3, (4, 2, 5)),
    "mlab": np.array([[0, -1, -1], [0, 1, -1], [2, 1, 0], [-1, 0, 0]]),
    "w3": _rng.uniform(0.2, 2, 3),
    "i": np.array([[0, 2, 1], [2, 2, 0]]),
    "m4": np.array([0.1, 0.2, 0.3, 0.4]),
    "v4": np.array([1.0, 2, 0.5, 1]),
    "mask": _rng.standard_normal((4, 6)),
    "keep": _rng.random_sample((4, 6)) > 0.3,
}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    expression: str
    shapes: tuple
    second: bool = True
    node: bool = True


def _cases(shapes, expressions, **options):
    return [Case(name, text, tuple(shapes.items()), **options)
            for name, text in expressions.items()]


X = {"x": (3, 4)}
CASES = _cases({"x": "kinks"}, {
    "relu": "F.relu(x)", "leaky_relu": "F.leaky_relu(x)", "leaky_relu_slope": "F.leaky_relu(x, .3)",
    "elu": "F.elu(x, 1.3)", "selu": "F.selu(x)", "gelu": "F.gelu(x)",
    "gelu_tanh": "F.gelu(x, approximate='tanh')", "silu": "F.silu(x)", "mish": "F.mish(x)",
    "softplus": "F.softplus(x)", "softplus_beta": "F.softplus(x, 2., 3.)",
    "logsigmoid": "F.logsigmoid(x)", "hardtanh": "F.hardtanh(x)",
    "hardtanh_range": "F.hardtanh(x, -2, 3)", "relu6": "F.relu6(x)", "hardswish": "F.hardswish(x)",
    "hardsigmoid": "F.hardsigmoid(x)", "hardshrink": "F.hardshrink(x)",
    "softshrink": "F.softshrink(x)", "tanhshrink": "F.tanhshrink(x)", "softsign": "F.softsign(x)",
    "threshold": "F.threshold(x, .1, 2.)", "sigmoid": "F.sigmoid(x)", "tanh": "F.tanh(x)",
    "rrelu_eval": "F.rrelu(x)",
})
CASES += _cases({"x": (4, 6)}, {
    "celu": "F.celu(x, .5)", "glu": "F.glu(x)", "glu_first": "F.glu(x, 0)",
    "softmax": "F.softmax(x, 1)", "softmax_first": "F.softmax(x, 0)", "softmin": "F.softmin(x, 1)",
    "log_softmax": "F.log_softmax(x, -1)", "relu_inplace": "F.relu(x + 1, inplace=True)",
    "leaky_relu_inplace": "F.leaky_relu(x + 1, inplace=True)",
    "elu_inplace": "F.elu(x + 1, inplace=True)", "silu_inplace": "F.silu(x + 1, inplace=True)",
    "hardtanh_inplace": "F.hardtanh(x + 1, inplace=True)", "normalize": "F.normalize(x)",
    "pdist": "F.pdist(x)",
})
CASES += _cases({"x": (2, 3, 4), "w": (1,)}, {"prelu": "F.prelu(x, w)"})
CASES += _cases({"x": (2, 3, 4), "w": (3,)}, {"prelu_channels": "F.prelu(x, w)"})
for red in ("mean", "sum", "none"):
    R = f"reduction='{red}'"
    CASES += [dataclasses.replace(c, name=f"{c.name}_{red}") for c in [
        *_cases({"x": (4, 3), "y": (4, 3)}, {
            "mse_loss": f"F.mse_loss(x, y, {R})",
            "l1_loss": f"F.l1_loss(x, y, {R}) + 0 * x.sum()**2",
            "smooth_l1_loss": f"F.smooth_l1_loss(x, y, {R}, beta=.3)",
            "huber_loss": f"F.huber_loss(x, y, {R}, delta=.7)",
            "margin_ranking_loss": f"F.margin_ranking_loss(x, y, sg, margin=.2, {R})",
            "cosine_embedding_loss": f"F.cosine_embedding_loss(x, y, sg4, margin=.1, {R})",
            "kl_div_log": f"F.kl_div(x, y, {R}, log_target=True)",
        }, node=False),
        *_cases({"x": (4, 3)}, {
            "bce_with_logits": f"F.binary_cross_entropy_with_logits(x, t, {R})",
            "bce_with_logits_weights":
                f"F.binary_cross_entropy_with_logits(x, t, weight=w3, pos_weight=w3, {R})",
            "bce": f"F.binary_cross_entropy(torch.sigmoid(x), t, {R})",
            "soft_margin_loss": f"F.soft_margin_loss(x, sg, {R})",
            "multi_margin_loss": f"F.multi_margin_loss(x, lab, p=2, margin=.6, weight=w3, {R})",
            "multilabel_margin_loss": f"F.multilabel_margin_loss(x, mlab, {R})",
            "nll_loss": f"F.nll_loss(x, lab, {R})",
            "nll_loss_ignore": f"F.nll_loss(x, labi, weight=w3, {R})",
            "cross_entropy": f"F.cross_entropy(x, lab, {R})",
        }),
        *_cases({"x": (4, 3)}, {
            "multilabel_soft_margin_loss": f"F.multilabel_soft_margin_loss(x, t, {R})",
            "hinge_embedding_loss": f"F.hinge_embedding_loss(x, sg, {R})",
            "poisson_nll_loss": f"F.poisson_nll_loss(x, t, {R})",
            "poisson_nll_loss_full":
                f"F.poisson_nll_loss(x.exp(), t * 5, log_input=False, full=True, {R})",
            "gaussian_nll_loss": f"F.gaussian_nll_loss(x, t, t, full=True, {R})",
            "cross_entropy_ignore": f"F.cross_entropy(x, labi, weight=w3, {R})",
            "cross_entropy_probabilities":
                f"F.cross_entropy(x, t, weight=w3, label_smoothing=.1, {R})",
            "cross_entropy_smooth": f"F.cross_entropy(x, labi, label_smoothing=.1, {R})",
            "cross_entropy_smooth_weight":
                f"F.cross_entropy(x, labi, weight=w3, label_smoothing=.1, {R})",
            "kl_div": f"F.kl_div(x, t, {R})",
        }, node=False),
        *_cases({"x": (4, 3, 2, 5)}, {
            "nll_loss_image": f"F.nll_loss(x, lab2, weight=w3, {R})",
            "cross_entropy_image": f"F.cross_entropy(x, lab2, {R})"}),
        *_cases({"x": (4, 3, 5)}, {"nll_loss_line": f"F.nll_loss(x, lab1, {R})"}, node=False),
        *_cases({"x": (4, 3), "y": (4, 3), "z": (4, 3)}, {
            "triplet_margin_loss": f"F.triplet_margin_loss(x, y, z, swap=True, {R})"}, node=False),
    ]]
CASES += _cases({"x": (4, 3)}, {"kl_div_batchmean": "F.kl_div(x, t, reduction='batchmean')"})
CASES += _cases({"x": (4, 3), "y": (4, 3)}, {
    "pairwise_distance": "F.pairwise_distance(x, y)",
    "cosine_similarity": "F.cosine_similarity(x, y)",
}, node=False)
CASES += _cases({"x": (4, 3), "y": (4, 2), "w": (5, 3, 2), "b": (5,)}, {
    "bilinear": "F.bilinear(x, y, w, b)"}, node=False)
CASES += _cases({"x": (2, 4, 5, 4), "w": (6, 4, 3, 2), "b": (6,)}, {
    "conv2d": "F.conv2d(x, w, b)", "conv2d_stride": "F.conv2d(x, w, b, stride=2, padding=1)",
    "conv2d_dilation": "F.conv2d(x, w, b, dilation=(2, 1), padding=(2, 1), stride=(1, 2))",
    "conv2d_unbatched": "F.conv2d(x[0], w, b)",
})
CASES += _cases({"x": (2, 4, 5, 4), "w": (6, 2, 3, 3), "b": (6,)}, {
    "conv2d_groups": "F.conv2d(x, w, b, groups=2, padding=1)"})
CASES += _cases({"x": (2, 2, 5, 4), "w": (3, 2, 4, 3)}, {
    "conv2d_same": "F.conv2d(x, w, padding='same')",
    "conv2d_valid": "F.conv2d(x, w, padding='valid')"})
CASES += _cases({"x": (2, 3, 9), "w": (5, 3, 3), "b": (5,)}, {
    "conv1d": "F.conv1d(x, w, b, stride=2, padding=2, dilation=2)"})
CASES += _cases({"x": (1, 2, 4, 3, 3), "w": (2, 2, 3, 2, 2)}, {
    "conv3d": "F.conv3d(x, w, padding=1)"})
CASES += _cases({"x": (2, 3, 4), "w": (3, 4, 3), "b": (4,)}, {
    "conv_transpose1d": "F.conv_transpose1d(x, w, b, stride=2, padding=1, output_padding=1)"})
CASES += _cases({"x": (1, 4, 3, 4), "w": (4, 3, 3, 2), "b": (6,)}, {
    "conv_transpose2d": "F.conv_transpose2d(x, w, b, groups=2, stride=(2, 1), padding=1)"})
CASES += _cases({"x": (1, 4, 7, 6)}, {
    "max_pool2d": "F.max_pool2d(x, 2)", "max_pool2d_overlap": "F.max_pool2d(x, 3, 2, padding=1)",
    "max_pool2d_dilation": "F.max_pool2d(x, 2, stride=1, dilation=2)",
    "max_pool2d_ceil": "F.max_pool2d(x, 3, stride=2, ceil_mode=True)",
    "avg_pool2d": "F.avg_pool2d(x, 3, stride=2, padding=1)",
    "avg_pool2d_inside": "F.avg_pool2d(x, 3, 2, padding=1, count_include_pad=False)",
    "avg_pool2d_ceil": "F.avg_pool2d(x, 3, stride=2, ceil_mode=True)",
    "avg_pool2d_divisor": "F.avg_pool2d(x, 2, divisor_override=3)",
    "adaptive_avg_pool2d": "F.adaptive_avg_pool2d(x, (3, 4))",
    "adaptive_avg_pool2d_one": "F.adaptive_avg_pool2d(x, 1)",
    "adaptive_max_pool2d": "F.adaptive_max_pool2d(x, (3, 2))",
    "unfold": "F.unfold(x, (2, 3), padding=1, stride=2)", "pixel_shuffle": "F.pixel_shuffle(x, 2)",
    "pixel_unshuffle": "F.pixel_unshuffle(x[:, :, :6], 2)",
    "pad": "F.pad(x, (1, 2, 0, 1), value=2.)", "pad_crop": "F.pad(x, (-1, 2))",
    "pad_reflect": "F.pad(x, (2, 1, 1, 3), mode='reflect')",
    "pad_replicate": "F.pad(x, (2, 1, 1, 3), mode='replicate')",
    "interpolate_nearest": "F.interpolate(x, scale_factor=1.7)",
    "interpolate_exact": "F.interpolate(x, size=(3, 9), mode='nearest-exact')",
    "interpolate_bilinear": "F.interpolate(x, size=(4, 9), mode='bilinear')",
    "interpolate_corners": "F.interpolate(x, size=(4, 9), mode='bilinear', align_corners=True)",
    "interpolate_bicubic": "F.interpolate(x, size=(4, 9), mode='bicubic')",
    "interpolate_area": "F.interpolate(x, size=(4, 3), mode='area')",
    "group_norm": "F.group_norm(x, 2)", "instance_norm": "F.instance_norm(x)",
    "batch_norm": "F.batch_norm(x, None, None, training=True)",
    "layer_norm": "F.layer_norm(x, (7, 6))",
})
CASES += _cases({"x": (1, 4, 5, 3)}, {
    "pad_circular": "F.pad(x, (2, 1, 1, 3), mode='circular')",
    "local_response_norm": "F.local_response_norm(x, 3)", "rms_norm": "F.rms_norm(x, (3,))",
    "lp_pool2d": "F.lp_pool2d(x.exp(), 2, 2)"}, node=False)
CASES += _cases({"x": (2, 3, 9)}, {
    "max_pool1d": "F.max_pool1d(x, 3, 2)", "avg_pool1d": "F.avg_pool1d(x, 3, 2, padding=1)",
    "adaptive_avg_pool1d": "F.adaptive_avg_pool1d(x, 4)",
    "adaptive_max_pool1d": "F.adaptive_max_pool1d(x, 4)",
    "interpolate_linear": "F.interpolate(x, size=5, mode='linear')",
    "pad_reflect_line": "F.pad(x, (3, 2), mode='reflect')",
})
CASES += _cases({"x": (1, 2, 4, 3, 4)}, {
    "max_pool3d": "F.max_pool3d(x, 2)", "avg_pool3d": "F.avg_pool3d(x, 2)",
    "interpolate_trilinear": "F.interpolate(x, size=(3, 5, 2), mode='trilinear')"})
CASES += _cases({"x": (1, 24, 12)}, {"fold": "F.fold(x, (7, 6), (2, 3), padding=1, stride=2)"})
CASES += _cases({"x": (3, 4, 5), "w": (4,), "b": (4,)}, {
    "batch_norm_affine": "F.batch_norm(x, None, None, w, b, True)",
    "batch_norm_eval": "F.batch_norm(x, m4, v4, w, b)",
    "group_norm_affine": "F.group_norm(x, 2, w, b)",
    "instance_norm_affine": "F.instance_norm(x, weight=w, bias=b)"})
CASES += _cases({"x": (3, 4, 5), "w": (5,), "b": (5,)}, {
    "layer_norm_affine": "F.layer_norm(x, (5,), w, b)"})
CASES += _cases({"w": (4, 3)}, {
    "embedding": "F.embedding(i, w)", "embedding_padding": "F.embedding(i, w, padding_idx=2)"})
CASES += _cases({"w": (4, 3)}, {
    "embedding_frequency": "F.embedding(i, w, padding_idx=-1, scale_grad_by_freq=True)",
    **{f"embedding_bag_{m}": f"F.embedding_bag(i, w, mode='{m}')" for m in ("sum", "mean", "max")},
}, second=False, node=False)
CASES += _cases({"x": (4, 3), "w": (5, 3), "b": (5,)}, {
    "linear": "F.linear(x, w, b)", "linear_no_bias": "F.linear(x, w) + 0 * b",
    "linear_vector": "F.linear(x[0], w, b)"}, node=False)
CASES += _cases({"x": (2, 4, 3), "w": (5, 3), "b": (5,)}, {"linear_batch": "F.linear(x, w, b)"})
CASES += _cases({"x": (2, 3, 4, 5), "y": (2, 3, 6, 5), "z": (2, 3, 6, 5)}, {
    "attention": "F.scaled_dot_product_attention(x, y, z)",
    "attention_mask": "F.scaled_dot_product_attention(x, y, z, attn_mask=mask)",
    "attention_causal": "F.scaled_dot_product_attention(x, y, z, is_causal=True)",
    "attention_keep": "F.scaled_dot_product_attention(x, y, z, attn_mask=keep)",
    "attention_scale": "F.scaled_dot_product_attention(x, y, z, scale=.3)",
})


# PyTorch has no second derivative of these.
ONCE = ("hardsigmoid", "pdist", "multi_margin_loss", "multilabel_margin_loss", "attention")
CASES = [dataclasses.replace(c, second=False, node=c.node and c.name != "pdist")
         if c.name.startswith(ONCE) else c for c in CASES]


def _inputs(torch, case, dtype):
    rng = np.random.RandomState(len(case.expression) + 3)
    leaves = {}
    for name, shape in case.shapes:
        values = KINKS if shape == "kinks" else rng.standard_normal(shape)
        leaves[name] = torch.tensor(values.tolist(), dtype=dtype, requires_grad=True)
    scope = {"torch": torch, "F": torch.nn.functional, **leaves}
    for name, values in CONSTANTS.items():
        kind = dtype if values.dtype.kind == "f" else None
        scope[name] = torch.tensor(values.tolist(), dtype=kind)
    return leaves, scope


def _random_like(torch, rng, t):
    values = rng.standard_normal(math.prod(t.shape)).reshape(tuple(t.shape))
    return torch.tensor(values.tolist(), dtype=t.dtype)


def evaluate(torch, case, dtype=None):
    """``{"out": ..., "d_x": ..., "dd_x": ...}`` as arrays; zeros stand for absent gradients."""
    dtype = torch.float64 if dtype is None else dtype
    leaves, scope = _inputs(torch, case, dtype)
    out = eval(case.expression, scope)
    rng = np.random.RandomState(5)
    grads = torch.autograd.grad(out, list(leaves.values()), _random_like(torch, rng, out),
                                create_graph=case.second, allow_unused=True)
    result = {"out": out.detach()}
    result.update({f"d_{n}": g.detach() for n, g in zip(leaves, grads) if g is not None})
    if case.second:
        mixed = [(g * _random_like(torch, rng, g)).sum() for g in grads
                 if g is not None and g.requires_grad]
        if mixed:
            again = torch.autograd.grad(sum(mixed), list(leaves.values()), allow_unused=True)
            for (name, leaf), g in zip(leaves.items(), again):
                result[f"dd_{name}"] = torch.zeros_like(leaf).detach() if g is None else g.detach()
        else:
            result.update({f"dd_{n}": torch.zeros_like(t).detach() for n, t in leaves.items()})
    return {key: (value + 0).numpy() for key, value in result.items()}


def node_name(torch, case):
    """The type name of the result's ``grad_fn``, or None where the case does not fix it."""
    if not case.node:
        return None
    importlib.import_module(f"{torch.__name__}.nn.functional")
    _, scope = _inputs(torch, case, torch.float64)
    return type(eval(case.expression, scope).grad_fn).__name__
