import numpy as np


# tree(x: f8[n]) -> f8;  d/dx
# kept in each iteration: n_while, taken_saved_2, saved_3, saved_4
# kept in each iteration: depth_saved, saved_3, saved_4
def tree_value_and_grad(x):
    # ---- forward
    key = x[0]
    x_part = x[1:]
    n = x_part.shape[0]
    kept, leaf_key, leaf_left, leaf_right = [], [key], [-1], [-1]
    for v in x_part:
        n_while = 0
        taken_saved_2, saved_3, saved_4 = [], [], []
        node = 0
        while True:
            n_while += 1
            taken = v < leaf_key[node]
            taken_saved_2.append(taken)
            if taken:
                taken = not leaf_left[node] >= 0
                saved_3.append(taken)
                if taken:
                    t1 = len(leaf_key)
                    leaf_key.append(v)
                    leaf_left.append(-1)
                    leaf_right.append(-1)
                    leaf_left[node] = t1
                    break
                node = leaf_left[node]
            else:
                taken_2 = not leaf_right[node] >= 0
                saved_4.append(taken_2)
                if taken_2:
                    t1 = len(leaf_key)
                    leaf_key.append(v)
                    leaf_left.append(-1)
                    leaf_right.append(-1)
                    leaf_right[node] = t1
                    break
                node = leaf_right[node]
        kept.append((taken_saved_2, saved_3, saved_4, n_while))
    n_while = 0
    depth_saved, saved_3, saved_4 = [], [], []
    total = 0.0
    level = [0]
    depth = 1.0
    while len(level) != 0:
        n_while += 1
        depth_saved.append(depth)
        t1 = len(level)
        saved_3.append(t1)
        saved_5, below = [], []
        for t1 in level:
            saved_5.append(t1)
            total += leaf_key[t1] ** 2 / depth
            if leaf_left[t1] >= 0:
                below.append(leaf_left[t1])
            if leaf_right[t1] >= 0:
                below.append(leaf_right[t1])
        saved_4.append(saved_5)
        depth = depth + 1.0
        level = below
    # ---- backward
    d_leaf_key = [0.0] * len(leaf_key)
    for i in reversed(range(n_while)):
        t1 = saved_3[i]
        for i_2 in reversed(range(t1)):
            t1 = saved_4[i][i_2]
            # total += node.key ** 2 / depth
            d_leaf_key[t1] += 1.0 / depth_saved[i] * (2 * leaf_key[t1])
    t1 = np.zeros_like(x_part)
    for i in reversed(range(n)):
        taken_saved_2_2, saved_3_2, saved_4_2, n_while = kept[i]
        d_v = 0.0
        for i_2 in reversed(range(n_while)):
            if taken_saved_2_2[i_2]:
                if saved_3_2.pop():
                    # node.left = Leaf(v)
                    t2 = d_leaf_key.pop()
                    d_v += t2
            elif saved_4_2.pop():
                # node.right = Leaf(v)
                t2 = d_leaf_key.pop()
                d_v += t2
        t1[i] = d_v
    d_x = np.zeros_like(x)
    d_x[1:] = t1
    # root = Leaf(x[0])
    d_x[0] = d_leaf_key[0]
    return total, d_x
