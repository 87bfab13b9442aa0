"""stridecore: the tensor memory model of PyTorch — storage, sizes, strides, storage_offset — without PyTorch."""

from stridecore import late as _late
from stridecore.broadcasting import *
from stridecore.config import *
from stridecore.copying import *
from stridecore.core.size import Size
from stridecore.creation import *
from stridecore.dtypes import *
from stridecore.exchange import *
from stridecore.formats import *
from stridecore.functions import *
from stridecore.headers import *
from stridecore.storage import *
from stridecore.tensor import *
from stridecore.tensor_types import *

__version__ = "0.1.0"
newaxis = None
# written out: the module math would be loaded for nothing else
e, pi, inf, nan = 2.718281828459045, 3.141592653589793, 1e999, -(1e999 - 1e999)


def __getattr__(name):
    value = _late.late_function(name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_late.late_names(), *_late.MODULES})


def _is_public(name):
    return not name.startswith("_") and name not in _late.MODULES and type(globals().get(name)) is not type(_late)


__all__ = [name for name in __dir__() if _is_public(name)]
