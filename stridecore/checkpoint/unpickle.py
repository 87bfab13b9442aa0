"""A pickle interpreter that builds plain values and nothing else.

A pickle is a program for a stack machine. Here its opcodes make None, bools, numbers, strings, bytes, tuples, lists,
dicts and sets; a name is looked up in a closed table (`known`), and every other name is an inert Global, every object
made from one an inert Stub. Nothing is imported, no attribute of anything is looked up by a name from the file, no
function from the file is called. A persistent id goes to the reader of the container that the pickle is in.

Every number is compared with the data and with `limits` before it is used, so the work is bounded by the length of the
pickle: opcodes cost a constant, and what costs more spends from a budget (`Machine.spend`).
"""

import struct

from stridecore.checkpoint import limits
from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.nesting import DICTS, LISTS, check_depth
from stridecore.checkpoint.operands import Truncated, block, line, number, real, text_of, unescaped
from stridecore.checkpoint.stubs import Global, Stub

__all__ = ["Machine", "Truncated"]

PLAIN_KEYS = (str, int, bytes, float, bool, type(None), complex)
FLOAT = struct.Struct(">d")
INT = struct.Struct("<i")
LENGTH = struct.Struct("<I")
STRETCH = 4096  # opcodes between two looks at what grows with each
# Python 2's names
MODULES = {"__builtin__": "builtins", "copy_reg": "copyreg"}
LARGEST_PROTOCOL = 5


