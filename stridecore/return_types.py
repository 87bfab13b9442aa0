"""The named tuples that functions with several results return: `stridecore.return_types.max` and its kin.

Each is a tuple whose items have names, and takes the items as one sequence:

    >>> import stridecore as sc
    >>> sc.tensor([3, 5, 4]).max(0)
    stridecore.return_types.max(
    values=tensor(5),
    indices=tensor(1))
"""

from operator import itemgetter

# name of the function: names of its results
FIELDS = {
    "aminmax": "min max",
    "cummax": "values indices",
    "cummin": "values indices",
    "frexp": "mantissa exponent",
    "histogram": "hist bin_edges",
    "kthvalue": "values indices",
    "max": "values indices",
    "median": "values indices",
    "min": "values indices",
    "mode": "values indices",
    "nanmedian": "values indices",
    "sort": "values indices",
    "topk": "values indices",
}

__all__ = sorted(FIELDS)


class ReturnType(tuple):
    """A tuple of named results."""

    __slots__ = ()
    fields = ()

    def __new__(cls, results):
        self = tuple.__new__(cls, results)
        if len(self) != len(cls.fields):
            raise TypeError(f"return_types.{cls.__name__}: takes {len(cls.fields)} results, got {len(self)}")
        return self

    def __repr__(self):
        items = ",\n".join([f"{name}={item!r}" for name, item in zip(self.fields, self, strict=True)])
        return f"stridecore.return_types.{type(self).__name__}(\n{items})"


for _name, _fields in FIELDS.items():
    _fields = tuple(_fields.split())
    _members = {"__slots__": (), "__module__": __name__, "fields": _fields}
    _members["__doc__"] = f"The results of `{_name}`: {' and '.join(_fields)}."
    _members.update({field: property(itemgetter(i)) for i, field in enumerate(_fields)})
    globals()[_name] = type(_name, (ReturnType,), _members)
