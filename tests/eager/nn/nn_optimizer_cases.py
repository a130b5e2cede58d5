"""Fifty steps of every optimizer with various options on one small problem."""

CONFIGURATIONS = {
    "SGD": [{}, {"lr": 0.1, "momentum": 0.9}, {"lr": 0.05, "momentum": 0.9, "nesterov": True},
            {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1},
            {"lr": 0.001, "maximize": True}],
    "ASGD": [{}, {"lr": 0.1, "t0": 5, "weight_decay": 0.1}],
    "Adam": [{}, {"lr": 0.1, "weight_decay": 0.1}, {"lr": 0.1, "amsgrad": True},
             {"lr": 0.01, "betas": (0.3, 0.9), "maximize": True}],
    "AdamW": [{}, {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True}],
    "NAdam": [{}, {"lr": 0.1, "weight_decay": 0.1},
              {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True}],
    "RAdam": [{}, {"lr": 0.1, "weight_decay": 0.1},
              {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True,
               "betas": (0.9, 0.99)}],
    "RMSprop": [{}, {"momentum": 0.9, "weight_decay": 0.1}, {"centered": True, "alpha": 0.9},
                {"centered": True, "momentum": 0.5, "alpha": 0.9}],
    "Rprop": [{}, {"lr": 0.1, "etas": (0.4, 1.3), "step_sizes": (1e-4, 1.0)}],
    "Adagrad": [{}, {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1,
                     "initial_accumulator_value": 0.1}],
    "Adadelta": [{}, {"rho": 0.8, "weight_decay": 0.1}],
    "Adamax": [{}, {"lr": 0.1, "weight_decay": 0.1}],
    "LBFGS": [{"max_iter": 2}, {"line_search_fn": "strong_wolfe", "max_iter": 2},
              {"lr": 0.5, "history_size": 3, "max_iter": 4}],
}


def trajectory(torch, name, options, kind="float64", steps=50):
    """The parameters after ``steps`` steps, as a list of numbers (complex ones as pairs)."""
    dtype = getattr(torch, kind)
    torch.manual_seed(0)
    a = torch.randn(5, 4, dtype=dtype, requires_grad=True)
    b = torch.randn((), dtype=dtype, requires_grad=True)
    x, y = torch.randn(30, 5, dtype=dtype), torch.randn(30, 4, dtype=dtype)
    optimizer = getattr(torch.optim, name)([a, b], **options)

    def closure():
        optimizer.zero_grad()
        loss = (x.tanh() @ a * b - y).abs().pow(2).mean() + 0.01 * (a.abs() ** 4).sum()
        loss.backward()
        return loss

    for _ in range(8 if name == "LBFGS" else steps):
        optimizer.step(closure)
    flat = torch.cat([a.detach().reshape(-1), b.detach().reshape(1)])
    if flat.is_complex():
        flat = torch.view_as_real(flat).reshape(-1)
    return flat.tolist()


def trajectories(torch):
    result = {}
    for name, configurations in CONFIGURATIONS.items():
        for number, options in enumerate(configurations):
            result[f"{name} {number}"] = trajectory(torch, name, options)
        result[f"{name} complex"] = trajectory(torch, name, configurations[0], "complex128")
    return result
