import math
import numpy as np


# dijkstra(w: f8[n], source: int, target: int, graph_0: list[list[int]], graph_1:
#     list[list[int]]) -> f8;  d/dw
# kept in each iteration: t1, u, saved_2, saved_3, saved_4  (k_24 + 25 bytes)
# uses heap_item of srcgrad.rules.python.heaps
def dijkstra_value_and_grad(w, source, target, graph_0, graph_1):
    # ---- forward
    n = len(graph_0)
    dist = [math.inf for _ in range(n)]
    dist[source] = 0.0
    queue_items = [0.0]
    queue_items_2 = [source]
    queue = [heap_item(0, 0.0, source)]
    kept, saved_2, saved_3, saved_4 = [], [], [], []
    while len(queue):
        t1 = heappop(queue)
        t1 = t1[-1]
        d, u = queue_items[t1], queue_items_2[t1]
        kept.append((t1, u))
        if u == target:
            break
        taken = d > dist[u]
        saved_2.append(taken)
        if not taken:
            t1, t2 = graph_0[u], graph_1[u]
            t3 = len(t1)
            saved_3.append(t3)
            taken_saved = np.empty(t3, bool)
            for i, v in enumerate(t1):
                e = t2[i]
                new = d + w[e]
                taken_2 = taken_saved[i] = new < dist[v]
                if taken_2:
                    dist[v] = new
                    queue_items.append(new)
                    queue_items_2.append(v)
                    heappush(queue, heap_item(len(queue_items) - 1, new, v))
            saved_4.append(taken_saved)
    t1 = dist[target]
    out = t1 ** 2
    # ---- backward
    # return dist[target] ** 2
    d_dist = [0.0] * len(dist)
    d_dist[target] += 2 * t1
    d_queue_items = [0.0] * len(queue_items)
    d_w = np.zeros_like(w)
    for t4, u in reversed(kept):
        if u != target and not saved_2.pop():
            t1 = saved_4.pop()
            t2 = graph_0[u]
            t3 = graph_1[u]
            d_d = 0.0
            for i_2 in reversed(range(saved_3.pop())):
                v, e = t2[i_2], t3[i_2]
                if t1[i_2]:
                    # heapq.heappush(queue, (new, v))
                    # dist[v] = new
                    d_new = d_queue_items.pop() + d_dist[v]
                    d_dist[v] = 0.0
                    # new = d + w[e]
                    d_d += d_new
                    d_w[e] += d_new
            # d, u = heapq.heappop(queue)
            d_queue_items[t4] += d_d
    return out, d_w