class Machine:
    """Machine(known, builder, persistent, unknown): runs pickles; `run(data, start)` gives (value, end).

    `known` maps (module, name) to a function (machine, args) -> value, `values` to what a name simply is.
    `persistent(pid)` gives the value of a persistent id; None refuses them. unknown="error" refuses unknown names.
    """

    def __init__(self, known, builder=None, persistent=None, unknown="stub"):
        self.known = known
        self.builder = builder
        self.persistent = persistent
        self.refuse_unknown = unknown == "error"
        self.encoding = builder.encoding if builder is not None else "utf-8"
        self.budget = limits.COPIED_BYTES
        self.opcodes = 0
        self.colliding = 0
        self.globals = {}

    # ---- the bounds of what opcodes do ------------------------------------------------------------------------

    def spend(self, nbytes):
        """Count work that one opcode does over and over again."""
        self.budget -= nbytes
        if self.budget < 0:
            raise CheckpointError(f"its objects are copied to more than {limits.COPIED_BYTES} bytes")

    def check_key(self, key):
        """Refuse a dict key or set element whose hash could fail, take long, or recurse deeply."""
        nodes, pending = 0, [key]
        while pending:
            part = pending.pop()
            nodes += 1
            if nodes > limits.KEY_NODES:
                raise CheckpointError(f"a dict key of more than {limits.KEY_NODES} parts")
            kind = type(part)
            if kind is int:
                if not -(2**61) < part < 2**61 - 1:
                    self.colliding += 1
                    if self.colliding > limits.COLLIDING_KEYS:
                        raise CheckpointError(f"more than {limits.COLLIDING_KEYS} keys are huge integers")
            elif isinstance(part, tuple | frozenset):
                if len(part) > limits.KEY_NODES:
                    raise CheckpointError(f"a dict key of more than {limits.KEY_NODES} parts")
                pending.extend(part)
            elif kind is Stub or kind is Global:
                pass
            elif kind not in PLAIN_KEYS:
                try:
                    hash(part)
                except TypeError:
                    raise CheckpointError(f"a dict key or set element of type {kind.__name__}") from None
        if nodes > 1:
            self.spend(nodes * limits.PART_BYTES)

    def set_items(self, target, items):
        """target[items[0]] = items[1] and so on."""
        if len(items) % 2:
            raise CheckpointError("a dict gets a key without a value")
        if type(target) is Stub:
            target.entries.extend(zip(items[::2], items[1::2], strict=True))
            return
        if type(target) not in DICTS:
            raise CheckpointError(f"items are set in an object of type {type(target).__name__}, not in a dict")
        keys = items[::2]
        for key in keys:
            if type(key) is not str:
                self.check_key(key)
        if type(target) is dict:
            target.update(zip(keys, items[1::2], strict=True))
        else:
            for key, value in zip(keys, items[1::2], strict=True):
                target[key] = value

    def append_items(self, target, items):
        if type(target) in LISTS:
            target.extend(items)
        elif type(target) is Stub:
            target.items.extend(items)
        else:
            raise CheckpointError(f"items are appended to an object of type {type(target).__name__}, not to a list")

    def add_items(self, target, items):
        if type(target) is Stub:
            target.items.extend(items)
            return
        if type(target) is not set:
            raise CheckpointError(f"items are added to an object of type {type(target).__name__}, not to a set")
        for item in items:
            self.check_key(item)
        target.update(items)

    # ---- names and objects ------------------------------------------------------------------------------------

    def find(self, module, name):
        """What a name is: a value of the table, or an inert Global."""
        if type(module) is not str or type(name) is not str:
            raise CheckpointError("the module and name of a global are strings")
        if len(module) > limits.GLOBAL_BYTES or len(name) > limits.GLOBAL_BYTES:
            raise CheckpointError(f"a name of more than {limits.GLOBAL_BYTES} characters")
        key = (MODULES.get(module, module), name)
        found = self.globals.get(key)
        if found is None:
            if key in self.known.values:
                found = self.known.values[key]
            else:
                found = Global(*key, self.known.calls.get(key))
                if self.refuse_unknown and found.function is None and not self.known.inert(found):
                    raise CheckpointError(
                        f"it names {found}, which is not among the classes that are known; unknown='stub' loads such "
                        "objects as inert stubs"
                    )
            self.globals[key] = found
        return found

    def call(self, what, args, kwargs=None):
        """What calling the named function or class with these arguments gives."""
        if type(args) is not tuple:
            name = str(what) if type(what) is Global else f"an object of type {type(what).__name__}"
            raise CheckpointError(f"{name} is called with {type(args).__name__}, not with a tuple")
        if type(what) is Global and what.function is not None and not kwargs:
            return what.function(self, args)
        if type(what) is not Global and type(what) is not Stub:
            raise CheckpointError(f"an object of type {type(what).__name__} is called")
        return Stub(what, args, kwargs)

    def build(self, target, state, memo):
        """Give an object its state; the object to go on with."""
        if type(target) is Stub:
            target.state = state
            return target
        return self.known.build(self, target, state, memo)

    def replace(self, memo, old, new):
        """Let the memo refer to `new` where it refers to `old`, which is being built and was remembered lately."""
        steps = 0
        for index in reversed(memo):
            steps += 1
            if memo[index] is old:
                memo[index] = new
                break
        self.spend(steps)
        return new

    # ---- the machine ------------------------------------------------------------------------------------------

    def run(self, data, start=0):
        """(the value of the pickle at `start`, where it ends). Truncated if the data is not all of it."""
        try:
            value, end = self._run(data, start)
            check_depth(value)
            return value, end
        except IndexError:
            # The stack's and the data's ends: both are looked at by Python's own indexing.
            raise Truncated("the pickle ends too early, or takes from an empty stack") from None
        except KeyError as error:  # the memo's: nothing else here is asked by a key that could be missing
            raise CheckpointError(f"it recalls object {error}, which it has not remembered") from None
        except struct.error:
            raise Truncated("the pickle ends in the middle of a number") from None
        except UnicodeDecodeError as error:
            raise CheckpointError(f"a string is not UTF-8: {error.reason} at byte {error.start} of it") from None
        except MemoryError:
            raise CheckpointError("there is no memory for the objects of the pickle") from None

    def _run(self, data, start):
        """The loop over the opcodes that torch writes by the thousand; `_rare` knows the others.

        They are told apart by halving, so that none costs many comparisons. What pickle always remembers is remembered
        at once, without another turn. What grows with every opcode is looked at once in a while.
        """
        pos, size = start, len(data)
        stack, marks, memo = [], [], {}
        persistent, unpack_int, unpack_length = self.persistent, INT.unpack_from, LENGTH.unpack_from
        left = limits.OPCODES - self.opcodes
        for begun in range(0, left, STRETCH):
            self._check_growth(memo, marks)
            for n_ops in range(begun, min(begun + STRETCH, left)):
                op = data[pos]
                pos += 1
                if op >= 0x68:
                    if op == 0x68:  # BINGET
                        stack.append(memo[data[pos]])
                        pos += 1
                    elif op == 0x74:  # TUPLE
                        items = tuple(stack)
                        stack = marks.pop()
                        stack.append(items)
                        if data[pos] == 0x72:
                            memo[unpack_int(data, pos + 1)[0]] = items
                            pos += 5
                    elif op == 0x86:  # TUPLE2
                        last = stack.pop()
                        stack[-1] = last = (stack[-1], last)
                        if data[pos] == 0x72:
                            memo[unpack_int(data, pos + 1)[0]] = last
                            pos += 5
                    elif op == 0x71:  # BINPUT
                        memo[data[pos]] = stack[-1]
                        pos += 1
                    elif op == 0x89:  # NEWFALSE
                        stack.append(False)
                    elif op == 0x72:  # LONG_BINPUT
                        memo[unpack_int(data, pos)[0]] = stack[-1]
                        pos += 4
                    elif op == 0x85:  # TUPLE1
                        stack[-1] = (stack[-1],)
                    elif op == 0x94:  # MEMOIZE
                        memo[len(memo)] = stack[-1]
                    else:
                        pos, stack = self._rare(op, data, pos, stack, marks, memo)
                elif op >= 0x4E:
                    if op == 0x58:  # BINUNICODE
                        end = pos + 4
                        pos = end + unpack_length(data, pos)[0]
                        if pos > size:
                            raise Truncated(f"a string of {pos - end} bytes, of which {max(size - end, 0)} are there")
                        word = str(data[end:pos], "utf-8", "surrogatepass")
                        stack.append(word)
                        if data[pos] == 0x72:
                            memo[unpack_int(data, pos + 1)[0]] = word
                            pos += 5
                    elif op == 0x52:  # REDUCE
                        args = stack.pop()
                        what = stack[-1]
                        if type(what) is Global and what.function is not None and type(args) is tuple:
                            stack[-1] = made = what.function(self, args)
                        else:
                            stack[-1] = made = self.call(what, args)
                        if data[pos] == 0x72:
                            memo[unpack_int(data, pos + 1)[0]] = made
                            pos += 5
                    elif op == 0x51 and persistent is not None:  # BINPERSID
                        stack[-1] = persistent(stack[-1])
                    elif op == 0x4E:  # NONE
                        stack.append(None)
                    else:
                        pos, stack = self._rare(op, data, pos, stack, marks, memo)
                elif op == 0x4B:  # BININT1
                    stack.append(data[pos])
                    pos += 1
                elif op == 0x28:  # MARK
                    marks.append(stack)
                    stack = []
                elif op == 0x29:  # EMPTY_TUPLE
                    stack.append(())
                elif op == 0x4D:  # BININT2
                    stack.append(data[pos] | data[pos + 1] << 8)
                    pos += 2
                elif op == 0x4A:  # BININT
                    stack.append(unpack_int(data, pos)[0])
                    pos += 4
                elif op == 0x2E:  # STOP
                    self.opcodes += n_ops + 1
                    self._check_growth(memo, marks)
                    if marks or len(stack) != 1:
                        raise CheckpointError(f"the pickle stops with {len(stack)} objects and {len(marks)} open marks")
                    return stack[0], pos
                else:
                    pos, stack = self._rare(op, data, pos, stack, marks, memo)
        raise CheckpointError(f"more than {limits.OPCODES} opcodes")

    def _check_growth(self, memo, marks):
        if len(memo) > limits.MEMO:
            raise CheckpointError(f"more than {limits.MEMO} remembered objects")
        if len(marks) > limits.DEPTH:
            raise CheckpointError(f"objects are nested more than {limits.DEPTH} deep")

    def _rare(self, op, data, pos, stack, marks, memo):
        """Any other opcode: (where the next one is, the stack)."""
        if op == 0x75:  # SETITEMS
            items, stack = stack, marks.pop()
            self.set_items(stack[-1], items)
        elif op == 0x73:  # SETITEM
            value = stack.pop()
            key = stack.pop()
            self.set_items(stack[-1], [key, value])
        elif op == 0x65:  # APPENDS
            items, stack = stack, marks.pop()
            self.append_items(stack[-1], items)
        elif op == 0x61:  # APPEND
            value = stack.pop()
            self.append_items(stack[-1], [value])
        elif op == 0x6A:  # LONG_BINGET
            stack.append(memo[INT.unpack_from(data, pos)[0]])
            pos += 4
        elif op == 0x87:  # TUPLE3
            stack[-3:] = [(stack[-3], stack[-2], stack[-1])]
        elif op == 0x88:  # NEWTRUE
            stack.append(True)
        elif op == 0x47:  # BINFLOAT
            stack.append(FLOAT.unpack_from(data, pos)[0])
            pos += 8
        elif op == 0x7D:  # EMPTY_DICT
            stack.append({})
        elif op == 0x5D:  # EMPTY_LIST
            stack.append([])
        elif op == 0x63:  # GLOBAL
            module, pos = line(data, pos)
            name, pos = line(data, pos)
            stack.append(self.find(module.decode(), name.decode()))
        elif op == 0x62:  # BUILD
            state = stack.pop()
            stack[-1] = self.build(stack[-1], state, memo)
        elif op == 0x8C:  # SHORT_BINUNICODE
            content, pos = block(data, pos, 1)
            stack.append(content.decode("utf-8", "surrogatepass"))
        elif op == 0x95:  # FRAME
            length = int.from_bytes(data[pos : pos + 8], "little")
            pos += 8
            if length > len(data) - pos:
                raise Truncated(f"a frame of {length} bytes, of which {max(len(data) - pos, 0)} are there")
        elif op == 0x93:  # STACK_GLOBAL
            name = stack.pop()
            stack[-1] = self.find(stack[-1], name)
        elif op == 0x8A:  # LONG1
            digits, pos = block(data, pos, 1)
            stack.append(int.from_bytes(digits, "little", signed=True))
        elif op == 0x80:  # PROTO
            if data[pos] > LARGEST_PROTOCOL:
                raise CheckpointError(f"pickle protocol {data[pos]}; up to {LARGEST_PROTOCOL} are known")
            pos += 1
        elif op == 0x81:  # NEWOBJ
            args = stack.pop()
            stack[-1] = self.call(stack[-1], args)
        elif op == 0x92:  # NEWOBJ_EX
            kwargs, args = stack.pop(), stack.pop()
            if type(kwargs) is not dict:
                raise CheckpointError("keyword arguments are a dict")
            stack[-1] = self.call(stack[-1], args, kwargs)
        elif op == 0x8F:  # EMPTY_SET
            stack.append(set())
        elif op == 0x90:  # ADDITEMS
            items, stack = stack, marks.pop()
            self.add_items(stack[-1], items)
        elif op == 0x91:  # FROZENSET
            made = set()
            self.add_items(made, stack)
            stack = marks.pop()
            stack.append(frozenset(made))
        elif op == 0x43 or op == 0x42 or op == 0x8E or op == 0x96:  # BINBYTES of 1, 4, 8; BYTEARRAY8
            content, pos = block(data, pos, {0x43: 1, 0x42: 4}.get(op, 8))
            stack.append(bytearray(content) if op == 0x96 else content)
        elif op == 0x8D:  # BINUNICODE8
            content, pos = block(data, pos, 8)
            stack.append(content.decode("utf-8", "surrogatepass"))
        elif op == 0x8B:  # LONG4
            digits, pos = block(data, pos, 4)
            if len(digits) > limits.INTEGER_BYTES:
                raise CheckpointError(f"an integer of {len(digits)} bytes; the limit is {limits.INTEGER_BYTES}")
            stack.append(int.from_bytes(digits, "little", signed=True))
        elif op == 0x30:  # POP
            if stack:
                stack.pop()
            else:
                stack = marks.pop()
        elif op == 0x31:  # POP_MARK
            stack = marks.pop()
        elif op == 0x32:  # DUP
            stack.append(stack[-1])
        else:
            return self._text(op, data, pos, stack, marks, memo)
        return pos, stack

    def _text(self, op, data, pos, stack, marks, memo):
        """The opcodes of protocols 0 and 1 and of Python 2, which newer ones have others for."""
        if op == 0x55 or op == 0x54:  # SHORT_BINSTRING, BINSTRING
            content, pos = block(data, pos, 1 if op == 0x55 else 4)
            stack.append(text_of(content, self.encoding))
        elif op == 0x6C or op == 0x64:  # LIST, DICT
            items, made = stack, [] if op == 0x6C else {}
            stack = marks.pop()
            stack.append(made)
            (self.append_items if op == 0x6C else self.set_items)(made, items)
        elif op == 0x6F:  # OBJ
            what, args = stack[0], tuple(stack[1:])
            stack = marks.pop()
            stack.append(self.call(what, args))
        elif op == 0x69:  # INST
            module, pos = line(data, pos)
            name, pos = line(data, pos)
            args = tuple(stack)
            stack = marks.pop()
            stack.append(self.call(self.find(module.decode(), name.decode()), args))
        elif op in b"gpILFSVP":
            content, pos = line(data, pos)
            if op == 0x70:  # PUT
                memo[number(content, 19)] = stack[-1]
            else:
                stack.append(self._line(op, content, memo))
        elif op == 0x51:  # BINPERSID
            raise CheckpointError("it refers to storages outside the pickle, which can't be here")
        else:
            raise CheckpointError(f"opcode {op:#04x} at byte {pos - 1} of the pickle is not known")
        return pos, stack

    def _line(self, op, content, memo):
        """The value of an opcode whose argument is a line of text."""
        if op == 0x67:  # GET
            return memo[number(content, 19)]
        if op == 0x49 and content in (b"00", b"01"):  # INT, for a bool
            return content == b"01"
        if op == 0x49 or op == 0x4C:  # INT, LONG
            return number(content.removesuffix(b"L"), 4 * limits.INTEGER_BYTES)
        if op == 0x46:  # FLOAT
            return real(content)
        if op == 0x53:  # STRING
            return text_of(unescaped(content), self.encoding)
        if op == 0x56:  # UNICODE
            return content.decode("raw-unicode-escape")
        if self.persistent is None:  # PERSID
            raise CheckpointError("it refers to storages outside the pickle, which can't be here")
        return self.persistent(content.decode())
