"""Random programs of statements that are done to one list, one after the other."""

from __future__ import annotations

import random

MAKING = [
    'l = [v*1.5 for v in x]',
    'l = list(x)',
    'l = []\n    for v in x: l.append(v*v)',
    'l = [0.0]*len(x)\n    for i in range(len(x)): l[i] = x[i]*2',
    'l = sorted(x)',
    'l = x.tolist()',
    'l = [v for v in x if v > 0.7]',
    'l = [1.0, 2.0, x[0]]',
    'l = [*map(abs, x)]',
    'l = [x[0]]*3',
]

STATEMENTS = [line for line in '''
l.append(2.0)
l.extend([1.0, x[0]])
l.extend(x)
l += [3.0]
l += x.tolist()
l = l + l
l = l*2
l = [0.5] + l
l.insert(0, x[0])
l.insert(1, 4.0)
l.insert(-1, 4.0)
l.insert(len(l), 4.0)
l.pop()
l.pop(0)
l.pop(-2)
l.reverse()
l.sort()
l.sort(reverse=True)
l.sort(key=lambda v: -v)
l.remove(l[1])
del l[0]
del l[-1]
del l[:1]
del l[1:]
l = l[::-1]
l = l[1:]
l = l[:-1]
l = l[::2]
l = l[-2:]
l[0] = 5.0
l[-1] = x[0]
l[0] += 1.0
l[-1] *= 2
l[0], l[-1] = l[-1], l[0]
l[1], l[0] = l[0], 2*l[1]
l[:2] = [1.0, 2.0, x[0]]
l[1:1] = [7.0]
l[:] = [v+1 for v in l]
l = [v for v in l if v > 1.0]
l = [a*b for a, b in zip(l, l[1:])]
l = [v*i for i, v in enumerate(l)]
l = list(reversed(l))
l = sorted(l, key=lambda v: abs(v-1.0))
l = list(map(lambda v: v*2, l))
l = list(filter(lambda v: v < 3.0, l))
m = l; m.append(1.0)
m = l[:]; m.append(1.0)
m = list(l); m[0] = 9.0
m = l.copy(); m.clear()
l = l if len(l) > 2 else [1.0]*3
l.clear(); l.extend(x)
a, *b = l; l = b + [a]
*a, b = l; l = [b] + a
a, b = l[:2]; l.append(a*b)
l = [sum(l[:i+1]) for i in range(len(l))]
l = [max(l), min(l), sum(l)]
l = [l[i]*l[-i] for i in range(len(l))]
d = deque(l); d.rotate(1); l = list(d)
d = deque(l, maxlen=3); d.append(1.0); l = list(d)
d = deque(l); d.appendleft(d.pop()); l = list(d)
d = dict(enumerate(l)); l = list(d.values())
t = tuple(l); l = list(t[1:]) + [t[0]]
l = list(np.array(l)*2)
l = np.cumsum(l).tolist()
l = [v for v in l for _ in range(2)]
l = [[v, v*2] for v in l]; l = [r[1] for r in l]
l = [(v, i) for i, v in enumerate(l)]; l = [a*b for a, b in l]
while len(l) > 2: l.pop()
while l and l[-1] > 1.0: l.pop()
for v in list(l): l.append(v)
for i, v in enumerate(l): l[i] = v + i
for i in range(len(l)-1): l[i+1] += l[i]
for i in range(len(l)-1, -1, -1): l[i] *= 2
if l[0] > 1.0: l.append(x[-1])
if l[0] > 1.0: l = l[1:]
if 1.5 in l: l.append(1.0)
n = l.index(max(l)); l.append(float(n)); l[n] = 0.5
n = l.count(1.0); l.append(n*1.0)
l = [l[0]] + [a-b for a, b in zip(l[1:], l)]
s = iter(l); f = next(s); l = [f] + [v*2 for v in s]
import functools; l.append(functools.reduce(lambda a, b: a*0.5+b, l))
import itertools; l = list(itertools.accumulate(l))
l = list(itertools.chain(l, [1.0], l[:1]))
l = [p[0]*p[1] for p in itertools.pairwise(l)]
l = list(itertools.islice(l, 1, None))
import bisect; l.sort(); bisect.insort(l, 1.1)
import heapq; heapq.heapify(l); l.append(heapq.heappop(l)*2)
assert len(l) >= 0; l.append(float(len(l)))
l.append(l[0] if l else 0.0)
l.append(sum(1 for v in l if v > 1.0)*1.0)
l = [round(v, 2) + v for v in l]
l += x
l += x[:len(l)] if len(l) <= len(x) else x[0]
k = [1.0, 2.0]; k[:] = l; k.append(3.0); l = k
k = [1.0, 2.0, 3.0]; k[1:2] = l; l = k
d = deque([1.0]); d += l; l = list(d)
d = deque([1.0]); d.extendleft(l); l = list(d)
l = [*l, *l[:1]]
r = range(len(l)); l.append(l[r[-1]])
l = [a - b for a, b in zip(l, reversed(l))]
l = list(np.array(l) - np.average(l, weights=[1.0] * len(l)))
'''.splitlines() if line]


def program(seed: int) -> str:
    """The text of a function ``program(x)`` of a vector."""
    chance = random.Random(seed)
    steps = [chance.choice(MAKING), *chance.sample(STATEMENTS, chance.randint(1, 3))]
    lines = "\n".join(f"    {step}" for step in steps)
    return f"def program(x):\n{lines}\n    return sum((i + 1) * v for i, v in enumerate(l)) + len(l) + 0.0\n"
