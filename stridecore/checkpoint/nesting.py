"""How deep the containers of an object are nested: measured without recursion, so that it can be refused."""

from collections import Counter, OrderedDict, defaultdict, deque

from stridecore.checkpoint import limits
from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.stubs import Stub

__all__ = ["DICTS", "LISTS", "check_depth"]

DICTS = (dict, OrderedDict, Counter, defaultdict)
LISTS = (list, deque)
CONTAINERS = {tuple, list, set, frozenset, deque, Stub, *DICTS}


def check_depth(value):
    """Refuse containers that are nested deeper than the limit: hashing, comparing or freeing them would recurse.

    The depth of a container is 1 + the largest one in it; of the containers on a cycle the first one met counts as 0.
    """
    depths, pending = {}, [(value, False)]
    while pending:
        container, finished = pending.pop()
        if finished:
            depth = 1 + max((depths[id(part)] for part in parts_of(container)), default=0)
            if depth > limits.DEPTH:
                raise CheckpointError(f"objects are nested more than {limits.DEPTH} deep")
            depths[id(container)] = depth
        elif id(container) not in depths:
            depths[id(container)] = 0
            if len(pending) > 2 * limits.MEMO:
                raise CheckpointError("too many containers in containers")
            pending.append((container, True))
            pending.extend((part, False) for part in parts_of(container))


def parts_of(container):
    """The containers that are directly in one."""
    kind = type(container)
    if kind in DICTS:
        found = [part for part in container.values() if type(part) in CONTAINERS]
        found += [part for part in container if type(part) in CONTAINERS]
        return found
    if kind is Stub:
        parts = (container.cls, container.args, container.kwargs, container.state, container.items, container.entries)
        return [part for part in parts if type(part) in CONTAINERS]
    return [part for part in container if type(part) in CONTAINERS] if kind in CONTAINERS else []
