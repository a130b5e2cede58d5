"""`torch.backends.cuda`: not built."""

from srcgrad.eager.backends.switches import never


class _Matmul:
    """Switches of matrix products."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _Matmul()
is_built = never
