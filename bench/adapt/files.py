"""Data files that the program reads, written without NumPy."""
import array
import csv
import io
import json
import os
import struct
import tempfile

TYPES = {"F32": "f", "U8": "B"}


def put(path, content):
    """Writes a file as a whole: an interrupted run leaves no half one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as out:
        out.write(content)
    os.replace(name, path)


def safetensors(tensors):
    """The bytes of a file of {name: (kind, shape, numbers)}."""
    head, parts, end = {}, [], 0
    for name, (kind, shape, numbers) in tensors.items():
        parts.append(array.array(TYPES[kind], numbers).tobytes())
        head[name] = {"dtype": kind, "shape": shape, "data_offsets": [end, end + len(parts[-1])]}
        end += len(parts[-1])
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)


def arrays(parts, shape, classes):
    """`parts`: {"": rows, "_test": rows}, a row being (values, answer); a value is a byte where rows are images."""
    tensors = {}
    for name, rows in parts.items():
        kind = "U8" if shape else "F32"
        own = shape or (len(rows[0][0]),)
        tensors["x" + name] = (kind, [len(rows), *own], (v for x, _ in rows for v in x))
        tensors["y" + name] = ("U8" if classes else "F32", [len(rows)], (y for _, y in rows))
    return safetensors(tensors)


def table(names, rows):
    """A table with the answer in the last column; None is an empty field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    for x, y in rows:
        writer.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in (*x, y)])
    return out.getvalue().encode()
