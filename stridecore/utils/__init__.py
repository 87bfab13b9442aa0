"""Modules under the names that torch gives them: `stridecore.utils.dlpack`."""


def __getattr__(name):
    if name == "dlpack":
        from importlib import import_module

        return import_module("stridecore.utils.dlpack")
    raise AttributeError(f"module 'stridecore.utils' has no attribute {name!r}")
