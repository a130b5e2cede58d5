"""The loader: batches of a dataset in the order of a sampler."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic

from ... import basis as torch
from ...calling_errors import refuse
from .collate import default_collate, default_convert
from .dataset import IterableDataset, T_co
from .sampler import BatchSampler, RandomSampler, SequentialSampler

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader(Generic[T_co]):
    """Iterates over batches of a dataset; each ``iter()`` is a new pass.

    Everything is loaded in this process, in order: ``num_workers`` is accepted and changes
    nothing but what PyTorch's checks of its options say.

    >>> import srcgrad.eager as torch
    >>> loader = torch.utils.data.DataLoader([1, 2, 3], batch_size=2)
    >>> [batch.tolist() for batch in loader]
    [[1, 2], [3]]
    """

    _initialized = False

    def __init__(self, dataset: Any, batch_size: int | None = 1, shuffle: bool | None = None,
                 sampler: Iterable[int] | None = None,
                 batch_sampler: Iterable[list[int]] | None = None, num_workers: int = 0,
                 collate_fn: Callable[[Any], Any] | None = None, pin_memory: bool = False,
                 drop_last: bool = False, timeout: float = 0,
                 worker_init_fn: Callable[[int], None] | None = None,
                 multiprocessing_context: Any = None, generator: Any = None, *,
                 prefetch_factor: int | None = None, persistent_workers: bool = False,
                 pin_memory_device: str = "", in_order: bool = True) -> None:
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        _check_exclusive(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None and not self._iterable:
            if shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None and sampler is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        batched = batch_sampler is not None or (self._iterable and batch_size is not None)
        if batched and self._iterable:
            self._groups()  # refuses what is no size
        self.collate_fn = collate_fn or (default_collate if batched else default_convert)
        self.persistent_workers = persistent_workers
        self._initialized = True

    def __setattr__(self, name: str, value: Any) -> None:
        refuse(self._initialized and name in _FIXED, "{} attribute should not be set after {} is "
               "initialized", name, type(self).__name__, kind=ValueError)
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        # a pass takes one number from the generator, as PyTorch does for its workers' seeds
        torch.empty((), dtype=torch.int64).random_(generator=self.generator)
        if not self._iterable:
            return self._batches()
        return map(self.collate_fn, self.dataset if self.batch_size is None else self._groups())

    def _batches(self) -> Iterator[Any]:
        if self.batch_sampler is None:
            for index in self.sampler or ():
                yield self.collate_fn(self.dataset[index])
            return
        together = getattr(self.dataset, "__getitems__", None)
        for indices in self.batch_sampler:
            yield self.collate_fn(together(indices) if callable(together) else
                                  [self.dataset[i] for i in indices])

    def _groups(self) -> BatchSampler:
        assert self.batch_size is not None
        return BatchSampler(self.dataset, self.batch_size, self.drop_last)

    def __len__(self) -> int:
        if not self._iterable:
            order: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
            return len(order)
        return len(self.dataset if self.batch_size is None else self._groups())


def _check_workers(num_workers: int, timeout: float, prefetch_factor: int | None,
                   persistent: bool) -> None:
    refuse(num_workers < 0, "num_workers option should be non-negative; use num_workers=0 to "
           "disable multiprocessing.", kind=ValueError)
    refuse(timeout < 0, "timeout option should be non-negative", kind=ValueError)
    refuse(num_workers == 0 and prefetch_factor is not None, "prefetch_factor option could only be "
           "specified in multiprocessing.let num_workers > 0 to enable multiprocessing, otherwise "
           "set prefetch_factor to None.", kind=ValueError)
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_exclusive(batch_size: int | None, shuffle: bool | None, sampler: Any, batch_sampler: Any,
                     drop_last: bool) -> None:
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, "
                             "sampler, and drop_last")
    elif batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive "
                         "with drop_last")


def _check_iterable(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    start = "DataLoader with IterableDataset: expected unspecified "
    if shuffle not in (False, None):
        raise ValueError(f"{start}shuffle option, but got shuffle={shuffle}")
    if sampler is not None:
        raise ValueError(f"{start}sampler option, but got sampler={sampler}")
    if batch_sampler is not None:
        raise ValueError(f"{start}batch_sampler option, but got batch_sampler={batch_sampler}")


def get_worker_info() -> None:
    """None: there are no worker processes."""
