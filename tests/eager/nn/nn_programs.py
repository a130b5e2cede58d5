"""Programs as users write them; each takes the namespace and returns numbers.

They are run with `srcgrad.eager` in the tests; the expected numbers in
`tests/eager/data/programs.json` are PyTorch's, from the same seeds.
"""

import copy
import math

PROGRAMS = {}


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def total(model):
    return sum(float(p.detach().double().abs().sum()) for p in model.parameters())


@program
def linear_regression_by_hand(torch):
    torch.manual_seed(0)
    x = torch.randn(50, 3)
    y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.3 + 0.01 * torch.randn(50)
    w = torch.zeros(3, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    losses = []
    for _ in range(100):
        loss = ((x @ w + b - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            b -= 0.1 * b.grad
            w.grad.zero_()
            b.grad.zero_()
        losses.append(loss.item())
    return [losses[0], losses[10], losses[-1], *w.tolist(), b.item()]


@program
def xor_network(torch):
    nn = torch.nn
    torch.manual_seed(1)
    x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Sigmoid())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
    loss_fn = nn.BCELoss()
    losses = []
    for _ in range(200):
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses[0], losses[50], losses[-1], *model(x).flatten().tolist()]


@program
def spiral_classifier(torch):
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(2)
    n, classes = 40, 3
    points, labels = [], []
    for c in range(classes):
        r = torch.linspace(0.0, 1, n)
        t = torch.linspace(c * 4.0, (c + 1) * 4.0, n) + torch.randn(n) * 0.2
        points.append(torch.stack((r * torch.sin(t), r * torch.cos(t)), 1))
        labels.append(torch.full((n,), c, dtype=torch.long))
    x, y = torch.cat(points), torch.cat(labels)
    model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(),
                          nn.Linear(32, classes))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, weight_decay=1e-5)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 30, 0.5)
    losses = []
    for _ in range(80):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    accuracy = (model(x).argmax(1) == y).float().mean().item()
    return [losses[0], losses[20], losses[-1], accuracy, scheduler.get_last_lr()[0]]


@program
def small_convolutional_network(torch):
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(1, 4, 3, padding=1, bias=False)  # no bias: norm
            self.norm = nn.BatchNorm2d(4)
            self.conv2 = nn.Conv2d(4, 8, 3, padding=1)
            self.drop = nn.Dropout(0.25)
            self.fc = nn.Linear(8 * 2 * 2, 3)

        def forward(self, x):
            x = F.max_pool2d(F.relu(self.norm(self.conv1(x))), 2)
            x = F.max_pool2d(F.relu(self.conv2(x)), 2)
            return self.fc(self.drop(torch.flatten(x, 1)))

    torch.manual_seed(3)
    x = torch.randn(12, 1, 8, 8)
    y = torch.randint(0, 3, (12,))
    model = Net()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(15):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(x)
    return [losses[0], losses[-1], out.sum().item(), model.norm.running_mean.sum().item(),
            float(model.norm.num_batches_tracked)]


