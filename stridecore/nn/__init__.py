"""What torch keeps in torch.nn and is about memory: `stridecore.nn.functional`."""

from stridecore.nn import functional as functional
