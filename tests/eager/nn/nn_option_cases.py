"""Every combination of the optimizers' options, LBFGS on several problems, every schedule.

The functions take the engine's namespace; what PyTorch 2.13 gives is in ``options.json``,
written by ``tests/eager/data/record.py``.  Everything is in double precision: in single
precision some of these trajectories move by 1e-2 when the start moves by one unit in the last
place, in PyTorch itself.
"""

import itertools

import numpy as np

BOTH = [False, True]
OPTIONS = {
    "SGD": {"lr": [0.05], "momentum": [0, 0.9], "dampening": [0, 0.3], "weight_decay": [0, 0.05],
            "nesterov": BOTH, "maximize": BOTH},
    "Adam": {"lr": [0.02], "betas": [(0.9, 0.999), (0.5, 0.8)], "eps": [1e-8, 1e-3],
             "weight_decay": [0, 0.05], "amsgrad": BOTH, "maximize": BOTH,
             "decoupled_weight_decay": BOTH},
    "AdamW": {"lr": [0.02], "betas": [(0.9, 0.999), (0.5, 0.8)], "weight_decay": [0.01, 0.3],
              "amsgrad": BOTH, "maximize": BOTH},
    "Adamax": {"lr": [0.02], "betas": [(0.9, 0.999), (0.5, 0.8)], "weight_decay": [0, 0.05],
               "maximize": BOTH},
    "NAdam": {"lr": [0.02], "weight_decay": [0, 0.05], "momentum_decay": [0.004, 0.1],
              "decoupled_weight_decay": BOTH, "maximize": BOTH},
    "RAdam": {"lr": [0.02], "weight_decay": [0, 0.05], "decoupled_weight_decay": BOTH,
              "maximize": BOTH},
    "RMSprop": {"lr": [0.01], "alpha": [0.99, 0.8], "momentum": [0, 0.9], "centered": BOTH,
                "weight_decay": [0, 0.05], "maximize": BOTH},
    "Rprop": {"lr": [0.01], "etas": [(0.5, 1.2), (0.3, 1.5)],
              "step_sizes": [(1e-6, 50), (1e-3, 0.1)], "maximize": BOTH},
    "Adadelta": {"lr": [1.0, 0.5], "rho": [0.9, 0.5], "eps": [1e-6, 1e-3],
                 "weight_decay": [0, 0.05], "maximize": BOTH},
    "Adagrad": {"lr": [0.05], "lr_decay": [0, 0.01], "weight_decay": [0, 0.05],
                "initial_accumulator_value": [0, 0.3], "maximize": BOTH},
    "ASGD": {"lr": [0.05], "lambd": [1e-4, 1e-2], "alpha": [0.75, 0.5], "t0": [1e6, 5],
             "weight_decay": [0, 0.05], "maximize": BOTH},
}


def combinations(name):
    """The settings of one optimizer, those that it refuses left out."""
    for values in itertools.product(*OPTIONS[name].values()):
        options = dict(zip(OPTIONS[name], values))
        if options.get("nesterov") and (not options["momentum"] or options["dampening"]):
            continue
        yield options


def fitted(torch, name, options):
    """Fifty steps in two groups on a small network; one gradient is missing now and then."""
    random = np.random.RandomState(0)

    def normal(*shape):
        return torch.tensor(random.randn(*shape), dtype=torch.float64)

    x, y = normal(32, 6), normal(32, 2)
    weights = [0.5 * normal(6, 8), 0.5 * normal(8), 0.5 * normal(8, 2), 0.5 * normal(2)]
    for w in weights:
        w.requires_grad_()
    groups = [{"params": weights[:2]}, {"params": weights[2:], "lr": 0.03}]
    optimizer = getattr(torch.optim, name)(groups, **options)
    for step in range(20 if options["maximize"] else 50):
        optimizer.zero_grad()
        out = torch.tanh(x @ weights[0] + weights[1]) @ weights[2] + weights[3]
        ((out - y) ** 2).mean().backward()
        if step % 3 == 0:
            weights[1].grad = None
        optimizer.step()
    flat = torch.cat([w.detach().reshape(-1) for w in weights])
    return [flat.sum().item(), (flat * flat).sum().item()]


def problem(torch, name):
    """Parameters and a loss: smooth problems of several kinds."""
    random = np.random.RandomState(0)

    def given(a):
        return torch.tensor(np.asarray(a, np.float64))

    if name == "rosenbrock":
        p = given([-1.2, 1.0]).requires_grad_()
        return [p], lambda: 100 * (p[1] - p[0] ** 2) ** 2 + (1 - p[0]) ** 2
    if name == "quadratic":
        a = random.randn(20, 20)
        a, b = given(a @ a.T + np.eye(20)), given(random.randn(20))
        p = given(random.randn(20)).requires_grad_()
        return [p], lambda: 0.5 * p @ (a @ p) - b @ p
    if name == "logistic":
        x, y = given(random.randn(60, 8)), given(random.rand(60) > 0.5)
        w, b = given(np.zeros((8, 1))).requires_grad_(), given([0.0]).requires_grad_()
        loss = torch.nn.functional.binary_cross_entropy_with_logits
        return [w, b], lambda: loss((x @ w + b).squeeze(1), y) + 0.01 * (w**2).sum()
    t = given(np.linspace(0, 3, 50))
    y = 2.5 * torch.exp(-1.3 * t) + 0.5
    p = given([1.0, 1.0, 0.0]).requires_grad_()
    return [p], lambda: ((p[0] * torch.exp(-p[1] * t) + p[2] - y) ** 2).sum()