@program
def character_recurrent_network(torch):
    nn, F = torch.nn, torch.nn.functional

    class CharModel(nn.Module):
        def __init__(self, vocabulary, hidden):
            super().__init__()
            self.embed = nn.Embedding(vocabulary, 8)
            self.lstm = nn.LSTM(8, hidden, num_layers=2, batch_first=True)
            self.out = nn.Linear(hidden, vocabulary)

        def forward(self, x, state=None):
            h, state = self.lstm(self.embed(x), state)
            return self.out(h), state

    torch.manual_seed(4)
    text = "hello world, hello gradient"
    letters = sorted(set(text))
    data = torch.tensor([letters.index(c) for c in text])
    x, y = data[:-1].view(2, 13), data[1:].view(2, 13)
    model = CharModel(len(letters), 16)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(30):
        logits, _ = model(x)
        loss = F.cross_entropy(logits.reshape(-1, len(letters)), y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return [losses[0], losses[10], losses[-1], norm.item()]


@program
def gru_sums_a_sequence(torch):
    nn = torch.nn
    torch.manual_seed(5)
    x = torch.rand(16, 6, 1)
    y = x.sum(1)
    gru = nn.GRU(1, 8, batch_first=True)
    head = nn.Linear(8, 1)
    parameters = list(gru.parameters()) + list(head.parameters())
    optimizer = torch.optim.RMSprop(parameters, lr=5e-3)
    losses = []
    for _ in range(40):
        out, h = gru(x)
        loss = nn.functional.mse_loss(head(h[-1]), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses[0], losses[-1], out.detach().abs().sum().item()]


@program
def rosenbrock_with_lbfgs(torch):
    x = torch.tensor([-1.5, 2.0], dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([x], max_iter=10, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        f = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
        f.backward()
        return f

    values = [optimizer.step(closure).item() for _ in range(5)]
    return [*values, *x.tolist(), optimizer.state_dict()["state"][0]["func_evals"]]


@program
def transformer_block(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
            self.norm1 = nn.LayerNorm(width)
            self.norm2 = nn.LayerNorm(width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                     nn.Linear(4 * width, width))

        def forward(self, x, mask):
            h = self.norm1(x)
            out, weights = self.attention(h, h, h, attn_mask=mask)
            x = x + out
            return x + self.mlp(self.norm2(x)), weights

    torch.manual_seed(6)
    x = torch.randn(3, 7, 16)
    target = torch.roll(x, 1, dims=1)
    mask = torch.triu(torch.ones(7, 7, dtype=torch.bool), diagonal=1)
    block = Block(16, 4)
    optimizer = torch.optim.AdamW(block.parameters(), lr=1e-2)
    losses = []
    for _ in range(20):
        out, weights = block(x, mask)
        loss = nn.functional.mse_loss(out, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses[0], losses[-1], weights[0, -1].sum().item(), weights[0, 0, 0].item()]


@program
def variational_autoencoder(torch):
    nn, F = torch.nn, torch.nn.functional

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc = nn.Linear(12, 16)
            self.mu = nn.Linear(16, 2)
            self.log_var = nn.Linear(16, 2)
            self.dec = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 12))

        def forward(self, x):
            h = F.relu(self.enc(x))
            mu, log_var = self.mu(h), self.log_var(h)
            z = mu + torch.randn_like(mu) * torch.exp(0.5 * log_var)
            return self.dec(z), mu, log_var

    torch.manual_seed(7)
    x = (torch.rand(32, 12) > 0.5).float()
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(25):
        logits, mu, log_var = model(x)
        reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
        kl = -0.5 * torch.sum(1 + log_var - mu.pow(2) - log_var.exp())
        loss = (reconstruction + kl) / x.size(0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses[0], losses[-1], kl.item(), total(model)]


@program
def generative_adversarial_step(torch):
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(8)
    generator = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
    critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.999))
    numbers = []
    for _ in range(10):
        real = torch.randn(16, 2) * 0.5 + 1
        fake = generator(torch.randn(16, 4))
        loss_d = (F.binary_cross_entropy_with_logits(critic(real), torch.ones(16, 1))
                  + F.binary_cross_entropy_with_logits(critic(fake.detach()),
                                                       torch.zeros(16, 1)))
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()
        loss_g = F.binary_cross_entropy_with_logits(critic(fake), torch.ones(16, 1))
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        numbers.append((loss_d.item(), loss_g.item()))
    return [*numbers[0], *numbers[-1], total(generator), total(critic)]


@program
def gradient_penalty(torch):
    nn = torch.nn
    torch.manual_seed(9)
    critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
    numbers = []
    for _ in range(10):
        real, fake = torch.randn(8, 3) + 1, torch.randn(8, 3)
        alpha = torch.rand(8, 1)
        between = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
        grad, = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
        penalty = ((grad.norm(2, dim=1) - 1) ** 2).mean()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        numbers += [loss.item(), penalty.item()]
    return [*numbers[:2], *numbers[-2:], total(critic)]


