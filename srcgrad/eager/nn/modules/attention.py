"""Multi-head attention and Transformer layers."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

from ... import basis as torch
from ...calling_errors import refuse
from .. import functional as F
from .. import init
from ..containers import ModuleList
from ..functional.attention import multi_head_attention_forward
from ..module import Module
from ..options import Layer
from .dropout import Dropout
from .linear import Linear, NonDynamicallyQuantizableLinear
from .normalization import LayerNorm


class MultiheadAttention(Layer):
    """Attention with ``num_heads`` heads and learned projections (Vaswani et al. 2017).

    ``forward(query, key, value)`` takes ``(L, N, E)`` (or ``(N, L, E)`` with ``batch_first``,
    or ``(L, E)``) and returns the output and the averaged weights.
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
                 add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
                 vdim: int | None = None, batch_first: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        refuse(embed_dim <= 0 or num_heads <= 0, "embed_dim and num_heads must be greater than 0, "
               "got embed_dim={} and num_heads={} instead", embed_dim, num_heads, kind=ValueError)
        widths = {"q": embed_dim, "k": embed_dim if kdim is None else kdim,
                  "v": embed_dim if vdim is None else vdim}
        same = set(widths.values()) == {embed_dim}
        self._keep(embed_dim=embed_dim, kdim=widths["k"], vdim=widths["v"], num_heads=num_heads,
                   dropout=dropout, batch_first=batch_first, head_dim=embed_dim // num_heads,
                   add_zero_attn=add_zero_attn, _qkv_same_embed_dim=same)
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._register((3 * embed_dim, embed_dim), device, dtype, in_proj_weight=same)
        for part, width in widths.items():
            self._register((embed_dim, width), device, dtype, **{f"{part}_proj_weight": not same})
        self._register(3 * embed_dim, device, dtype, in_proj_bias=bias)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias,
                                                        dtype=dtype)
        if add_bias_kv:
            self._register((1, 1, embed_dim), device, dtype, bias_k=True, bias_v=True)
        else:
            self.bias_k = self.bias_v = None
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight,
                       self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(self, query: Any, key: Any, value: Any, key_padding_mask: Any = None,
                need_weights: bool = True, attn_mask: Any = None, average_attn_weights: bool = True,
                is_causal: bool = False) -> tuple[Any, Any]:
        swap = self.batch_first and query.dim() == 3
        if swap:
            # one transposed tensor per distinct input, so that self-attention is recognised
            same_kv, same_qk = key is value, query is key
            query = query.transpose(1, 0)
            key = query if same_qk else key.transpose(1, 0)
            value = key if same_kv else value.transpose(1, 0)
        out, weights = multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
            self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
            self.out_proj.weight, self.out_proj.bias, training=self.training,
            key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim, q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight, v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal)
        return (out.transpose(1, 0) if swap else out), weights


def _activation(activation: Any) -> Callable[[Any], Any]:
    if not isinstance(activation, str):
        return activation  # type: ignore[no-any-return]
    refuse(activation not in ("relu", "gelu"), "activation should be relu/gelu, not {}", activation)
    return getattr(F, activation)  # type: ignore[no-any-return]


def _is_causal(layers: ModuleList, x: Any, mask: Any, is_causal: bool | None) -> bool:
    """The causal hint, or whether the mask says the same."""
    if mask is None or is_causal is not None:
        return bool(is_causal)
    batch_first = getattr(getattr(layers[0], "self_attn", None), "batch_first", False)
    size = x.size(1 if batch_first and x.dim() == 3 else 0)
    causal = Transformer.generate_square_subsequent_mask(size, dtype=mask.dtype)
    return bool(mask.size() == causal.size() and (mask == causal).all())


