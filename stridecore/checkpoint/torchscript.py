"""TorchScript archives: the tensors and attributes of their modules, by name. Their code is not looked at.

archive/data.pkl        the module: an object of a class `__torch__.…`, its attributes as state, submodules in it
archive/data/0          its storages
archive/constants.pkl   the tensors that the code refers to, as CONSTANTS.c0, CONSTANTS.c1, …; all weights of a module
                        that was frozen; their storages are in archive/constants/
"""

from collections import OrderedDict

from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.known import TORCH, Known, wrong
from stridecore.checkpoint.stubs import Stub

__all__ = ["SCRIPT", "is_script", "load_script"]

VISITS = 1_000_000  # modules, counted at each of their names


def _build_list(machine, args):
    """torch.jit._pickle.build_intlist and its kin: the list."""
    if len(args) != 1 or type(args[0]) is not list:
        raise wrong("build_list", args)
    return args[0]


def _restore_type_tag(machine, args):
    """torch.jit._pickle.restore_type_tag(value, type): the value."""
    if len(args) != 2:
        raise wrong("restore_type_tag", args)
    return args[0]


class _ScriptNames(Known):
    """The classes of scripted modules are what these files are about: none is refused."""

    def inert(self, name):
        return name.module.partition(".")[0] == "__torch__" or super().inert(name)


SCRIPT = _ScriptNames(
    {
        **TORCH.calls,
        **{("torch.jit._pickle", f"build_{kind}list"): _build_list for kind in ("int", "double", "bool", "tensor")},
        ("torch.jit._pickle", "restore_type_tag"): _restore_type_tag,
    },
    TORCH.values,
    TORCH.left_inert,
)


def is_script(container):
    """Whether an archive is TorchScript's."""
    return "constants.pkl" in container


def load_script(container, builder, unknown):
    """An OrderedDict: "layer.0.weight" and so on to the tensors and the other attributes, then the constants of the
    code under its own names for them: "CONSTANTS.c0", …"""
    if "data.pkl" not in container:
        raise container.archive.source.error("a TorchScript archive without data.pkl: older than the known ones")
    container.known = SCRIPT
    module = container.load(builder, unknown)
    constants = container.load(builder, unknown, "constants.pkl", "constants")
    if type(module) is not Stub:
        return module
    try:
        named = _named_attributes(module)
    except CheckpointError as error:
        raise container.archive.source.error(error.message, f"{container.root}/data.pkl") from None
    for number, constant in enumerate(constants if type(constants) is tuple else ()):
        named.setdefault(f"CONSTANTS.c{number}", constant)
    return named


def _is_module(value):
    return type(value) is Stub and (value.module or "").partition(".")[0] == "__torch__" and type(value.state) is dict


def _named_attributes(root):
    """The attributes of a module and of the modules in it, in the order of the file."""
    named, visits = OrderedDict(), 0
    pending = [("", root, frozenset())]
    while pending:
        name, value, above = pending.pop()
        if not _is_module(value):
            named[name] = value
            continue
        visits += 1
        if visits > VISITS or id(value) in above:
            raise CheckpointError("its modules contain each other too often")
        inner = above | {id(value)}
        prefix = f"{name}." if name else ""
        pending += [(f"{prefix}{key}", part, inner) for key, part in reversed(value.state.items())]
    return named
