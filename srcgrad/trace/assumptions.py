"""What tracing assumes: one class for each kind of assumption.

Tracing starts with what serves most programs: sizes are symbols, loops stay loops, lists that
loops fill have lengths of run time.  Where a program shows that this does not serve it, tracing
starts again under one more assumption (:class:`~srcgrad.trace.flow.control.Restart`), or under one
that a refusal names as its remedy.  Only :class:`Assumptions` knows which were made.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

from ..errors import SrcgradError, Where
from ..types.dataclasses import dataclass, field

Kind = TypeVar("Kind", bound="Assumption")


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
class FixedSize(Assumption):
    """A size of an argument, or an int, is a number of the generated code.

    Why: shapes only fit, or an operation only has a type, for this number (an axis of size one).
    Changes: it is no symbol any more; the guards of what uses it follow.
    """

    path: str
    axis: int | None
    number: int

    def words(self) -> str:
        what = self.path if self.axis is None else f"the size of axis {self.axis} of {self.path}"
        return f"{what} is {self.number} in the code"


@dataclass(frozen=True)
class DecidedCondition(Assumption):
    """A condition on sizes and ints is decided by the call.

    Why: what is refused stands in a branch that this call does not take.
    Changes: the condition is guarded, and the branch is not traced.
    """

    op: str
    left: Any
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
    numbers in it change.
    Changes: there is an input for each column, where each number was one.  Withdrawn: each is one.
    """

    path: str | None = None

    def words(self) -> str:
        return f"{self.path or 'each list'} is one list from the start"


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
        return not self.repeats and isinstance(other, (FixedSize, UnrolledLoop))


@dataclass(frozen=True)
class LeavingErrors(Assumption):
    """Exceptions leave a loop by a jump; with ``test`` those of its test do, too.

    Why: an operation in a loop may raise what a ``try`` statement around the loop catches.
    Changes: the loop breaks with a number that tells the exception.
    """

    site: Any
    test: bool = False

    def words(self) -> str:
        return f"the {'test' if self.test else 'body'} of a loop may raise what is caught around it"


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
class PartsOfItems(Assumption):
    """A list of run-time length holds the parts of objects.

    Why: objects are put into a list whose length depends on data, and have a common form.
    Changes: there is a list for each part; the objects must not change later.
    """

    says = "lists hold the parts of objects"


@dataclass(frozen=True)
class LateItems(Assumption):
    """Items of a generator expression that has a name are computed when they are taken.

    Why: something that it reads has changed between its making and the taking of an item.
    Changes: who takes all of its items runs it there; one item at a time is Python's generator.
    """

    says = "items of generator expressions are computed when they are taken"


@dataclass(frozen=True)
class ChosenLists(Assumption):
    """In loops, a list stands for one of two of which data choose.

    Why: a loop's variable refers to one of several lists, and which it is depends on data.
    Changes: the list has the content of either; where these have other names, none of them may
    change from then on.
    """
    says = "a list stands for one of two"


@dataclass(frozen=True)
class StoredObjects(Assumption):
    """The objects of a class that the program makes, or finds ``outside``, lie in a store: there
    is a list for each attribute.  So do dicts with the same texts as keys.

    Why: a loop makes them, changes them or goes through them, or its variable goes from one to
    another; those from outside refer to one another.
    Changes: an object is a number, which tells it from others; ``cls`` is the name of the class.
    """

    cls: Any = None  # None: any class
    outside: bool = False

    def words(self) -> str:
        which = f"objects of {self.cls[1] if self.cls else 'classes'}"
        return f"{which}{' from outside' * self.outside} lie in lists, by attribute"


@dataclass(frozen=True)
class HeldObjects(Assumption):
    """An attribute of objects from outside holds objects in a store, or texts or numbers beside
    other things; with ``optional`` or None; or, ``copied``, arrays.  ``listed``: an attribute of
    objects that the program makes holds lists of objects.

    Why: an object, a text, a number or None was put there; arrays that were put there change.
    Changes: the list of the attribute holds numbers, for objects their own, -1 for None; texts;
    copies of the arrays.
    """

    cls: Any
    name: str
    held: Any = None
    optional: bool = False
    copied: bool = False
    listed: bool = False

    def words(self) -> str:
        what = "holds arrays that change" if self.copied else (
            "may hold None" if self.optional else
            "holds lists of objects" if self.listed else f"holds objects of {self.held[1]}")
        return f"the attribute {self.name} of {self.cls[1]} {what}"


