"""Inert stand-ins for what a file names and nobody here makes: classes, functions and their instances.

Nothing is imported and nothing is called. A stub keeps what the file says about an object, so that the tensors in it
can be taken out:

>>> from stridecore.checkpoint.stubs import Global, Stub
>>> made = Stub(Global("torch.nn.modules.linear", "Linear"), ())
>>> made.state = {"in_features": 3, "_parameters": {"bias": None}}
>>> made
<unopened torch.nn.modules.linear.Linear with in_features, _parameters>
>>> made["in_features"]
3
"""

__all__ = ["Global", "Stub"]

SHOWN = 3  # names of a stub's state in its repr


class Global:
    """The name of a class or function: `module` and `name`. It can't be called.

    `function` is the pickle interpreter's: what stands for a call of it, if anything.
    """

    __slots__ = ("function", "module", "name")

    def __init__(self, module, name, function=None):
        self.module = module
        self.name = name
        self.function = function

    def __eq__(self, other):
        return type(other) is Global and self.module == other.module and self.name == other.name

    def __hash__(self):
        return hash((self.module, self.name))

    def __str__(self):
        return f"{self.module}.{self.name}"

    def __repr__(self):
        return f"<unopened name {self.module}.{self.name}>"


class Stub:
    """What a file says about an object of an unknown class.

    `cls` is the Global of its class or of the function that would have made it (for odd files, whatever stood there),
    `args` and `kwargs` what it would have been called with, `state` what its __setstate__ would have got, `items` what
    would have been appended to it, and `entries` the pairs that would have been set in it. `stub[name]` is an attribute
    from the state.
    """

    __slots__ = ("__weakref__", "args", "cls", "entries", "items", "kwargs", "state")

    def __init__(self, cls, args=(), kwargs=None):
        self.cls = cls
        self.args = args
        self.kwargs = kwargs or {}
        self.state = None
        self.items = []
        self.entries = []

    @property
    def module(self):
        """The module of the class."""
        return self.cls.module if type(self.cls) is Global else None

    @property
    def name(self):
        """The name of the class."""
        return self.cls.name if type(self.cls) is Global else None

    @property
    def attributes(self):
        """The attributes in the state, as a dict: also where the state is a pair of a dict and a dict of slots."""
        parts = self.state if type(self.state) is tuple and len(self.state) == 2 else (self.state,)
        return {name: value for part in parts if isinstance(part, dict) for name, value in part.items()}

    def __getitem__(self, name):
        return self.attributes[name]

    def __repr__(self):
        text = f"<unopened {self.cls if type(self.cls) is Global else 'object'}"
        names = [str(name)[:40] for name in list(self.attributes)[: SHOWN + 1] if type(name) is str]
        if names:
            text += " with " + ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
        return text + ">"