@program
def meta_learning(torch):
    F = torch.nn.functional
    torch.manual_seed(10)
    w1 = (torch.randn(8, 1) * 0.5).requires_grad_()
    b1 = torch.zeros(8, requires_grad=True)
    w2 = (torch.randn(1, 8) * 0.5).requires_grad_()
    meta = torch.optim.SGD([w1, b1, w2], lr=0.05)

    def forward(x, params):
        return F.linear(torch.tanh(F.linear(x, params[0], params[1])), params[2])

    losses = []
    for _ in range(8):
        outer = 0.0
        for _ in range(3):
            phase = torch.rand(1) * 3
            xs, xq = torch.rand(5, 1) * 4 - 2, torch.rand(5, 1) * 4 - 2
            params = [w1, b1, w2]
            for _ in range(2):
                inner = F.mse_loss(forward(xs, params), torch.sin(xs + phase))
                grads = torch.autograd.grad(inner, params, create_graph=True)
                params = [p - 0.1 * g for p, g in zip(params, grads)]
            outer = outer + F.mse_loss(forward(xq, params), torch.sin(xq + phase))
        meta.zero_grad()
        outer.backward()
        meta.step()
        losses.append(outer.item())
    return [losses[0], losses[-1], w1.sum().item(), b1.grad.abs().sum().item()]


@program
def custom_function_in_a_model(torch):
    nn = torch.nn

    class ClippedExp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, limit):
            out = x.clamp(max=limit).exp()
            ctx.save_for_backward(x, out)
            ctx.limit = limit
            return out

        @staticmethod
        def backward(ctx, grad):
            x, out = ctx.saved_tensors
            return grad * out * (x <= ctx.limit), None

    torch.manual_seed(11)
    layer = nn.Linear(4, 4)
    x = torch.randn(6, 4)
    optimizer = torch.optim.Adagrad(layer.parameters(), lr=0.05)
    losses = []
    for _ in range(20):
        loss = ClippedExp.apply(layer(x), 0.5).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses[0], losses[-1], layer.weight.grad.abs().sum().item()]


@program
def schedules_of_all_kinds(torch):
    L = torch.optim.lr_scheduler
    makers = [
        lambda o: L.LambdaLR(o, lambda e: 0.95**e),
        lambda o: L.MultiStepLR(o, [3, 7], 0.3),
        lambda o: L.ConstantLR(o, 0.5, 4),
        lambda o: L.LinearLR(o, 0.2, 1.0, 6),
        lambda o: L.ExponentialLR(o, 0.9),
        lambda o: L.PolynomialLR(o, 8, 2.0),
        lambda o: L.CosineAnnealingLR(o, 5, 0.01),
        lambda o: L.CosineAnnealingWarmRestarts(o, 3, 2),
        lambda o: L.OneCycleLR(o, 1.0, total_steps=12),
        lambda o: L.SequentialLR(o, [L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.9)], [3]),
    ]
    numbers = []
    for make in makers:
        w = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=0.5, momentum=0.9)
        scheduler = make(optimizer)
        for _ in range(10):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
            scheduler.step()
        numbers += [w[0].item(), scheduler.get_last_lr()[0]]
    plateau_w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([plateau_w], lr=1.0)
    scheduler = L.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    for value in [5, 4, 4, 4, 4, 3, 3, 3, 3]:
        optimizer.step()
        scheduler.step(value)
    return [*numbers, optimizer.param_groups[0]["lr"]]


@program
def data_loading_and_evaluation(torch):
    nn, D = torch.nn, torch.utils.data
    torch.manual_seed(12)
    x = torch.randn(50, 4)
    y = (x.sum(1) > 0).long()
    train, held_out = D.random_split(D.TensorDataset(x, y), [40, 10])
    loader = D.DataLoader(train, batch_size=8, shuffle=True, drop_last=True)
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for _ in range(3):
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = nn.CrossEntropyLoss()(model(xb), yb)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    with torch.inference_mode():
        hits = sum((model(xb).argmax(1) == yb).sum().item()
                   for xb, yb in D.DataLoader(held_out, batch_size=4))
    return [len(losses), losses[0], losses[7], losses[-1], hits]


