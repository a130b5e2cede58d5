import numpy as np


# elements_of_a_bar(E: float, n: int) -> f8;  d/dE
def elements_of_a_bar_value_and_grad(E, n):
    # ---- forward
    element_nodes, element_nodes_2, element_length = [], [], []
    element_area = []
    for i in range(n):
        element_nodes.append(i)
        element_nodes_2.append(i + 1)
        element_length.append(1.0 / n)
        element_area.append(1.0 + 0.1 * i / n)
    K = np.zeros((n + 1, n + 1))
    for j in range(len(element_nodes)):
        k = E * element_area[j] / element_length[j]
        t1 = np.array([[1.0, -1.0], [-1.0, 1.0]])
        ke = k * t1
        t2 = element_nodes[j]
        t3 = element_nodes[j]
        K[t2, t3] += ke[0, 0]
        t2 = element_nodes[j]
        t3 = element_nodes_2[j]
        K[t2, t3] += ke[0, 1]
        t2 = element_nodes_2[j]
        t3 = element_nodes[j]
        K[t2, t3] += ke[1, 0]
        t2 = element_nodes_2[j]
        t3 = element_nodes_2[j]
        K[t2, t3] += ke[1, 1]
    f = np.ones(n) / n
    K_part = K[1:, 1:]
    u = np.linalg.solve(K_part, f)
    out = f @ u
    # ---- backward
    # u = np.linalg.solve(K[1:, 1:], f)
    d_K = np.zeros_like(K)
    d_K[1:, 1:] = -(np.linalg.solve(K_part.T, f)[:, None] * u)
    d_E = 0.0
    for j in reversed(range(len(element_nodes))):
        # K[e.nodes[a], e.nodes[b]] += ke[a, b]
        d_ke = np.zeros((2, 2))
        d_ke[1, 1] = d_K[element_nodes_2[j], element_nodes_2[j]]
        d_ke[1, 0] = d_K[element_nodes_2[j], element_nodes[j]]
        d_ke[0, 1] = d_K[element_nodes[j], element_nodes_2[j]]
        d_ke[0, 0] = d_K[element_nodes[j], element_nodes[j]]
        # Element.stiffness: return k * np.array([[1.0, -1.0], [-1.0, 1.0]])
        # Element.stiffness: k = E * self.area / self.length
        d_E += np.vdot(d_ke, t1) / element_length[j] * element_area[j]
    return out, float(d_E)
