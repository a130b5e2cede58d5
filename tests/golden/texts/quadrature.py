import numpy as np


# area_forward(a: float, b: float, fa: scalar:f8, fm: scalar:f8, fb: scalar:f8, whole:
#     scalar:f8, tolerance: float, w: float)
def area_forward(a, b, fa, fm, fb, whole, tolerance, w):
    m = 0.5 * (a + b)
    t1 = 0.5 * (a + m)
    t2 = np.exp(-w * t1)
    t3 = np.sin(t1)
    fl = t2 * t3
    t4 = 0.5 * (m + b)
    t5 = np.exp(-w * t4)
    t6 = np.sin(t4)
    fr = t5 * t6
    t7 = (m - a) / 6.0
    t8 = fa + 4.0 * fl + fm
    left = t7 * t8
    t9 = (b - m) / 6.0
    t10 = fm + 4.0 * fr + fb
    right = t9 * t10
    error = left + right - whole
    taken = abs(error) <= 15.0 * tolerance
    if taken:
        out = left + right + error / 15.0
        record = record_2 = None
    else:
        t11, record = area_forward(a, m, fa, fl, fm, left, 0.5 * tolerance, w)
        t12, record_2 = area_forward(m, b, fm, fr, fb, right, 0.5 * tolerance, w)
        out = t11 + t12
    return out, (taken, record_2, record, t10, t9, t8, t7, t6, t5, t4, w, t3, t2, t1)


# area_backward(record: record, d_out: scalar:f8)
def area_backward(record, d_out):
    taken, record, record_2, t1, t2, t3, t4, t5, t6, t7, w, t8, t9, t10 = record
    if taken:
        # return left + right + error / 15.0
        d_error = d_out / 15.0
        d_left = d_right = d_out
        d_m = d_b = d_fm = d_fr = d_fb = d_w = d_a = d_fa = d_fl = 0.0
    else:
        # return (area(a, m, fa, fl, fm, left, 0.5 * tolerance) + area(m, b, fm, fr, ...
        d_m, d_b, d_fm, d_fr, d_fb, d_right, d_w = area_backward(record, d_out)
        d_a, t11, d_fa, d_fl, t12, d_left, t13 = area_backward(record_2, d_out)
        d_m += t11
        d_fm += t12
        d_w += t13
        d_error = 0.0
    # error = left + right - whole
    d_whole = -d_error
    d_left += d_error
    d_right += d_error
    # right = (b - m) / 6.0 * (fm + 4.0 * fr + fb)
    t2 = d_right * t2
    d_fb += t2
    d_fr += t2 * 4.0
    t1 = d_right * t1 / 6.0
    d_b += t1
    d_m -= t1
    # left = (m - a) / 6.0 * (fa + 4.0 * fl + fm)
    t1 = d_left * t4
    d_fm += t2 + t1
    d_fa += t1
    d_fl += t1 * 4.0
    t1 = d_left * t3 / 6.0
    d_m += t1
    d_a -= t1
    # quadrature.f: return np.exp(-w * t) * np.sin(t)
    t1 = d_fr * t5 * t6
    # fl, fr = f(0.5 * (a + m)), f(0.5 * (m + b))
    t2 = (d_fr * t6 * np.cos(t7) - t1 * w) * 0.5
    d_m += t2
    d_b += t2
    # quadrature.f: return np.exp(-w * t) * np.sin(t)
    t2 = d_fl * t8 * t9
    d_w = d_w - t1 * t7 - t2 * t10
    # fl, fr = f(0.5 * (a + m)), f(0.5 * (m + b))
    t1 = (d_fl * t9 * np.cos(t10) - t2 * w) * 0.5
    d_a += t1
    d_m += t1
    # m = 0.5 * (a + b)
    t1 = d_m * 0.5
    d_a += t1
    d_b += t1
    return d_a, d_b, d_fa, d_fm, d_fb, d_whole, d_w


# quadrature(w: float, a: float, b: float, tolerance: float) -> f8;  d/d(w, b)
def quadrature_value_and_grad(w, a, b, tolerance):
    # ---- forward
    m = 0.5 * (a + b)
    t1 = np.exp(-w * a)
    sin_a = np.sin(a)
    fa = t1 * sin_a
    t2 = np.exp(-w * m)
    sin_m = np.sin(m)
    fm = t2 * sin_m
    t3 = np.exp(-w * b)
    sin_b = np.sin(b)
    fb = t3 * sin_b
    t4 = (b - a) / 6.0
    t5 = fa + 4.0 * fm + fb
    out, record = area_forward(a, b, fa, fm, fb, t4 * t5, tolerance, w)
    # ---- backward
    # return area(a, b, fa, fm, fb, (b - a) / 6.0 * (fa + 4.0 * fm + fb), tolerance)
    _, d_b, d_fa, d_fm, d_fb, t6, d_w = area_backward(record, 1.0)
    t4 = t6 * t4
    d_fb += t4
    d_fa += t4
    d_fm += t4 * 4.0
    # quadrature.f: return np.exp(-w * t) * np.sin(t)
    d_b += t6 * t5 / 6.0 + d_fb * t3 * np.cos(b)
    t3 = d_fb * sin_b * t3
    t4 = d_fm * sin_m * t2
    d_w = d_w - t3 * b - t4 * m - d_fa * sin_a * t1 * a
    # m = 0.5 * (a + b)
    d_b += (d_fm * t2 * np.cos(m) - t4 * w) * 0.5 - t3 * w
    return out, (float(d_w), float(d_b))
