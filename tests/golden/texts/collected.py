import numpy as np


# collected(x: f8[n], n: int) -> f8;  d/dx
# kept in each iteration: x, sin_x  (16*n bytes)
def collected_value_and_grad(x, n):
    # ---- forward
    kept, states = [], []
    for _ in range(n):
        sin_x = np.sin(x)
        kept.append((x, sin_x))
        x = sin_x * x
        states.append(x)
    total = 0.0
    for s in states:
        total += np.sum(s * s)
    # ---- backward
    d_states = [np.zeros_like(item) for item in states]
    for i in reversed(range(len(states))):
        # total += np.sum(s * s)
        d_states[i] += 2.0 * states[i]
    d_x = np.zeros_like(x)
    for i in reversed(range(n)):
        x, sin_x = kept[i]
        # states.append(x)
        d_x += d_states[i]
        # x = np.sin(x) * x
        t1 = d_x * x
        d_x *= sin_x
        d_x += t1 * np.cos(x)
    return total, (d_x,)
