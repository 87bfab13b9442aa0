"""`pad`, `unfold` (im2col) and `fold` (col2im), as torch.nn.functional has them."""

from stridecore.padding import pad as pad
from stridecore.windows import fold as fold
from stridecore.windows import unfold as unfold