class _Layer(Module):
    """Attentions by name, then a feed-forward network, each with a dropout and a norm."""

    _attentions: tuple[str, ...]

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: Any = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        for name in self._attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout=dropout, bias=bias,
                                                   batch_first=batch_first, dtype=dtype))
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        places = range(1, len(self._attentions) + 2)
        for place in places:
            setattr(self, f"norm{place}",
                    LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype))
        for place in places:
            setattr(self, f"dropout{place}", Dropout(dropout))
        self.activation = _activation(activation)

    def _attend(self, place: int, x: Any, memory: Any, mask: Any, padding: Any,
                is_causal: bool) -> Any:
        attention = getattr(self, self._attentions[place - 1])
        out, _ = attention(x, memory, memory, attn_mask=mask, key_padding_mask=padding,
                           is_causal=is_causal, need_weights=False)
        return getattr(self, f"dropout{place}")(out)

    def _sa_block(self, x: Any, mask: Any, padding: Any, is_causal: bool) -> Any:
        return self._attend(1, x, x, mask, padding, is_causal)

    def _ff_block(self, x: Any) -> Any:
        last = getattr(self, f"dropout{len(self._attentions) + 1}")
        return last(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network, each with a residual and a norm."""

    _attentions = ("self_attn",)

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None,
                is_causal: bool = False) -> Any:
        options = (src_mask, src_key_padding_mask, is_causal)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *options)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, *options))
        return self.norm2(x + self._ff_block(x))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output, and a feed-forward network."""

    _attentions = ("self_attn", "multihead_attn")

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
                tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
                tgt_is_causal: bool = False, memory_is_causal: bool = False) -> Any:
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _mha_block(self, x: Any, memory: Any, mask: Any, padding: Any, is_causal: bool) -> Any:
        return self._attend(2, x, memory, mask, padding, is_causal)


class _Stack(Module):
    """Copies of one layer, and a norm after the last."""

    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers = num_layers
        self.norm = norm


def _no_nested(layer: Any) -> str:
    """Why an encoder layer does not allow PyTorch's nested tensors (there are none here, but
    programs see the warning)."""
    name = "encoder_layer"
    if not isinstance(layer, TransformerEncoderLayer):
        return f"{name} was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = (
        (layer.norm_first, f"{name}.norm_first was True"),
        (not attention.batch_first, f"{name}.self_attn.batch_first was not True"
         "(use batch_first for better inference performance)"),
        (attention.in_proj_bias is None, f"{name}.self_attn was passed bias=False"),
        (layer.activation not in (F.relu, F.gelu), f"{name}.activation_relu_or_gelu was not True"),
        (layer.norm1.eps != layer.norm2.eps,
         f"{name}.norm1.eps was not equal to {name}.norm2.eps"),
        (attention.num_heads % 2 == 1, f"{name}.self_attn.num_heads is odd"),
    )
    return next((reason for holds, reason in reasons if holds), "")


class TransformerEncoder(_Stack):
    """A stack of copies of an encoder layer."""

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None,
                 enable_nested_tensor: bool = True, mask_check: bool = True) -> None:
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _no_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warnings.warn("enable_nested_tensor is True, but self.use_nested_tensor is False "
                          f"because {reason}", stacklevel=2)

    def forward(self, src: Any, mask: Any = None, src_key_padding_mask: Any = None,
                is_causal: bool | None = None) -> Any:
        causal = _is_causal(self.layers, src, mask, is_causal)
        for layer in self.layers:
            src = layer(src, src_mask=mask, is_causal=causal,
                        src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(_Stack):
    """A stack of copies of a decoder layer."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None,
                tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
                tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Any:
        causal = _is_causal(self.layers, tgt, tgt_mask, tgt_is_causal)
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                        tgt_key_padding_mask=tgt_key_padding_mask,
                        memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=causal,
                        memory_is_causal=memory_is_causal)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """An encoder and a decoder."""

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6,
                 num_decoder_layers: int = 6, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: Any = F.relu, custom_encoder: Any = None, custom_decoder: Any = None,
                 layer_norm_eps: float = 1e-5, batch_first: bool = False, norm_first: bool = False,
                 bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        layer = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps,
                 batch_first, norm_first, bias)

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)

        self.encoder = custom_encoder if custom_encoder is not None else TransformerEncoder(
            TransformerEncoderLayer(*layer, dtype=dtype), num_encoder_layers, norm())
        self.decoder = custom_decoder if custom_decoder is not None else TransformerDecoder(
            TransformerDecoderLayer(*layer, dtype=dtype), num_decoder_layers, norm())
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None,
                memory_mask: Any = None, src_key_padding_mask: Any = None,
                tgt_key_padding_mask: Any = None, memory_key_padding_mask: Any = None,
                src_is_causal: bool | None = None, tgt_is_causal: bool | None = None,
                memory_is_causal: bool = False) -> Any:
        batch = 0 if self.batch_first else 1
        if src.size(batch) != tgt.size(batch) and src.dim() == 3:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask,
                              is_causal=src_is_causal)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask,
                            tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """``-inf`` above the diagonal, 0 elsewhere."""
        return torch.triu(torch.full((sz, sz), float("-inf"), dtype=dtype), diagonal=1)
