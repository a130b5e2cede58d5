"""The graph: immutable typed SSA with regions.

A :class:`Graph` has one :class:`Block`; a block has parameters, nodes in program order and
outputs; a :class:`Node` applies an operation to values and may own blocks.  Nodes of a nested
block may use values of the enclosing blocks directly (a value is visible in the rest of its
block and in all blocks nested there).  Program order is meaning: the forward part is emitted
in this order, and effects happen in it.

Evaluation is *pure*: a write gives a new version of its base and leaves the old one alone.
All versions of one Python object carry the same ``obj`` number; emission gives them one
variable and performs the writes in place.

Operations (``Node.op``), inputs, parameters, outputs
-----------------------------------------------------
``const``        () ``value`` -> the constant (a Python number, string, None, dtype, static array …)
``apply``        any; ``fn`` ``args`` ``kwargs`` (templates: nested tuples, lists, dicts and slices
                 with :class:`Ref` at the places of inputs) -> one output, or several if ``fn``
                 returns a tuple (then ``many`` is True).  ``fn`` is a NumPy function, an
                 ``operator`` function, a builtin, ``math.*``, ``spelling.Method`` or ``Attribute``.
``read``         base, *dyn; ``steps`` -> the part of ``base`` that the steps select.  With
                 ``handle=True`` the last input is an earlier value of the same view object:
                 the value is read again through the user's existing name (nothing is printed).
``write``        base, value, *dyn; ``steps`` -> next version: ``base[steps] = value``.
``acc``          base, value, *dyn; ``steps`` -> next version with ``value`` *added* (repeated
                 indices add up, as ``np.add.at``); empty steps add to the whole.  If ``value``
                 is smaller than the selected part it is broadcast.
``update``       base, value, *dyn; ``steps`` ``fn`` -> next version after NumPy's in-place ufunc
                 ``base[steps] fn= value`` (``fn`` an ``operator.i*`` function, basic steps only).
``dim``          x; ``axis`` -> the size along an axis (an int; reads no element of x).
``if``           pred; blocks then, else (no parameters) -> as many outputs as the blocks have.
``loop``         see :class:`LoopSpec`.
``effect``       any; ``fn`` ``args`` ``kwargs`` -> zero or one output.  Executed exactly once,
                 in order; never removed, moved, repeated or differentiated.
``list``         *elements -> a new list value.
``append``       lst, value -> next version.      ``pop``   lst, [index] -> next version, element.
``get``          lst, index -> element.           ``put``   lst, value, index -> next version.
``list_len``     lst -> int.                      ``insert`` lst, value, index -> next version.
``list_acc``     lst, value, index -> next version with ``value`` added to an element.
                 ``get``, ``put``, ``append`` and ``list_acc`` take further indices for lists
                 of lists; they change the inner list itself, which nothing else may hold.
                 ``inside``: there is such an element in every call.
``list_like``    lst -> a list of as many zeros, of the shapes of the elements (adjoint of a list);
                 of a record, or of one that may be None, the zeros of what it holds.
``call``         *args; ``callee`` (name of a graph in ``Graph.callees``) -> its outputs.
``pack``         *values -> a record of them.      ``unpack`` record -> *values.
``copy``         x -> a fresh object with the same content (made by realisation).
``undef``        () -> a value that is never read on the paths where it is undefined.

Only ``effect`` nodes, and nodes whose ``fn`` may raise, are kept for more than their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..errors import Where
from ..types.dataclasses import dataclass, field, replace
from ..types.kinds import Aval
from ..types.structure import PLAIN, found_in, mapped


class Suggested(str):
    """A name that the user did not choose: it gives way to one that the user gives."""

    __slots__ = ()


class Value:
    """One SSA value.  ``hint`` is the user's name for it, ``obj`` numbers the Python object
    that carries it at run time (None: not tied to an object of the user's)."""

    __slots__ = ("aval", "hint", "obj")

    def __init__(self, aval: Aval, hint: str | None = None, obj: int | None = None) -> None:
        self.aval, self.hint, self.obj = aval, hint, obj

    def like(self, **changes: Any) -> Value:
        """A new value with the same facts, but for ``changes``."""
        new = Value(self.aval, self.hint, self.obj)
        for name, value in changes.items():
            setattr(new, name, value)
        return new

    def __repr__(self) -> str:
        return f"<{self.hint or 'value'}: {self.aval}>"


@dataclass(frozen=True, slots=True)
class Ref:
    """The place of input number ``index`` in a template.  An array beside it there is no Ref:
    NumPy is not to compare its elements with one."""

    __array_ufunc__ = None
    index: int


@dataclass(frozen=True, slots=True)
class Index:
    """A view step: ``x[key]``; ``key`` is a template.  ``basic`` keys (ints, slices, Ellipsis,
    newaxis) select a view, others (integer or boolean arrays, lists) a copy."""

    key: Any
    basic: bool = True

    @property
    def parts(self) -> tuple[Any, ...]:
        """What the key selects by, axis by axis."""
        return self.key if isinstance(self.key, tuple) else (self.key,)


@dataclass(frozen=True, slots=True)
class Through:
    """A view step by a function: ``fn(x, *args, **kwargs)`` returns a view of x."""

    fn: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: tuple[tuple[str, Any], ...] = ()


Step = Index | Through
Steps = tuple[Step, ...]
_SAME: Any = object()  # a field that does not change
UNASKED: Any = object()  # what nobody has asked for yet


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a node comes from.  ``where`` is the innermost staged statement of the user,
    ``callers`` the call sites that inlined it (outermost first).  ``statement`` is one number
    per executed user statement while tracing: nodes of equal number belong to one statement.
    ``augmented`` marks ``x op= e`` on an immutable: print it as the user did.  ``role`` is
    ``"forward"``, ``"adjoint"`` or ``"support"``."""

    where: Where | None = None
    callers: tuple[Where, ...] = ()
    statement: int = 0
    augmented: bool = False
    role: str = "forward"

    def of_adjoint(self) -> Origin:
        """The same place in the program, for what differentiation adds."""
        return Origin(self.where, self.callers, self.statement, self.augmented, "adjoint")


@dataclass(frozen=True, slots=True)
class LoopSpec:
    """The shape of a loop node.

    ``kind`` ``"for"``: inputs are ``start, stop, step`` then ``n_carried`` initial values then
    ``n_consumed`` sequences; one block, the body, with parameters ``index, *carried,
    *elements``.  ``kind`` ``"while"``: inputs are the initial values and the sequences; two
    blocks: the test, with parameters ``*carried`` and one output (the predicate; it may
    contain statements), and the body with parameters ``*carried, *elements``.

    The body's outputs are ``[jump] *next *last *produced``: ``jump`` (an int, present if
    ``exits``; non-zero leaves the loop at the end of this iteration), the next values of the
    carried ones, ``n_last`` values of the last iteration that are not needed by the next one,
    and ``n_produced`` elements.  The node's outputs are ``[jump] *results *last *sequences
    trips``: ``trips`` counts the iterations that were started.  If there was no iteration
    ``jump`` is 0 and ``last`` undefined.

    Element number k of a sequence belongs to iteration number k, always.  With ``reverse``
    the loop runs through its range, and through its consumed sequences, from the last to the
    first, and element k of what it produces belongs to the same k.  A consuming ``for`` loop
    of n iterations consumes sequences of exactly n elements.  ``stacked[k]`` tells that
    sequence k is kept in one array with a leading axis (trip count exact and element shape
    invariant), otherwise in a list; ``user`` gives the user's spelling of a for loop
    (``"range"``, ``"rows"`` …) for emission.
    """

    kind: str
    n_carried: int = 0
    n_consumed: int = 0
    n_last: int = 0
    n_produced: int = 0
    exits: bool = False
    reverse: bool = False
    stacked: tuple[bool, ...] = ()
    user: str = "range"

    @property
    def first_init(self) -> int:
        """The position of the first initial value among the node's inputs."""
        return 3 if self.kind == "for" else 0

    def but(self, **changes: Any) -> LoopSpec:
        return replace(self, **changes)


