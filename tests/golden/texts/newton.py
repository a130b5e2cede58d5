# newton(x: float, tol: float) -> float;  d/dx
# kept in each iteration: y_saved  (8 bytes)
def newton_value_and_grad(x, tol):
    # ---- forward
    y_saved = []
    y = x
    while abs(y * y - x) > tol:
        y_saved.append(y)
        y = 0.5 * (y + x / y)
    # ---- backward
    d_y, d_x = 1.0, 0.0
    for y_2 in reversed(y_saved):
        # y = 0.5 * (y + x / y)
        d_y *= 0.5
        t1 = d_y / y_2
        d_x += t1
        d_y -= t1 * (x / y_2)
    d_x += d_y
    return y, (float(d_x),)
