"""Decodes byte sequences one by one by the C library's iconv, or by Python where iconv lacks the encoding.

Reads {"encoding", "program": "iconv" | "python", "sequences": [hex, …]} and writes a JSON array: the text of each sequence, null
where the program refuses the sequence.
"""

import ctypes
import json
import sys

libc = ctypes.CDLL(None, use_errno=True)
libc.iconv_open.restype = ctypes.c_void_p
libc.iconv_open.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
libc.iconv.restype = ctypes.c_size_t
libc.iconv.argtypes = [ctypes.c_void_p] + [ctypes.c_void_p] * 4
failed = ctypes.c_size_t(-1).value


def by_iconv(encoding, sequences):
    converter = libc.iconv_open(b"UTF-8", encoding.encode())
    if converter == ctypes.c_void_p(-1).value:
        sys.exit(f"iconv does not know {encoding}")
    target = ctypes.create_string_buffer(64)
    for sequence in sequences:
        libc.iconv(converter, None, None, None, None)
        source = ctypes.create_string_buffer(sequence, len(sequence))
        at = ctypes.c_char_p(ctypes.addressof(source))
        left = ctypes.c_size_t(len(sequence))
        to = ctypes.c_char_p(ctypes.addressof(target))
        room = ctypes.c_size_t(64)
        refs = [ctypes.byref(one) for one in (at, left, to, room)]
        done = libc.iconv(converter, *refs)
        if done != failed:
            done = libc.iconv(converter, None, None, refs[2], refs[3])
        text = target.raw[: 64 - room.value]
        yield text.decode("utf-8", "surrogatepass") if done != failed and left.value == 0 else None


def by_python(encoding, sequences):
    for sequence in sequences:
        try:
            yield sequence.decode(encoding)
        except UnicodeDecodeError:
            yield None


wish = json.load(sys.stdin)
decode = {"iconv": by_iconv, "python": by_python}[wish["program"]]
json.dump(list(decode(wish["encoding"], map(bytes.fromhex, wish["sequences"]))), sys.stdout)
