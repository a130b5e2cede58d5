"""What tracing assumes: one class for each kind of assumption.

Tracing starts with what serves most programs: sizes are symbols, loops stay loops, lists that
loops fill have lengths of run time.  Where a program shows that this does not serve it, tracing
starts again under one more assumption (:class:`~srcgrad.trace.flow.control.Restart`), or under one
that a refusal names as its remedy.  Only :class:`~srcgrad.trace.assumed.Assumptions` knows which
were made.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ..errors import SrcgradError
from ..types.dataclasses import dataclass, field


@dataclass(frozen=True)
class Assumption:
    """Base of all kinds.  Equal ones are one assumption."""

    says: ClassVar[str]

    def words(self) -> str:
        """What it says, in a report."""
        return self.says.format(**vars(self))

    def includes(self, other: Assumption) -> bool:
        """Is another one withdrawn where this one is?"""
        return self == other

    def replaces(self, other: Assumption) -> bool:
        """Is an assumption made before of no use under this one?"""
        return False


@dataclass(frozen=True)
class DecidedCondition(Assumption):
    """A condition on sizes and ints is decided by the call: that a size of an argument, or an int,
    is a certain number, or what a branch asks.

    Why: what is refused does not occur in this call: shapes fit, or an operation has a type, for
    its numbers only (an axis of size one), or it stands in a branch that is not taken.
    Changes: the condition is guarded.  A size that is decided is no symbol, but a number of the
    generated code; a branch that is not taken is not traced.
    """

    op: str
    left: Any  # a size by where it is found, or what follows from such
    right: Any
    says = "whether {left} {op} {right} is decided by the call"


@dataclass(frozen=True)
class UnrolledLoop(Assumption):
    """A loop is written out, iteration by iteration.

    Why: the number of its index is needed while tracing, or a list that it fills is needed with
    its length.
    Changes: each iteration is traced with a number as the index; the count is guarded.
    """

    site: Any
    reason: str = field(compare=False)
    says = "a loop is unrolled, because of {reason}"


@dataclass(frozen=True)
class GatheredLists(Assumption):
    """A list from outside is gathered where it is found; without ``path`` any list is.

    Why: a loop goes through it, or takes items of it, and derivatives are taken for its parts, or
    numbers in it change; or there is much text in a loop over few known items.
    Changes: there is an input for each column, where each number was one.  Withdrawn: each is one.
    """

    path: str | None = None

    def words(self) -> str:
        return f"{self.path or 'each list'} is one list from the start"


@dataclass(frozen=True)
class GivenText(Assumption):
    """A text from outside is an input, as numbers are.

    Why: a loop goes through its characters, and would be much text if it were written out.
    Changes: what is asked of the text is asked by the run, and another text has the same code.
    Withdrawn: it is known while compiling, and guarded.
    """

    path: str

    def words(self) -> str:
        return f"the text {self.path} is an input"


@dataclass(frozen=True)
class KnownLengths(Assumption):
    """Lists whose lengths the call decides stay lists of Python; ``repeats``: so does
    ``[0.0] * n``.

    Why: a list got a length of run time since a loop indexes it, or since ``n`` is a symbol, and
    then its items were needed one by one, or it was used as only a list of Python can be.
    Changes: a loop that indexes it is unrolled; ``n`` is guarded.
    Replaces: sizes that were fixed and loops that were unrolled for lists of run time.
    """

    repeats: bool = False

    def words(self) -> str:
        which = "of `[...] * n`" if self.repeats else "that loops index"
        return f"lists {which} are of known length"

    def replaces(self, other: Assumption) -> bool:
        return not self.repeats and isinstance(other, (DecidedCondition, UnrolledLoop))


@dataclass(frozen=True)
class FollowedNames(Assumption):
    """A truth value tells whether a variable of a function is bound; without ``name`` all do.

    Why: a variable is read that only some paths have bound, or its NameError is caught.
    Changes: the error is raised where plain Python raises it.
    """

    code: Any = None
    name: str | None = None

    def includes(self, other: Assumption) -> bool:
        return self == other or (self.name is None and type(other) is FollowedNames)

    def words(self) -> str:
        return "whether names are bound is followed" if self.name is None else (
            f"whether {self.name!r} is bound is followed")


ALL = ""  # names


@dataclass(frozen=True)
class FollowedArrays(Assumption):
    """It is followed which array from before a loop a name stands for in it, if any; without
    ``site``, which arrays lists of run-time length hold, and under a ``name``.

    Why: the loop binds the name to another array, or the list holds it, and then one of them
    changes that may be both.
    Changes: the loop carries a truth value for each array from before that the name may be, and
    the index of a view; lists hold such indices, and numbers of arrays in a pool, in which those
    with the name (or ``ALL``) lie from the start.
    """

    site: Any = None
    name: str | None = None

    def includes(self, other: Assumption) -> bool:
        return self == other or (self == FollowedArrays() and type(other) is FollowedArrays
                                 and other.site is None)

    def words(self) -> str:
        if self.site is not None:
            return "a name in a loop may be an array from before it, which is told by truth values"
        if self.name is None:
            return "arrays in lists are told by where they lie"
        return "arrays that names are bound to are numbers" if self.name is ALL else (
            f"arrays called {self.name!r} are numbers")


@dataclass(frozen=True)
class LateItems(Assumption):
    """Items of a generator expression that has a name are computed when they are taken.

    Why: something that it reads has changed between its making and the taking of an item.
    Changes: who takes all of its items runs it there; one item at a time is Python's generator.
    """

    says = "items of generator expressions are computed when they are taken"


@dataclass(frozen=True)
class StoredObjects(Assumption):
    """The objects of a class that the program makes, or finds ``outside``, lie in a store: there
    is a list for each attribute.  So do dicts with the same texts as keys, and the lists that are
    made at a ``site``.

    Why: a loop makes them, changes them or goes through them, or its variable goes from one to
    another; those from outside refer to one another; a list is changed that another one holds.
    Changes: an object is a number, which tells it from others; ``cls`` is the name of the class.
    Assumed of one attribute (``name``) is what is put there (``holds``: the name of a class, whose
    numbers its list holds then; ``NOTHING``, whose number is -1; ``COPIES`` of arrays that change):
    of an object from outside itself, beside what it was found with, else in lists.  The last thing
    that is assumed (``PARTS``) is that what can lie in no store lies in lists of its parts where it
    is put into a list whose length depends on data; it must not change later.
    """

    cls: Any = None  # None: any class
    outside: bool | None = False  # None: wherever they are from
    site: Any = None
    name: str | None = None
    holds: Any = None

    def includes(self, other: Assumption) -> bool:
        return self == other or (
            type(other) is StoredObjects and self.site is None and self.name is None
            and self.cls in (None, other.cls) and self.outside is other.outside)

    def words(self) -> str:
        if self == PARTS:
            return "lists hold the parts of objects"
        if self.name is not None:
            held = self.holds if isinstance(self.holds, str) else f"objects of {self.holds[1]}"
            return f"{self.name} of {self.cls[1]} holds {'' if self.outside else 'lists of '}{held}"
        which = f"objects of {self.cls[1] if self.cls else 'classes'}" if (
            self.site is None) else "lists that lists hold"
        return f"{which}{' from outside' * bool(self.outside)} lie in lists, by attribute"


PARTS = StoredObjects(outside=None)
NOTHING, COPIES = "None", "copies of arrays"  # what an attribute may hold beside objects


@dataclass(frozen=True)
class NumbersApart(Assumption):
    """What may be of two kinds stays of its own: numbers and arrays where a branch gives either;
    at a ``place`` of the text, powers of Python floats, which are complex where the base is
    negative; counts beside other numbers in the ``rows`` of a list do from the start.

    Why: more than the numbers matters: the shape, or a part, is asked for, or it changes in place.
    Changes: there is a branch, and what follows it is traced for either, where it was one value of
    any rank, or real.  Withdrawn: what is read from a row, which changes, is a number of any kind.
    """

    place: Any = None

    def includes(self, other: Assumption) -> bool:
        return self == other or (self.place is None and type(other) is NumbersApart)

    def words(self) -> str:
        if self.place is None:
            return "what may be of two kinds is told apart"
        return "counts stay apart from other numbers in rows" if self.place == "rows" else (
            "a power of a negative float is complex")


@dataclass(frozen=True)
class KnownBefore(Assumption):
    """What is found outside is known before it changes: what a container at a ``path`` holds, or
    that it is one object with what is found at ``other``; without paths that of all, or of any two.

    Why: it changes, and then it is read, or may be the other one.
    Changes: its length or keys are guarded, or that it is one object.
    """

    path: str | None = None
    other: str | None = None
    is_one: bool = False

    def words(self) -> str:
        if not self.is_one:
            return f"what {self.path or 'every container'} holds is read after it changed"
        return "what is found at two places is one object" if self.path is None else (
            f"{self.path} and {self.other} are one object")


@dataclass(frozen=True)
class ViewsTold(Assumption):
    """It is told whether a result is a view or a copy; ``by_run``: also where that does not follow
    from how arrays from outside lie in memory.

    Why: a write, or a read after one, depends on it.
    Changes: how these arrays lie is guarded; for the others there is a branch on
    ``np.may_share_memory``.
    """

    by_run: bool = False

    def replaces(self, other: Assumption) -> bool:
        return type(other) is ViewsTold

    def words(self) -> str:
        return f"views and copies are told apart{' by branches' * self.by_run}"


@dataclass(frozen=True)
class RunTimeKeys(Assumption):
    """The dicts or sets that are made at a place, or a dict that is found at one outside, have keys
    of run time, or the lists are heaps.

    Why: a key depends on data, or on the index of a long loop; which item is least does; a long
    dict from outside is gone through.
    Changes: a run-time dict gives the place of a key, a list the number there.  Assumed of one
    place are its keys' form (``keys``), what its tables hold (``holds``: the name of a
    container, if not numbers), whether keys are taken away (``shrinks``), and that a variable
    holds those of two places in turn (``one_with``); a wider form of keys replaces a narrower.
    """

    site: Any  # None: any place
    keys: Any = None
    holds: str | None = None
    shrinks: bool = False
    one_with: Any = None

    def words(self) -> str:
        if self.holds == "heap":
            return "the order of a heap depends on data"
        if self.holds is not None:
            return f"what a dict whose keys depend on data holds is a {self.holds}"
        if self.shrinks:
            return "keys that depend on data are taken away"
        if self.one_with is not None:
            return "dicts that are made at two places have keys that depend on data"
        return "the keys of a dict or set depend on data"

    def replaces(self, other: Assumption) -> bool:
        return self.keys is not None and isinstance(other, RunTimeKeys) and (
            other.site is self.site and other.keys is not None)


@dataclass(frozen=True)
class CalledFunction(Assumption):
    """A function is called, and not inlined.

    Why: it calls itself under a branch or loop that depends on data, or very often.
    Changes: it is a function of the generated code.  Withdrawn: it is inlined, and branches in it
    on what the call decides are taken while tracing, so that each level is decided.
    """

    code: Any
    says = "{code.co_qualname} is a function of its own"


@dataclass(frozen=True)
class ChangedLater(Assumption):
    """An object that is put into one from outside is made by a statement of its own.

    Why: it changes after it was put there.
    Changes: its later changes are effects on the object of the run.
    """

    place: Any
    says = "an object changes after it was put into one from outside"


@dataclass(frozen=True)
class Withdrawn(Assumption):
    """Another assumption does not help, or what tracing does at first does not.

    Why: a refusal was met that it led to (``error``, which is told if nothing else helps).
    Changes: tracing goes on as before it was made: dicts stay dicts, a function is inlined.
    Replaces: the assumption.
    """

    of: Assumption
    error: SrcgradError | None = field(default=None, compare=False)

    def words(self) -> str:
        return f"taken back: {self.of.words()}"

    def replaces(self, other: Assumption) -> bool:
        return self.of.includes(other)


MIXED_ROWS = Withdrawn(NumbersApart(place="rows"))
