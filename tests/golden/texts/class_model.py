import numpy as np


# class_model(x: f8[n,m], y: f8[k,p], model_layers_0_W: f8[q,r], model_layers_0_b:
#     f8[s], model_layers_1_W: f8[n_1,m_1], model_layers_1_b: f8[k_1]) -> f8;  d/dmodel
def class_model_value_and_grad(x, y, model_layers_0_W, model_layers_0_b,
                               model_layers_1_W, model_layers_1_b):
    # ---- forward
    z = x @ model_layers_0_W + model_layers_0_b
    x_2 = np.tanh(z)
    z = x_2 @ model_layers_1_W + model_layers_1_b
    t1 = z - y
    out = np.mean(t1 ** 2)
    # ---- backward
    # Model.loss: return np.mean((x - y) ** 2)
    d_z = 2.0 / max(x.shape[0] * model_layers_1_W.shape[1], 1) * t1
    # Dense.__call__: z = x @ self.W + self.b
    d_model_layers_1_b = d_z.sum(axis=0)
    d_model_layers_1_W = x_2.T @ d_z
    # Dense.__call__: return np.tanh(z) if self.activation == "tanh" else z
    d_z = d_z @ model_layers_1_W.T * (1 - x_2 * x_2)
    # Dense.__call__: z = x @ self.W + self.b
    return out, x.T @ d_z, d_z.sum(axis=0), d_model_layers_1_W, d_model_layers_1_b
