"""What a report of a problem has to say of the machine."""

from __future__ import annotations

import platform
import sys
from typing import Any

import numpy as np

_PACKAGES = ("numpy", "astor", "scipy")


def versions() -> dict[str, str]:
    """Versions of Python, of the system, and of the packages that srcgrad uses.

    >>> list(versions())
    ['srcgrad', 'python', 'system', 'numpy', 'astor', 'scipy', 'BLAS']
    """
    return {"srcgrad": sys.modules[__package__ or "srcgrad"].__version__,
            "python": f"{platform.python_version()} ({sys.implementation.name})",
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            **{name: _version(name) for name in _PACKAGES}, "BLAS": _blas()}


def _version(package: str) -> str:
    import importlib.metadata  # loads the modules of e-mail; nothing else here needs it

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _blas() -> str:
    built: Any = np.show_config(mode="dicts")
    found = built.get("Build Dependencies", {}).get("blas", {})
    return f"{found.get('name', 'unknown')} {found.get('version', '')}".strip()


def show_versions() -> None:
    """Print what a report of a problem should say: versions of Python, of the system, and of the
    packages that srcgrad uses.

    >>> show_versions()  # doctest: +ELLIPSIS
    srcgrad: ...
    """
    for name, version in versions().items():
        print(f"{name}: {version}")