@program
def frozen_layers_and_parameter_groups(torch):
    nn = torch.nn
    torch.manual_seed(13)
    body, head = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 8)), nn.Linear(8, 1)
    for p in body[0].parameters():
        p.requires_grad = False
    before = body[0].weight.clone()
    optimizer = torch.optim.Adam([
        {"params": [p for p in body.parameters() if p.requires_grad], "lr": 1e-3},
        {"params": head.parameters()},
    ], lr=1e-2)
    x, y = torch.randn(20, 5), torch.randn(20, 1)
    for _ in range(20):
        optimizer.zero_grad(set_to_none=False)
        loss = nn.functional.smooth_l1_loss(head(torch.relu(body(x))), y)
        loss.backward()
        optimizer.step()
    unchanged = float(torch.equal(before, body[0].weight))
    return [loss.item(), unchanged, total(body), total(head)]


@program
def exponential_moving_average_teacher(torch):
    nn = torch.nn
    torch.manual_seed(14)
    student = nn.Sequential(nn.Linear(3, 8), nn.SiLU(), nn.Linear(8, 2))
    teacher = copy.deepcopy(student).requires_grad_(False)
    optimizer = torch.optim.NAdam(student.parameters(), lr=5e-3)
    distances = []
    for _ in range(15):
        x = torch.randn(10, 3)
        with torch.no_grad():
            target = teacher(x + 0.1 * torch.randn_like(x)).softmax(-1)
        log_p = nn.functional.log_softmax(student(x), dim=-1)
        loss = nn.functional.kl_div(log_p, target, reduction="batchmean")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for p, q in zip(student.parameters(), teacher.parameters()):
                q.mul_(0.9).add_(p, alpha=0.1)
        distances.append(loss.item())
    return [distances[0], distances[-1], total(student), total(teacher)]


@program
def gaussian_mixture_likelihood(torch):
    torch.manual_seed(15)
    data = torch.cat([torch.randn(60, 2) * 0.4 + 2, torch.randn(60, 2) - 1])
    logits = torch.zeros(2, requires_grad=True)
    means = torch.tensor([[1.0, 1.0], [-0.5, 0.0]], requires_grad=True)
    log_scale = torch.zeros(2, 2, requires_grad=True)
    optimizer = torch.optim.Adam([logits, means, log_scale], lr=0.05)
    for _ in range(60):
        optimizer.zero_grad()
        z = (data[:, None, :] - means) / log_scale.exp()
        log_p = (-0.5 * z**2 - log_scale - 0.5 * math.log(2 * math.pi)).sum(-1)
        loss = -torch.logsumexp(log_p + torch.log_softmax(logits, 0), dim=1).mean()
        loss.backward()
        optimizer.step()
    return [loss.item(), *means.flatten().tolist(), *logits.softmax(0).tolist()]


@program
def policy_gradient(torch):
    nn = torch.nn
    torch.manual_seed(16)
    policy = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    rewards_table = torch.tensor([0.1, 1.0, 0.3])
    averages = []
    for _ in range(20):
        states = torch.randn(32, 2)
        log_p = torch.log_softmax(policy(states), -1)
        actions = torch.multinomial(log_p.detach().exp(), 1)
        rewards = rewards_table[actions.squeeze(1)]
        advantage = rewards - rewards.mean()
        loss = -(log_p.gather(1, actions).squeeze(1) * advantage).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        averages.append(rewards.mean().item())
    return [averages[0], averages[-1], loss.item(), total(policy)]


