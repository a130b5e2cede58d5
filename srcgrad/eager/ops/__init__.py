"""The operations: `torch.<name>`, `Tensor.<name>`, in-place and ``out=`` forms.

How an operation is declared
============================
Derivatives come from the rule book (:mod:`srcgrad.rules`); an operation gives a function of the
book PyTorch's name, signature, promotion and node name.  There are four declarations, all in
:mod:`srcgrad.eager.dispatch` and :mod:`srcgrad.eager.primitive`.

1. One tensor, elementwise::

       unary("exp", np.exp)                              # ExpBackward0; exp_, out=, method
       unary("arcsin", ..., node="AsinBackward0", aliases=("asin",))
       unary("floor", np.floor, floats=False)            # integers stay integers

   Integers are computed in the default dtype unless ``floats=False``.

2. Two operands, elementwise, with promotion and broadcasting::

       binary("mul", np.multiply, dunder="mul", aliases=("multiply",))
       binary("atan2", np.arctan2, kind="floating", node="Atan2Backward0")
       binary("eq", np.equal, kind="comparison", dunder="eq")

   ``dunder`` makes ``__mul__``, ``__rmul__`` and ``__imul__`` too.

3. Everything else: a :class:`~srcgrad.eager.primitive.Primitive` and a plain function with
   PyTorch's own signature.  The signature *is* Python's: names, defaults, keyword-only marks::

       _cumsum = Primitive(np.cumsum, "CumsumBackward0", shown={"axis": "dim"})

       @op(inplace=True)                               # torch.cumsum, Tensor.cumsum, cumsum_, out=
       def cumsum(input, dim, *, dtype=None):
           t = reduced_input(input, dtype)               # integers sum in int64
           return _cumsum(t, axis=wrap_dim(dim, t))

   The first parameter is called ``input`` (it becomes ``self`` of the method).  ``op`` takes
   ``name=`` (for names that are Python keywords or builtins; a trailing underscore of the
   function's name is dropped), ``aliases=``, ``inplace=``, ``out=False`` (no ``out=`` keyword),
   ``torch=False`` (method only), ``method=False`` (function only).  NumPy spellings (``axis``,
   ``keepdims``) and PyTorch's errors for missing, surplus and mistyped arguments come by
   themselves.  In-place forms and ``out=`` are generated from the same function: the value is
   computed, checked (dtype, shape, leaf, view, overlap) and stored, and history rebased.

   A primitive is called with tensors in the places of the rule's inputs, positionally in the
   order of the rule's own signature (NumPy's), settings by keyword.  Sequences of tensors
   (``np.concatenate``) are passed as lists.  It computes ``primal`` (default: the function
   itself) on the arrays, wraps, and records if needed.  What is *saved* is what the rule bodies
   name; which names PyTorch shows for it (``_saved_self``) goes into ``shown``.
   ``settings={"ties": "first"}`` picks a kink policy of the rules; ``recompute=True`` saves the
   inputs where the rule names ``ans`` but PyTorch does not save the result; ``outputs=2`` for
   tuples; ``inactive_outputs=(1,)`` for indices among them; ``frees=False`` where a second
   backward must work although the rule names a saved value.

4. Views: ``view_of(primitive, input, array, {"a": input, "axes": dims})`` wraps an array that
   shares the input's memory; see :mod:`srcgrad.eager.ops.shapes`.

Compositions need no declaration beyond ``@op``: call other operations (``mul(add(x, 1), y)``)
on tensors; the graph then shows their nodes, as PyTorch's composite operations do.  A torch-only
function that must be *one* node gets a NumPy function and rules of its own, in the format of the
book (``@vjp(function, "input")``), next to NumPy's own in :mod:`srcgrad.rules`.

Helpers: :func:`~srcgrad.eager.calling_errors.refuse` (checks of arguments),
:func:`~srcgrad.eager.dispatch.need_tensor`, :func:`~srcgrad.eager.ops.shapes.wrap_dim`,
:func:`~srcgrad.eager.promotion.result_type`, ``wrap(array, dtype)`` for results without history.
"""

from __future__ import annotations

import importlib
import pkgutil

for _file in pkgutil.iter_modules(__path__):  # each declares its operations in NAMESPACE
    importlib.import_module(f"{__name__}.{_file.name}")
