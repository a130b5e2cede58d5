import math


# agents(rate: float, n: int, steps: int) -> f8;  d/drate
# kept in each iteration: saved, a, t1, taken
def agents_value_and_grad(rate, n, steps):
    # ---- forward
    agent_energy, agent_speed, alive = [], [], []
    for i in range(n):
        t1 = len(agent_energy)
        agent_energy.append(1.0 + 0.1 * math.sin(i))
        agent_speed.append(0.5 + 0.01 * i)
        alive.append(t1)
    saved, kept = [], []
    for t in range(steps):
        t1 = len(alive)
        kept_2, survivors = [], []
        saved.append(t1)
        for a in alive:
            t1 = math.cos(t + agent_speed[a])
            agent_energy[a] += rate * t1 - 0.1 * agent_speed[a]
            if agent_energy[a] > 0.0:
                survivors.append(a)
            taken = agent_energy[a] > 1.5
            kept_2.append((a, t1, taken))
            if taken:
                agent_energy[a] *= 0.5
                t1 = len(agent_energy)
                agent_energy.append(agent_energy[a])
                agent_speed.append(agent_speed[a] * 0.9)
                survivors.append(t1)
        alive = survivors
        kept.append(kept_2)
    t1 = [agent_energy[a] * agent_speed[a] for a in alive]
    total = sum(t1)
    # ---- backward
    # return sum(a.energy * a.speed for a in alive)
    d_agent_energy = [0.0] * len(agent_energy)
    for j in reversed(range(len(alive))):
        a = alive[j]
        d_agent_energy[a] += agent_speed[a]
    d_rate = 0.0
    for t in reversed(range(steps)):
        kept_2 = kept[t]
        t1 = saved[t]
        for j in reversed(range(t1)):
            a, t2, taken_2 = kept_2[j]
            if taken_2:
                # survivors.append(Agent(a.energy, a.speed * 0.9))
                d_energy = d_agent_energy.pop()
                d_agent_energy[a] += d_energy
                # a.energy *= 0.5
                d_agent_energy[a] *= 0.5
            # a.energy += rate * math.cos(t + a.speed) - 0.1 * a.speed
            d_rate += d_agent_energy[a] * t2
    return total, float(d_rate)