@dataclass(slots=True, eq=False)
class Node:
    """One operation.  Compare nodes by identity.  (``Final`` is for type checkers: a ``frozen``
    class takes four times as long to make one of.)"""

    op: Final[str]
    inputs: Final[tuple[Value, ...]]
    outputs: Final[tuple[Value, ...]]
    params: Final[Mapping[str, Any]] = field(default_factory=dict)
    blocks: Final[tuple[Block, ...]] = ()
    origin: Final[Origin | None] = None
    key: Any = field(default=UNASKED, init=False)  # what `key_of` has found out
    _operands: Any = field(default=None, init=False)

    def __reduce__(self) -> Any:
        """Without what has been found out."""
        return Node, (self.op, self.inputs, self.outputs, self.params, self.blocks, self.origin)

    @property
    def out(self) -> Value:
        """The only output."""
        (value,) = self.outputs
        return value

    @property
    def operands(self) -> tuple[Any, ...]:
        """What a function is called with by position: inputs, and what the template holds."""
        if self._operands is None:
            self._operands = fill(self.params["args"], self.inputs)
        operands: tuple[Any, ...] = self._operands
        return operands

    @property
    def loop(self) -> LoopSpec:
        """The loop's shape."""
        spec: LoopSpec = self.params["loop"]
        return spec

    def but(self, *, op: str = _SAME, inputs: tuple[Value, ...] = _SAME,
            outputs: tuple[Value, ...] = _SAME, params: Mapping[str, Any] = _SAME,
            blocks: tuple[Block, ...] = _SAME, origin: Origin | None = _SAME) -> Node:
        """A copy with fields changed, the node itself if its parts are the same
        (``dataclasses.replace`` takes four times as long)."""
        if (blocks is _SAME or blocks == self.blocks) and (
                inputs is _SAME or inputs == self.inputs) and (
                outputs is _SAME or outputs == self.outputs) and (
                op is _SAME and params is _SAME and origin is _SAME):
            return self
        return Node(self.op if op is _SAME else op, self.inputs if inputs is _SAME else inputs,
                    self.outputs if outputs is _SAME else outputs,
                    self.params if params is _SAME else params,
                    self.blocks if blocks is _SAME else blocks,
                    self.origin if origin is _SAME else origin)


