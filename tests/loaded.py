"""What stridecore.load gives beside what torch.load gives: the same structure, tensor by tensor, the same sharing."""

import against

import stridecore as sc


def same_objects(mine, theirs, torch):
    """Assert that two loaded objects are alike, down to the tensors and which storages they share."""
    pairs = []
    _same(mine, theirs, torch, pairs, {})
    for x, t in pairs:
        against.same(x, t.detach())  # the saved ones may be views, loaded ones are not
        assert against.storage_bytes(x) == against.storage_bytes(t)
    for x, t in pairs[:60]:
        for y, u in pairs[:60]:
            shared = x.untyped_storage() is y.untyped_storage()
            torchs = t.untyped_storage()._cdata == u.untyped_storage()._cdata
            # torch makes a new storage for every mention of an empty one
            assert shared == torchs or not t.untyped_storage().nbytes()
    return len(pairs)


def _same(mine, theirs, torch, pairs, seen):
    if id(mine) in seen:
        assert seen[id(mine)] == id(theirs)
        return
    if isinstance(theirs, torch.Tensor):
        assert type(mine) is sc.Tensor
        seen[id(mine)] = id(theirs)
        pairs.append((mine, theirs))
        return
    if isinstance(theirs, torch.Size):
        assert type(mine) is sc.Size and tuple(mine) == tuple(theirs)
        return
    if isinstance(theirs, torch.dtype):
        assert isinstance(mine, sc.dtype) and against.name_of(mine) == against.name_of(theirs)
        return
    if isinstance(theirs, torch.device):
        assert mine == sc.device("cpu")
        return
    assert type(mine) is type(theirs), (mine, theirs)
    if isinstance(theirs, dict):
        seen[id(mine)] = id(theirs)
        assert list(mine) == list(theirs)
        for key in theirs:
            _same(mine[key], theirs[key], torch, pairs, seen)
        assert mine.__dict__.keys() == theirs.__dict__.keys() if hasattr(theirs, "__dict__") else True
    elif isinstance(theirs, list | tuple):
        seen[id(mine)] = id(theirs)
        assert len(mine) == len(theirs)
        for x, t in zip(mine, theirs, strict=True):
            _same(x, t, torch, pairs, seen)
    else:
        assert mine == theirs or mine != mine
