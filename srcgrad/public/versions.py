"""What a report of a problem has to say of the machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .api import grad

_PACKAGES = ("numpy", "astor", "scipy")
_OPTIONAL = ("numba", "distributed")


def versions() -> dict[str, str]:
    """Versions of Python, of the system, and of the packages that srcgrad uses.

    >>> list(versions())
    ['srcgrad', 'python', 'system', 'numpy', 'astor', 'scipy', 'BLAS']
    """
    import platform
    return {"srcgrad": sys.modules["srcgrad"].__version__,
            "python": f"{platform.python_version()} ({sys.implementation.name})",
            "system": f"{platform.system()} {platform.release()} {platform.machine()}",
            **{name: _version(name) for name in _PACKAGES}, "BLAS": _blas()}


def _version(package: str) -> str:
    from importlib import metadata  # takes long to import
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _blas() -> str:
    built: Any = np.show_config(mode="dicts")
    found = built.get("Build Dependencies", {}).get("blas", {})
    return f"{found.get('name', 'unknown')} {found.get('version', '')}".strip()


def show_versions() -> None:
    """Print what a report of a problem should say: versions of Python, of the system, and of the
    packages that srcgrad uses.

    Raises nothing.

    See also :data:`config`.

    >>> show_versions()  # doctest: +ELLIPSIS
    srcgrad: ...
    """
    for name, version in versions().items():
        print(f"{name}: {version}")


def checks() -> dict[str, str]:
    """What ``python -m srcgrad doctor`` tries: a gradient, by each way that there is to run it,
    and whether generated code can be kept.

    >>> checks()["gradient"]
    'works'
    """
    from ..cache.files import directory
    found = {name: _version(name) for name in _OPTIONAL}
    folder = directory()
    return {**found, "gradient": _tried("numpy"),
            "native gradient": "needs numba" if found["numba"] == "not installed" else
                               _tried("numba"),
            "generated code is kept in": "nowhere" if folder is None else
                                         f"{folder} ({_writable(folder)})",
            "threads of BLAS": ", ".join(f"{name}={os.environ[name]}" for name in _THREADS
                                         if name in os.environ) or "not limited"}


_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def _cube(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 3
    return total


def _tried(backend: str) -> str:
    gradient: Any = grad(_cube, backend=backend)(np.array([1.0, 2.0]))
    return "works" if gradient.tolist() == [3.0, 12.0] else f"is wrong: {gradient}"


def _writable(folder: Path) -> str:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return "can be written" if os.access(folder, os.W_OK) else "cannot be written"