PROBLEMS = ("rosenbrock", "quadratic", "logistic", "decay")
LBFGS = (
    {}, {"lr": 0.1}, {"line_search_fn": "strong_wolfe"},
    {"line_search_fn": "strong_wolfe", "max_iter": 4, "history_size": 3},
    {"lr": 0.5, "max_iter": 5, "history_size": 2},
)


def quasi_newton(torch, name, options, at=(1, 5, 20, 50)):
    """The parameters after some of fifty steps of LBFGS."""
    parameters, loss = problem(torch, name)
    optimizer = torch.optim.LBFGS(parameters, **options)

    def closure():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    rows = []
    for step in range(1, 51):
        optimizer.step(closure)
        if step in at:
            rows += torch.cat([p.detach().reshape(-1) for p in parameters]).tolist()
    return rows


def halves(epoch):
    return 0.5**epoch


def slowly(epoch):
    return 1 / (1 + epoch)


SCHEDULES = (
    ("ConstantLR", {"factor": 0.3, "total_iters": 4}),
    ("CosineAnnealingLR", {"T_max": 7}), ("CosineAnnealingLR", {"T_max": 5, "eta_min": 0.01}),
    ("CosineAnnealingWarmRestarts", {"T_0": 4}),
    ("CosineAnnealingWarmRestarts", {"T_0": 3, "T_mult": 2, "eta_min": 0.001}),
    ("ExponentialLR", {"gamma": 0.9}), ("LambdaLR", {"lr_lambda": halves}),
    ("LambdaLR", {"lr_lambda": [halves, slowly]}), ("MultiplicativeLR", {"lr_lambda": slowly}),
    ("LinearLR", {}), ("LinearLR", {"start_factor": 0.2, "end_factor": 0.8, "total_iters": 6}),
    ("MultiStepLR", {"milestones": [3, 3, 8], "gamma": 0.2}),
    ("OneCycleLR", {"max_lr": 0.5, "total_steps": 31}),
    ("OneCycleLR", {"max_lr": [0.5, 0.2], "epochs": 4, "steps_per_epoch": 8, "pct_start": 0.2,
                    "anneal_strategy": "linear", "three_phase": True, "div_factor": 10}),
    ("PolynomialLR", {}), ("PolynomialLR", {"total_iters": 10, "power": 2}),
    ("StepLR", {"step_size": 4, "gamma": 0.3}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 5}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 4, "step_size_down": 7,
                  "mode": "triangular2"}),
    ("CyclicLR", {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 4, "mode": "exp_range",
                  "gamma": 0.95, "cycle_momentum": False}),
    ("ReduceLROnPlateau", {"patience": 2}),
    ("ReduceLROnPlateau", {"mode": "max", "factor": 0.5, "patience": 1, "cooldown": 2,
                           "threshold": 0.01, "threshold_mode": "abs", "min_lr": [0.001, 0.01]}),
)


def scheduled(torch, name, options):
    """Thirty rates and momenta of two groups, stored and loaded half way."""
    parameters = [torch.zeros(2, requires_grad=True), torch.zeros(3, requires_grad=True)]

    def fresh():
        groups = [{"params": parameters[:1]}, {"params": parameters[1:], "lr": 0.03}]
        optimizer = torch.optim.SGD(groups, lr=0.1, momentum=0.9)
        return optimizer, getattr(torch.optim.lr_scheduler, name)(optimizer, **options)

    random = np.random.RandomState(1)
    optimizer, schedule = fresh()
    rows = []
    for step in range(30):
        optimizer.step()
        schedule.step(*([random.rand()] if name == "ReduceLROnPlateau" else []))
        rows += schedule.get_last_lr() + [g["momentum"] for g in optimizer.param_groups]
        if step == 15:
            states = schedule.state_dict(), optimizer.state_dict()
            optimizer, schedule = fresh()
            schedule.load_state_dict(states[0])
            optimizer.load_state_dict(states[1])
    return rows


def everything(torch):
    """All of these results, by what they are called in the file."""
    results = {}
    for name in OPTIONS:
        for number, options in enumerate(combinations(name)):
            results[f"{name} {number}"] = fitted(torch, name, options)
    for name in PROBLEMS:
        for number, options in enumerate(LBFGS):
            results[f"LBFGS {name} {number}"] = quasi_newton(torch, name, options)
    for number, (name, options) in enumerate(SCHEDULES):
        results[f"{name} schedule {number}"] = scheduled(torch, name, options)
    return results