def only_index(node: Node) -> Index | None:
    """The only step of a read or store, if that is an index."""
    steps = node.params["steps"]
    return steps[0] if len(steps) == 1 and isinstance(steps[0], Index) else None


STORES = frozenset({"write", "acc", "update"})  # to arrays
WRITES = STORES | {"append", "pop", "put", "insert", "list_acc"}  # and to lists


def is_adjoint(node: Node) -> bool:
    """Does the node belong to what differentiation added?"""
    return node.origin is not None and node.origin.role == "adjoint"


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A straight list of nodes with parameters and outputs."""

    params: tuple[Value, ...] = ()
    nodes: tuple[Node, ...] = ()
    outputs: tuple[Value, ...] = ()
    facts: dict[Any, Any] = field(default_factory=dict, init=False)  # what was `asked` of it

    def __reduce__(self) -> Any:
        return Block, (self.params, self.nodes, self.outputs)

    def but(self, *, params: tuple[Value, ...] = _SAME, nodes: tuple[Node, ...] = _SAME,
            outputs: tuple[Value, ...] = _SAME) -> Block:
        """A copy with fields changed, the block itself if its parts are the same."""
        if (nodes is _SAME or nodes == self.nodes) and (
                outputs is _SAME or outputs == self.outputs) and (
                params is _SAME or params == self.params):
            return self
        return Block(self.params if params is _SAME else params,
                     self.nodes if nodes is _SAME else nodes,
                     self.outputs if outputs is _SAME else outputs)


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A function: ``block.params`` are its inputs, ``block.outputs`` its results.

    ``border`` is the number of nodes of the forward part where a backward part follows in the
    same block (None: no backward part).  ``n_primal`` results come first, then gradients.
    ``written`` lists inputs (positions) whose objects the graph writes to.  ``callees`` holds
    the graphs that ``call`` nodes name.  A joint graph among them with ``pair`` stands for two
    functions, forward (its name) and backward (``pair``), until it is cut; its last ``n_seeds``
    inputs are then those of the backward function, which is handed again what is an input at the
    places ``through``.  Nobody else holds the inputs that it ``owns``.  The adjoint of a call of a
    ``remade`` graph runs it again instead of keeping a record; it is ``given`` the results at these
    places, which are values on the way.  ``title`` and ``notes`` go into the header
    of the emitted text.
    """

    name: str
    block: Block
    border: int | None = None
    n_primal: int = 0
    written: tuple[int, ...] = ()
    callees: Mapping[str, Graph] = field(default_factory=dict)
    pair: str | None = None
    n_seeds: int = 0
    through: tuple[int, ...] = ()
    owns: tuple[int, ...] = ()
    remade: bool = False
    given: tuple[int, ...] = ()
    title: str = ""
    notes: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[Value, ...]:
        return self.block.params

    @property
    def outputs(self) -> tuple[Value, ...]:
        return self.block.outputs

    def but(self, **changes: Any) -> Graph:
        return replace(self, **changes)

    if TYPE_CHECKING:  # views, which `graph/__init__.py` adds
        def to_dot(self) -> str: ...
        def to_mermaid(self) -> str: ...
        def to_svg(self, depth: int | None = None) -> str: ...
        def _repr_svg_(self) -> str: ...


