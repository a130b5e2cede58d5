import numpy as np


# log_sum_forward(x: f8[k_1])
def log_sum_forward(x):
    n = x.shape[0]
    taken = n == 1
    if taken:
        out = x[0]
        t1 = record = t2 = record_2 = t3 = None
    else:
        t1, record = log_sum_forward(x[:n // 2])
        t2, record_2 = log_sum_forward(x[n // 2:])
        out = np.logaddexp(t1, t2)
        t3 = out
    return out, (taken, x.shape[0], t1, t3, t2, record_2, record)


# log_sum_backward(record: record, d_out: scalar:f8)
def log_sum_backward(record, d_out):
    taken, t1, t2, t3, t4, record, record_2 = record
    if taken:
        # return x[0]
        d_x = np.zeros(t1)
        d_x[0] = d_out
    else:
        t5 = t1 // 2
        # return np.logaddexp(log_sum(x[:n // 2]), log_sum(x[n // 2:]))
        d_x = np.zeros(t1)
        d_x[t5:] = log_sum_backward(record,
                                    d_out
                                    * np.exp((0.0 if t4 == np.inf else t4)
                                             - (0.0 if np.isinf(t4) else t3)))
        d_x[:t5] = log_sum_backward(record_2,
                                    d_out
                                    * np.exp((0.0 if t2 == np.inf else t2)
                                             - (0.0 if np.isinf(t2) else t3)))
    return d_x


# log_sum(x: f8[n]) -> f8;  d/dx
def log_sum_value_and_grad(x):
    # ---- forward
    out, record = log_sum_forward(x)
    # ---- backward
    d_x = log_sum_backward(record, 1.0)
    return out, (d_x,)
