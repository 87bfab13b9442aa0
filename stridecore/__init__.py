"""stridecore: the tensor memory model of PyTorch — storage, sizes, strides, storage_offset — without PyTorch."""

from math import e, inf, nan, pi

from stridecore.broadcasting import *
from stridecore.config import *
from stridecore.copied_views import *
from stridecore.copying import *
from stridecore.core.size import Size
from stridecore.creation import *
from stridecore.dtypes import *
from stridecore.exchange import *
from stridecore.formats import *
from stridecore.functions import *
from stridecore.gathering import *
from stridecore.headers import *
from stridecore.limits import *
from stridecore.pointwise import *
from stridecore.printing import *
from stridecore.random import *
from stridecore.storage import *
from stridecore.tensor import *
from stridecore.tensor_types import *

__version__ = "0.1.0"
newaxis = None
