import numpy as np


# network(x: f8[n,m], params_layers_0_W: f8[k,p], params_layers_0_b: f8[q],
#     params_layers_1_W: f8[r,s], params_layers_1_b: f8[n_1], params_out: f8[m_1,k_1])
#     -> f8;  d/dparams
def network_value_and_grad(x, params_layers_0_W, params_layers_0_b, params_layers_1_W,
                           params_layers_1_b, params_out):
    # ---- forward
    x_2 = np.tanh(x @ params_layers_0_W + params_layers_0_b)
    x_3 = np.tanh(x_2 @ params_layers_1_W + params_layers_1_b)
    t1 = x_3 @ params_out
    out = np.sum(t1 ** 2)
    # ---- backward
    # return np.sum((x @ params["out"]) ** 2)
    t1 = 2 * t1
    d_x = t1 @ params_out.T
    d_params_out = x_3.T @ t1
    # Layer.__call__: return np.tanh(x @ self.W + self.b)
    d_x *= 1 - x_3 * x_3
    d_params_layers_1_b = d_x.sum(axis=0)
    d_x_2 = d_x @ params_layers_1_W.T
    d_params_layers_1_W = x_2.T @ d_x
    d_x_2 *= 1 - x_2 * x_2
    d_params_layers_0_b = d_x_2.sum(axis=0)
    d_params_layers_0_W = x.T @ d_x_2
    return out, ({'layers': [{'W': d_params_layers_0_W, 'b': d_params_layers_0_b},
                             {'W': d_params_layers_1_W, 'b': d_params_layers_1_b}],
                  'out': d_params_out},)
