"""Times and sizes as people read them."""

from __future__ import annotations


def time_text(seconds: float) -> str:
    """A time with three digits and a unit.

    >>> time_text(0.00123), time_text(2.5), time_text(4.2e-6)
    ('1.23 ms', '2.5 s', '4.2 us')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds < 1000 * size else (
                f"{seconds / size:.0f} {unit}")
    return f"{seconds / 1e-9:.0f} ns"


def bytes_text(count: int) -> str:
    """A number of bytes with a unit.

    >>> bytes_text(17), bytes_text(8000), bytes_text(3 * 2 ** 20)
    ('17 B', '7.812 KiB', '3 MiB')
    """
    if count < 1024:
        return f"{count} B"
    power = min(4, (count.bit_length() - 1) // 10)
    return f"{count / 1024.0 ** power:.4g} {('KiB', 'MiB', 'GiB', 'TiB')[power - 1]}"
