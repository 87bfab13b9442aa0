"""What follows an opcode in a pickle: lines, strings with their length in front, numbers as text."""

import re

from stridecore.checkpoint.errors import CheckpointError

__all__ = ["Truncated", "block", "line", "number", "real", "text_of", "unescaped"]


class Truncated(CheckpointError):
    """The data ended before the pickle did."""

    def __reduce__(self):
        return CheckpointError, (self.message, self.file, self.record)


def line(data, pos):
    """The text up to the next line break, and where the following line starts."""
    end = data.find(b"\n", pos)
    if end < 0:
        raise Truncated("a line has no end")
    return data[pos:end], end + 1


def block(data, pos, width):
    """A string of bytes with its length in `width` bytes in front, and its end."""
    at = pos + width
    length = int.from_bytes(data[pos:at], "little")
    if length > len(data) - at:
        raise Truncated(f"a string of {length} bytes, of which {max(len(data) - at, 0)} are there")
    return data[at : at + length], at + length


def number(text, digits):
    if len(text) > digits:
        raise CheckpointError(f"a number of {len(text)} digits; the limit is {digits}")
    if not re.fullmatch(rb"[+-]?[0-9]+", text.strip()):
        raise CheckpointError(f"{text[:40]!r} is no integer")
    return int(text)


def real(text):
    try:
        return float(text[:400])
    except ValueError:
        raise CheckpointError(f"{text[:40]!r} is no number") from None


def text_of(content, encoding):
    """A Python 2 string as text, or as bytes if the encoding is "bytes" or does not fit it."""
    try:
        return bytes(content) if encoding == "bytes" else content.decode(encoding)
    except UnicodeDecodeError:
        return bytes(content)


ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"\\": b"\\", b"'": b"'", b'"': b'"', b"0": b"\0"}


def unescaped(text):
    """The bytes of a quoted string of protocol 0."""
    text = text.strip()
    if len(text) < 2 or text[:1] != text[-1:] or text[:1] not in (b"'", b'"'):
        raise CheckpointError("a string without quotes")

    def one(match):
        code = match[1]
        return bytes([int(code[1:], 16)]) if code[:1] == b"x" else ESCAPES.get(code, b"\\" + code)

    return re.sub(rb"\\(x[0-9a-fA-F]{2}|.)", one, text[1:-1], flags=re.DOTALL)