# ---- templates ---------------------------------------------------------------------------


def has_plain_arguments(node: Node) -> bool:
    """Are the arguments of a call inputs and numbers of Python's alone?"""
    return "args" in node.params and not node.params["kwargs"] and (
        _PLAIN.issuperset(map(type, node.params["args"])))


_PLAIN = PLAIN | {Ref}


def fill(template: Any, inputs: tuple[Any, ...] | list[Any]) -> Any:
    """A template with every :class:`Ref` replaced by its input.

    >>> fill((Ref(1), slice(None, Ref(0))), ["n", "x"])
    ('x', slice(None, 'n', None))
    """
    if type(template) is tuple:  # usually of references alone
        return tuple([inputs[part.index] if type(part) is Ref else
                      part if type(part) in PLAIN else fill(part, inputs) for part in template])
    return mapped(template, Ref, lambda ref: inputs[ref.index])


def abstract(structure: Any, inputs: list[Value]) -> Any:
    """The template of a structure with :class:`Value` leaves; values are added to ``inputs``
    (one place each).  The inverse of :func:`fill`."""
    def reference(value: Value) -> Ref:
        for i, v in enumerate(inputs):
            if v is value:
                return Ref(i)
        inputs.append(value)
        return Ref(len(inputs) - 1)

    return mapped(structure, Value, reference)


def avals_in(structure: Any) -> Any:
    """A structure with every :class:`Value` replaced by its abstract value."""
    return mapped(structure, Value, lambda v: v.aval)


def references(template: Any) -> Iterator[int]:
    """The input numbers that a template, or steps, refer to, each as often as it does.

    >>> [*references(((Ref(1), 2.0), Index(slice(None, Ref(0)))))]
    [1, 0]
    """
    for part in template if type(template) is tuple else found_in(template, (Ref, Index, Through)):
        if type(part) is Ref:
            yield part.index
        elif type(part) is Index:
            yield from references(part.key)
        elif type(part) is Through:
            yield from references((part.args, part.kwargs))
        elif type(part) not in PLAIN:
            yield from references(part)


def shift(template: Any, by: int) -> Any:
    """A template whose references are moved by ``by`` places."""
    return mapped(template, Ref, lambda ref: Ref(ref.index + by))


class Builder:
    """Appends nodes to a block under construction.

    >>> from srcgrad.types.kinds import FLOAT
    >>> b = Builder()
    >>> x = b.param(FLOAT, "x")
    >>> import operator
    >>> y = b.apply(operator.add, (x, 1.0), {}, FLOAT)
    >>> len(b.block((y,)).nodes)
    1
    """

    def __init__(self, origin: Origin | None = None) -> None:
        self.params: list[Value] = []
        self.nodes: list[Node] = []
        self.origin = origin

    def param(self, aval: Aval, hint: str | None = None) -> Value:
        value = Value(aval, hint)
        self.params.append(value)
        return value

    def add(self, op: str, inputs: tuple[Value, ...], avals: tuple[Aval, ...],
            blocks: tuple[Block, ...] = (), **params: Any) -> Node:
        """Append a node with fresh outputs of the given avals."""
        node = Node(op, inputs, tuple(Value(a) for a in avals), params, blocks, self.origin)
        self.nodes.append(node)
        return node

    def const(self, value: Any, aval: Aval) -> Value:
        return self.add("const", (), (aval,), value=value).out

    def apply(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any],
              aval: Aval) -> Value:
        """Append an ``apply`` with one output; Values may sit anywhere in the arguments."""
        return self.apply_many(fn, args, kwargs, (aval,), many=False)[0]

    def apply_many(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any],
                   avals: tuple[Aval, ...], many: bool = True) -> tuple[Value, ...]:
        inputs: list[Value] = []
        template = abstract(tuple(args), inputs)
        keywords = abstract(dict(kwargs), inputs) if kwargs else {}
        return self.add("apply", tuple(inputs), avals, fn=fn, args=template, kwargs=keywords,
                        many=many).outputs

    def block(self, outputs: tuple[Value, ...]) -> Block:
        """The finished block."""
        return Block(tuple(self.params), tuple(self.nodes), outputs)