@program
def gradient_accumulation_and_clipping(torch):
    nn = torch.nn
    torch.manual_seed(17)
    model = nn.Sequential(nn.Linear(6, 12), nn.ELU(), nn.Linear(12, 1))
    optimizer = torch.optim.RAdam(model.parameters(), lr=1e-2)
    x, y = torch.randn(32, 6), torch.randn(32, 1)
    norms = []
    for step in range(24):
        part = slice(8 * (step % 4), 8 * (step % 4) + 8)
        loss = nn.functional.huber_loss(model(x[part]), y[part]) / 4
        loss.backward()
        if step % 4 == 3:
            norms.append(float(nn.utils.clip_grad_norm_(model.parameters(), 0.05)))
            nn.utils.clip_grad_value_(model.parameters(), 0.02)
            optimizer.step()
            optimizer.zero_grad()
    vector = nn.utils.parameters_to_vector(model.parameters())
    return [loss.item(), norms[0], norms[-1], vector.norm().item(), vector.numel()]


@program
def hooks_and_intermediate_values(torch):
    nn = torch.nn
    torch.manual_seed(18)
    model = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    seen = {}
    model[1].register_forward_hook(lambda m, args, out: seen.__setitem__("out", out))
    model[0].register_full_backward_hook(
        lambda m, gin, gout: seen.__setitem__("gout", gout[0].abs().sum().item()))
    model[2].register_forward_pre_hook(lambda m, args: (args[0] * 2,))
    x = torch.randn(4, 3, requires_grad=True)
    out = model(x)
    seen["out"].retain_grad()
    handle = x.register_hook(lambda g: g * 10)
    out.pow(2).sum().backward()
    first = x.grad.abs().sum().item()
    handle.remove()
    x.grad = None
    model(x).pow(2).sum().backward()
    return [out.sum().item(), seen["gout"], first, x.grad.abs().sum().item()]


@program
def unet_like_upsampling(torch):
    nn, F = torch.nn, torch.nn.functional

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.Conv2d(2, 4, 3, stride=2, padding=1)
            self.norm = nn.GroupNorm(2, 4)
            self.up = nn.ConvTranspose2d(4, 2, 2, stride=2)
            self.out = nn.Conv2d(4, 1, 1)

        def forward(self, x):
            low = F.gelu(self.norm(self.down(x)))
            high = torch.cat([self.up(low), x], 1)
            coarse = F.interpolate(low.mean(1, keepdim=True), scale_factor=2, mode="bilinear",
                                   align_corners=False)
            return self.out(high) + coarse

    torch.manual_seed(19)
    x, y = torch.randn(2, 2, 8, 8), torch.randn(2, 1, 8, 8)
    model = Net()
    optimizer = torch.optim.Adamax(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(12):
        loss = F.l1_loss(model(x), y) + 1e-3 * sum(p.square().sum() for p in model.parameters())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses[0], losses[-1], total(model)]


@program
def physics_informed_network(torch):
    nn = torch.nn
    torch.manual_seed(20)
    net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)).double()
    t = torch.linspace(0, 1, 20, dtype=torch.float64).view(-1, 1).requires_grad_(True)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        u = net(t)
        du, = torch.autograd.grad(u, t, torch.ones_like(u), create_graph=True)
        d2u, = torch.autograd.grad(du, t, torch.ones_like(du), create_graph=True)
        residual = d2u + 4 * u
        start = (u[0] - 1) ** 2 + du[0] ** 2
        loss = residual.pow(2).mean() + start.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses[0], losses[-1], u.detach().sum().item()]


@program
def siamese_embedding(torch):
    nn = torch.nn
    torch.manual_seed(21)
    tower = nn.Sequential(nn.Linear(6, 12), nn.PReLU(), nn.Linear(12, 4))
    optimizer = torch.optim.Adadelta(tower.parameters(), lr=1.0)
    a, p, n = torch.randn(10, 6), torch.randn(10, 6), torch.randn(10, 6)
    triplet, cosine = nn.TripletMarginLoss(margin=0.5), nn.CosineEmbeddingLoss(margin=0.1)
    signs = torch.tensor([1.0, -1.0] * 5)
    losses = []
    for _ in range(25):
        za, zp, zn = (nn.functional.normalize(tower(v), dim=-1) for v in (a, p, n))
        loss = triplet(za, zp, zn) + cosine(za, zp, signs)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return [losses[0], losses[-1], total(tower)]