@dataclass(frozen=True)
class MixedRows(Assumption):
    """The rows of a list of lists may hold counts beside other numbers.

    Why: a row is written to, or rows of unlike numbers cannot be taken apart.
    Changes: what is read from a row is a number of any kind.
    Replaces: lists that hold the parts of rows.
    """

    says = "integers lie beside other numbers in the rows of a list"

    def replaces(self, other: Assumption) -> bool:
        return other == PartsOfItems()


@dataclass(frozen=True)
class NumbersApart(Assumption):
    """Numbers and arrays stay what they are where a branch gives either.

    Why: more than the numbers matters: the shape is asked for, or it changes in place.
    Changes: what follows the branch is traced for either, where it was one value of any rank.
    """

    says = "a number and an array that a branch gives are told apart"


@dataclass(frozen=True)
class ComplexPower(Assumption):
    """A power of a Python float, at a place of the text, is complex where Python makes it so.

    Why: its absolute value, or a part of it, is asked for.
    Changes: there is a branch on the sign of the base.
    """

    place: Any = None  # None: any place
    says = "a power of a negative float is complex"


@dataclass(frozen=True)
class DequesAsLists(Assumption):
    """A deque is kept as a list, also where its length is known at first.

    Why: how many items it gets depends on data.
    Changes: its methods are those of a list of run-time length.
    """

    says = "deques are lists whose lengths depend on data"


@dataclass(frozen=True)
class OneObject(Assumption):
    """What is found at two places is one object; without ``first`` whatever is.

    Why: it changes, or it is asked whether it is one object.
    Changes: both places give the same; that they do is guarded.
    """

    first: str | None = None
    second: str | None = None

    def words(self) -> str:
        return "what is found at two places is one object" if self.first is None else (
            f"{self.first} and {self.second} are one object")


@dataclass(frozen=True)
class ContentRead(Assumption):
    """The content of a container from outside is known before it changes; without ``path`` that
    of all.

    Why: it was changed, and then it is read.
    Changes: its length or keys are guarded.
    """

    path: str | None = None

    def words(self) -> str:
        return f"what {self.path or 'every container'} holds is read after it changed"


@dataclass(frozen=True)
class GuardedLayout(Assumption):
    """An array from outside lies in C order, or does not.

    Why: whether a result is a view or a copy of it depends on that.
    Changes: the layout is guarded.
    """

    path: str
    says = "how {path} lies in memory is checked"


@dataclass(frozen=True)
class ViewsTold(Assumption):
    """The run tells whether a result is a view or a copy.

    Why: a write, or a read after one, depends on it, and layouts do not decide it.
    Changes: there is a branch on ``np.may_share_memory`` at each such call.
    """

    says = "views and copies are told apart by branches"


@dataclass(frozen=True)
class RunTimeKeys(Assumption):
    """The dicts or sets that are made at a place have keys of run time, or the lists are heaps.

    Why: a key depends on data, or on the index of a long loop; which item is least does.
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

    Why: it calls itself under a branch or loop that depends on data.
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


ONE_BY_ONE = 4  # containers, or pairs of places, of which something is assumed one by one

# What the tracer does at its own risk is undone by these, in this order.
UNDOING = (Withdrawn(FollowedArrays()), Withdrawn(ChosenLists()), MixedRows(),
           Withdrawn(GatheredLists()), KnownLengths(), Withdrawn(RunTimeKeys(None)),
           KnownLengths(repeats=True), NumbersApart(), Withdrawn(FollowedNames()))


@dataclass(frozen=True)
class Made:
    """An assumption, and where in the user's text it was made."""

    assumption: Assumption
    where: Where | None = None

    def words(self) -> str:
        return self.assumption.words()


