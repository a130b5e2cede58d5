"""The rule book: one declaration per derivative, serving every engine.

A rule is a plain Python function over NumPy calls.  *What it saves is what it names*: the
engine reads the parameter names of the body and hands over exactly those values.

Parameter names a body may use
------------------------------
``ct``
    the cotangent of the output (a tuple for functions with several outputs); has the shape
    and dtype of the output.
``ans``
    the output itself (a tuple for several outputs).
``<input>``
    an input under its canonical name: NumPy's documented parameter name (``x`` for unary
    ufuncs, ``x1``/``x2`` for binary ones, ``a``, ``axis``, ``keepdims`` ...).  Array inputs
    named here are *saved* by the engines; settings such as ``axis`` are static and free.
``<input>_shape``, ``<input>_ndim``, ``<input>_dtype``
    facts about an input; naming them saves nothing.  Sizes may be symbolic (they support
    arithmetic, comparison is not decidable on them); ``ndim`` is a plain ``int``.
``<setting>``
    a named kink policy declared with ``settings=`` (for instance ``ties="split"``).

Bodies call only ruled functions and operators, never inspect engine types, respect batch
dimensions and complex numbers.  The vjp is the *transpose* of the derivative without
conjugation (JAX's and HIPS autograd's convention); the eager mode conjugates on the way in
and out.
"""

from __future__ import annotations
