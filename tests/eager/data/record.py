"""Write the reference files of this directory with a given engine; see README.md.

    python tests/eager/data/record.py ENGINE

ENGINE is the name of the module to import, PyTorch's for the files that are checked in.
"""

import importlib
import json
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "nn"))


def rounded(numbers):
    return [float(f"{float(x):.9g}") for x in numbers]


def main(engine):
    torch = importlib.import_module(engine)
    importlib.import_module(f"{engine}.nn.functional")
    importlib.import_module(f"{engine}.utils.checkpoint")
    import nn_functional_cases
    import nn_module_cases
    import nn_optimizer_cases
    import nn_option_cases
    import nn_programs

    programs = {name: rounded(run(torch)) for name, run in nn_programs.PROGRAMS.items()}
    (HERE / "programs.json").write_text(json.dumps(programs, indent=0) + "\n")
    arrays = {}
    for case in nn_functional_cases.CASES:
        for key, value in nn_functional_cases.evaluate(torch, case).items():
            arrays[f"{case.name}/{key}"] = np.asarray(value, np.float32)
    np.savez_compressed(
        HERE / "functional.npz", keys=np.array("\n".join(arrays)),
        shapes=np.array("\n".join("x".join(map(str, a.shape)) for a in arrays.values())),
        values=np.concatenate([a.ravel() for a in arrays.values()]))
    names = {case.name: nn_functional_cases.node_name(torch, case)
             for case in nn_functional_cases.CASES}
    (HERE / "node_names.json").write_text(json.dumps(names, indent=0) + "\n")
    (HERE / "modules.json").write_text(
        json.dumps(nn_module_cases.describe_all(torch), indent=0) + "\n")
    (HERE / "module_runs.json").write_text(
        json.dumps(nn_module_cases.run_all(torch), indent=0) + "\n")
    (HERE / "optimizers.json").write_text(
        json.dumps({name: rounded(values) for name, values in
                    nn_optimizer_cases.trajectories(torch).items()}, indent=0) + "\n")
    (HERE / "options.json").write_text(
        json.dumps({name: rounded(values) for name, values in
                    nn_option_cases.everything(torch).items()}, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
