import math


# walk(w: float, n: int) -> float;  d/dw
# kept in each iteration: node_saved  (8 bytes)
def walk_value_and_grad(w, n):
    # ---- forward
    node_value, node_next, nodes = [], [], []
    for i in range(n):
        t1 = len(node_value)
        node_value.append(w * (i + 1))
        node_next.append(None)
        nodes.append(t1)
    t1 = n - 1
    node_next_2 = [-1] * len(node_next)
    for i in range(t1):
        node_next_2[nodes[i]] = nodes[i + 1]
    node = nodes[0]
    node_saved = []
    total = 0.0
    while node >= 0:
        node_saved.append(node)
        total += math.sin(node_value[node])
        if node_value[node] > 0.7 * n and node_next_2[node] >= 0:
            t1 = node_next_2[node]
            if not t1 >= 0:
                raise AttributeError("'NoneType' object has no attribute 'next'")
            node = node_next_2[t1]
        else:
            node = node_next_2[node]
    # ---- backward
    d_node_value = [0.0] * len(node_value)
    for node in reversed(node_saved):
        # total += math.sin(node.value)
        d_node_value[node] += math.cos(node_value[node])
    # nodes = [Node(w * (i + 1)) for i in range(n)]
    d_w = 0.0
    for i in reversed(range(n)):
        d_value = d_node_value.pop()
        d_w += d_value * (i + 1)
    return total, float(d_w)