class Assumptions:
    """What is assumed in one tracing, and what its present attempt does at its own risk: things
    that an assumption would undo."""

    def __init__(self, first: Iterable[Assumption] = ()) -> None:
        self.made: list[Made] = []  # in order, with what was replaced since
        self.risks: dict[Assumption, None] = {}
        self.recorded = 0  # nodes of the attempts before
        self.trials = 0  # of ``try`` statements within others
        self._present: dict[Assumption, None] = dict.fromkeys(first)

    def __contains__(self, assumption: Assumption) -> bool:
        return bool(self._present) and assumption in self._present

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [a for a in self._present if type(a) is kind]

    def add(self, made: Made) -> bool:
        """Assume one thing more; False if it is assumed already."""
        new = made.assumption
        if new in self:
            return False
        self.made.append(made)
        self._present = {a: None for a in self._present if not new.replaces(a)}
        self._present[new] = None
        return True

    def add_one(self, remedies: Iterable[Assumption], where: Any) -> bool:
        """Assume the first thing that may help against a refusal; False if nothing does."""
        place = where if isinstance(where, Where) else None
        return any(self.open(r) and self.add(Made(r, place)) for r in remedies)

    def risk(self, undone_by: Assumption) -> None:
        """The attempt does something that may turn out wrong, and that this would undo."""
        self.risks[undone_by] = None

    def open(self, assumption: Assumption) -> bool:
        """Is something neither assumed nor withdrawn?"""
        return assumption not in self and not any(
            type(a) is Withdrawn and a.of.includes(assumption) for a in self._present)

    def undoing(self) -> list[Assumption]:
        """What would undo what was done at a risk, in the order in which it is tried: all that
        gives lists, dicts, numbers and names other forms than those of plain Python."""
        tried: list[Assumption] = [Withdrawn(a) for a in (MixedRows(), NumbersApart()) if a in self]
        if self.complex_powers():
            tried.insert(0, Withdrawn(ComplexPower()))
        if any(f.name is not None for f in self.of(FollowedNames)):
            self.risk(Withdrawn(FollowedNames()))
        return tried + [a for a in self.risks if isinstance(a, StoredObjects)] + [
            a for a in UNDOING if a in self.risks]

    # ---- questions that are about more than one ------------------------------------------
    def fixes(self, path: str, axis: int | None) -> bool:
        """Is a size, or an int, a number of the code?"""
        return any(f.path == path and f.axis == axis for f in self.of(FixedSize))

    def reason_to_unroll(self, site: Any) -> str | None:
        """Why the loop at a site is unrolled; None if it is not."""
        return next((u.reason for u in self.of(UnrolledLoop) if u.site == site), None)

    def unrolls(self, site: Any) -> bool:
        return UnrolledLoop(site, "") in self

    def reads(self, path: str) -> bool:
        """Is the content of a container known before it changes?"""
        return ContentRead() in self or ContentRead(path) in self

    def are_one(self, first: str, second: str) -> bool:
        """Is what is found at two places one object?"""
        return OneObject() in self or OneObject(first, second) in self

    def one_object(self, first: str, second: str) -> OneObject:
        """What is assumed where one more thing that is found at two places is one object: in the
        end, each is."""
        few = len(self.of(OneObject)) < ONE_BY_ONE
        return OneObject(first, second) if few else OneObject()

    def content_read(self, path: str) -> ContentRead:
        """What is assumed where the content of one more container is read after it changed: in the
        end, that of all is."""
        return ContentRead(path if len(self.of(ContentRead)) < ONE_BY_ONE else None)

    def gathers(self, path: str) -> bool:
        """Is a list gathered where it is found?"""
        return GatheredLists(path) in self and Withdrawn(GatheredLists()) not in self

    def stores(self, cls: Any, outside: bool = False) -> bool:
        """Do the objects of a class lie in a store?"""
        return self.open_stores(outside) and StoredObjects(cls, outside) in self

    def open_stores(self, outside: bool = False) -> bool:
        """May objects lie in stores?"""
        return Withdrawn(StoredObjects(outside=outside)) not in self

    def held_by(self, cls: Any, name: str, listed: bool = False) -> list[Any]:
        """The classes of the objects that an attribute of objects in a store holds, or lists of
        which it holds."""
        return [h.held for h in self.of(HeldObjects) if h.cls == cls and h.name == name
                and h.held is not None and h.listed is listed]

    def without_stores(self) -> list[Assumption]:
        """What undoes stores, which a refusal need not name."""
        return [Withdrawn(StoredObjects(outside=outside)) for outside in (True, False)
                if self.open_stores(outside) and any(
                    s.outside is outside for s in self.of(StoredObjects))]

    def complex_powers(self) -> bool:
        """Are powers of negative floats told apart, which are complex?"""
        return bool(self.of(ComplexPower)) and Withdrawn(ComplexPower()) not in self

    def follows(self, code: Any, name: str) -> bool:
        """Is it followed whether a variable of the function with this code is bound?"""
        return FollowedNames() in self or FollowedNames(code, name) in self

    def follows_arrays(self, name: str) -> bool:
        """Do the arrays with a name lie in a pool?"""
        return FollowedArrays(name=name) in self or FollowedArrays(name=ALL) in self

    def inlines(self, code: Any) -> bool:
        """Is a function inlined that calls itself, or that runs the steps of a loop?"""
        return Withdrawn(CalledFunction(code)) in self

    def refusal_of(self, assumption: Assumption) -> SrcgradError | None:
        """What was refused when this was assumed."""
        return next((w.error for w in self.of(Withdrawn) if w.of == assumption), None)
