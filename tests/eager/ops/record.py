"""Write ``tests/eager/data/ops.json`` anew with a given engine.

    python tests/eager/ops/record.py ENGINE

ENGINE is the name of the module to import, PyTorch's for the file that is checked in.  The
expressions are those already in the file; describe() of ``evaluate.py`` says what is recorded.
"""

import importlib
import json
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent / "data" / "ops.json"


def rounded(x):
    if isinstance(x, float):
        if not math.isfinite(x):
            return str(x)
        return int(x) if x == int(x) and abs(x) < 1e6 else float(f"{x:.5g}")
    return x


def packed(found):
    if "error" in found:
        return found
    out = {"outputs": [o if isinstance(o, str) else [*o[:3], [rounded(x) for x in o[3]]]
                       for o in found["outputs"]]}
    for key in ("first", "second"):
        if key in found:
            out[key] = [None if g is None else [rounded(x) for x in g] for g in found[key]]
    return out | ({"refused": found["refused"]} if "refused" in found else {})


def main(engine):
    from evaluate import describe

    torch = importlib.import_module(engine)
    old = json.loads(TABLE.read_text())
    rows = [[text, packed(describe(torch, text))] for text, _ in old["cases"]]
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    note = json.dumps(old["note"])
    TABLE.write_text('{"note": ' + note + ',\n"cases": [\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main(sys.argv[1])
