"""Data files that must be refused: NAME: (files, what stands under `data`). {} is a table of its own called t.csv."""
import gzip
import json
import struct
import zlib


def rows(header, *lines):
    return ("\n".join((header,) + lines) + "\n").encode()


def table(count=12, header="a,b,y"):
    return rows(header, *(f"{i},{i * i % 7},{'pq'[i % 2]}" for i in range(count)))


def idx(dims, data, kind=8):
    return struct.pack(">HBB", 0, kind, len(dims)) + b"".join(struct.pack(">I", size) for size in dims) + data


def images(count):
    return idx([count, 2, 2], bytes(4 * count))


def labels(count, classes=2):
    return idx([count], bytes(i % classes for i in range(count)))


def idx_files(**changed):
    files = {"train-images": images(20), "train-labels": labels(20), "t10k-images": images(6), "t10k-labels": labels(6)}
    files |= {name.replace("_", "-"): data for name, data in changed.items()}
    return {f"mnist/{name}-idx{3 if 'images' in name else 1}-ubyte": data for name, data in files.items() if data is not None}


def npy(shape, data, kind="<f4", order="False", version=1, head=None):
    """A NumPy array's file. `head` stands for its whole header."""
    usual = f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}\n"
    text = (usual if head is None else head).encode("latin-1")
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + data


def of_npy(x=None, y=None, more=""):
    files = {"x.npy": npy("(20, 3)", struct.pack("<60f", *range(60))),
             "y.npy": npy("(20,)", bytes(i % 2 for i in range(20)), "|u1")}
    files |= {name: data for name, data in {"x.npy": x, "y.npy": y}.items() if data is not None}
    return files, "{npy: {x: x.npy, y: y.npy}" + more + "}"


def tensors(**entries):
    """A safetensors file: NAME=(dtype, shape, bytes)."""
    head, data = {}, b""
    for name, (kind, shape, values) in entries.items():
        head[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(head).encode()
    return {"t.safetensors": struct.pack("<Q", len(text)) + text + data}, "{safetensors: t.safetensors}"


def csv(data, more=""):
    return {"t.csv": data}, "{csv: t.csv, target: y" + more + "}"


def of_idx(**changed):
    return idx_files(**changed), "{idx: mnist}"


def bomb(megabytes, filler=b"\0", head=b""):
    """A gzip file of `head`, then many equal megabytes: one is packed, and what that gave stands there so often. Its check
    sum is wrong, but nobody should get that far."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    begin = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(filler * ((1 << 20) // len(filler))) + packer.flush(zlib.Z_FULL_FLUSH)
    return gzip.compress(b"", mtime=0)[:10] + begin + piece * megabytes + packer.flush() + bytes(8)


CASES = {
    "csv-empty": csv(b""),
    "csv-blank": csv(b"\n\n  \n"),
    "csv-header-only": csv(b"a,b,y\n"),
    "csv-one-row": csv(b"a,b,y\n1,2,p\n"),
    "csv-one-column": csv(b"y\np\nq\np\nq\n"),
    "csv-one-class": csv(rows("a,y", *["1,p"] * 9)),
    "csv-too-few-rows": csv(rows("a,y", "1,p", "2,q")),
    "csv-row-too-short": csv(table() + b"1,2\n"),
    "csv-row-too-long": csv(table() + b"1,2,p,4\n"),
    "csv-open-quote": csv(table() + b'"1,2,p\n'),
    "csv-text-after-quote": csv(table() + b'"1"x,2,p\n'),
    "csv-word-among-numbers": csv(rows("a,y", *[f"{i},{'pq'[i % 2]}" for i in range(30)], "many,p")),
    "csv-number-too-large": csv(rows("a,y", *[f"{i},{'pq'[i % 2]}" for i in range(30)], "1e99,p")),
    "csv-number-is-infinite": csv(rows("a,y", *[f"{i},{'pq'[i % 2]}" for i in range(30)], "inf,p")),
    "csv-target-text-for-numbers": csv(table(), ", task: regression"),
    "csv-no-such-target": ({"t.csv": table()}, "{csv: t.csv, target: yy}"),
    "csv-target-number-too-large": ({"t.csv": table()}, "{csv: t.csv, target: 4}"),
    "csv-no-such-column": csv(table(), ", ignore: [c]"),
    "csv-everything-ignored": csv(table(), ", ignore: [a, b]"),
    "csv-target-ignored": csv(table(), ", ignore: [y]"),
    "csv-column-twice": csv(table(header="a,a,y"), ", ignore: [a]"),
    "csv-no-such-class": csv(table(), ", classes: [p, r]"),
    "csv-class-twice": csv(table(), ", classes: [p, p]"),
    "csv-one-class-wanted": csv(table(), ", classes: [p]"),
    "csv-classes-of-numbers": csv(table(), ", classes: [p, q], task: regression"),
    "csv-nul": csv(table() + b"1,\0,p\n"),
    "csv-binary": csv(bytes(range(256)) * 8),
    "csv-is-a-zip": csv(b"PK\3\4" + bytes(200)),
    "csv-is-parquet": csv(b"PAR1" + bytes(200) + b"PAR1"),
    "csv-is-json-lines": csv(b'{"a": 1, "y": "p"}\n' * 9),
    "csv-is-a-workbook": csv(b"PK\3\4" + bytes(200) + b"xl/workbook.xml"),
    "csv-is-arff": csv(b"% by hand\n@relation r\n@attribute a real\n@attribute y {p,q}\n@data\n1,p\n2,q\n"),
    "csv-is-xz": csv(b"\xfd7zXZ\0" + bytes(200)),
    "csv-comments-above": csv(b"# by hand\n# m, s\n" + table()),
    "csv-title-above": csv(b"Table 1\n\n" + table()),
    "csv-footer": csv(table() + b"Source: us\n"),
    "csv-units": csv(rows("a,b,y", "m,s,-", *[f"{i * 7 % 30},{i * 11 % 30},{'pq'[i % 2]}" for i in range(30)])),
    "csv-code-with-a-letter": csv(rows("a,y", *[f"{i * 7 % 30 + 100},{'pq'[i % 2]}" for i in range(30)], "136A,p")),
    "csv-constant-number": csv(rows("a,y", *[f"{i * 7 % 30},7.5" for i in range(30)])),
    "csv-skips-everything": csv(table(), ", skip: {lines: 99}"),
    "csv-too-many-columns": csv(rows(",".join(f"c{i}" for i in range(70000)) + ",y", ",".join(["1"] * 70000) + ",p")),
    "csv-line-of-a-megabyte": csv(table() + b"x" * (1 << 20)),
    "csv-hostile-word": csv(rows("a,y", *[f"{i},{'pq'[i % 2]}" for i in range(30)], '"$(touch x)\x1b[31m\n",p')),
    "csv-is-a-folder": ({"t.csv/a": b""}, "{csv: t.csv, target: y}"),
    "csv-is-nowhere": ({}, "{csv: nowhere.csv, target: y}"),
    "gz-cut": csv(gzip.compress(table(), mtime=0)[:-9]),
    "gz-head-only": csv(gzip.compress(table(), mtime=0)[:7]),
    "gz-damaged": csv(b"\x1f\x8b\x08\0" + bytes(6) + b"\xff" * 40),
    "gz-checksum": csv(gzip.compress(table(), mtime=0)[:-8] + bytes(8)),
    "gz-left-over": csv(gzip.compress(table(), mtime=0) + b"and more"),
    "gz-bomb": csv(bomb(4096)),
    "gz-bomb-of-rows": csv(bomb(512, b"1,p\n")),
    "idx-file-missing": of_idx(t10k_labels=None),
    "idx-empty": of_idx(train_images=b""),
    "idx-magic": of_idx(train_images=b"\1" + images(20)[1:]),
    "idx-floats": of_idx(train_images=idx([20, 2, 2], bytes(320), 13)),
    "idx-cut": of_idx(train_images=images(20)[:-1]),
    "idx-left-over": of_idx(train_images=images(20) + b"x"),
    "idx-no-rows": of_idx(train_images=idx([0, 2, 2], b""), train_labels=idx([0], b"")),
    "idx-counts-differ": of_idx(train_labels=labels(19)),
    "idx-sizes-differ": of_idx(t10k_images=idx([6, 3, 2], bytes(36))),
    "idx-claims-terabytes": of_idx(train_images=idx([0xFFFFFFFF, 0xFFFF, 0xFFFF], b"")),
    "idx-claims-overflow": of_idx(train_images=idx([0xFFFFFFFF] * 3, b"")),
    "idx-too-many-dimensions": of_idx(train_images=struct.pack(">HBB", 0, 8, 255) + bytes(1020)),
    "idx-one-class": of_idx(train_labels=labels(20, 1), t10k_labels=labels(6, 1)),
    "idx-gz-bomb": of_idx(train_images=bomb(512, head=idx([1 << 27, 2, 2], b""))),
    "npy-nowhere": ({"x.npy": b""}, "{npy: {x: x.npy, y: y.npy}}"),
    "npy-empty": of_npy(x=b""),
    "npy-is-text": of_npy(x=b"1,2,3\n" * 9),
    "npy-is-a-zip": of_npy(x=b"PK\3\4" + bytes(200)),
    "npy-version": of_npy(x=npy("(20, 3)", bytes(240), version=9)),
    "npy-header-cut": of_npy(x=npy("(20, 3)", bytes(240))[:40]),
    "npy-header-claims-all": of_npy(x=b"\x93NUMPY\2\0\xff\xff\xff\xff{}"),
    "npy-header-empty": of_npy(x=npy("", b"", head="{}")),
    "npy-header-garbage": of_npy(x=npy("", b"", head="\x00\x1b[31m" * 9)),
    "npy-header-no-shape": of_npy(x=npy("", b"", head="{'descr': '<f4', 'fortran_order': False}")),
    "npy-shape-no-end": of_npy(x=npy("", b"", head="{'descr': '<f4', 'fortran_order': False, 'shape': (20, 3")),
    "npy-shape-negative": of_npy(x=npy("(-20, 3)", bytes(240))),
    "npy-shape-overflow": of_npy(x=npy("(9223372036854775807, 9223372036854775807)", bytes(240))),
    "npy-claims-terabytes": of_npy(x=npy("(20, 99999999999)", bytes(240))),
    "npy-too-many-dimensions": of_npy(x=npy("(20, 1, 1, 1, 1, 1, 1, 1, 1, 3)", bytes(240))),
    "npy-one-dimension": of_npy(x=npy("(20,)", bytes(80))),
    "npy-five-dimensions": of_npy(x=npy("(20, 1, 1, 1, 3)", bytes(240))),
    "npy-no-rows": of_npy(x=npy("(0, 3)", b""), y=npy("(0,)", b"", "|u1")),
    "npy-cut": of_npy(x=npy("(20, 3)", bytes(239))),
    "npy-left-over": of_npy(x=npy("(20, 3)", bytes(241))),
    "npy-objects": of_npy(x=npy("(20, 3)", bytes(480), "|O")),
    "npy-text": of_npy(x=npy("(20, 3)", bytes(240), "<U1")),
    "npy-big-endian": of_npy(x=npy("(20, 3)", bytes(240), ">f4")),
    "npy-records": of_npy(x=npy("", b"", head="{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (20,)}")),
    "npy-columns-first": of_npy(x=npy("(20, 3)", bytes(240), order="True")),
    "npy-counts-differ": of_npy(y=npy("(19,)", bytes(19), "|u1")),
    "npy-target-of-three-dimensions": of_npy(y=npy("(20, 2, 1)", bytes(40), "|u1")),
    "npy-target-no-number": of_npy(y=npy("(20,)", struct.pack("<20f", *range(19), float("nan")))),
    "npy-target-constant": of_npy(y=npy("(20,)", bytes(20), "|u1")),
    "npy-too-large-a-number": of_npy(x=npy("(20, 3)", struct.pack("<60d", *[1e300] * 60), "<f8")),
    "npy-column-wanted": of_npy(more=", target: y"),
    "npy-gz-bomb": of_npy(x=bomb(512, head=npy("(20, 6710886)", b""))),
    "safetensors-empty": ({"t.safetensors": b""}, "{safetensors: t.safetensors}"),
    "safetensors-no-y": tensors(x=("F32", [20, 3], bytes(240))),
    "safetensors-no-x": tensors(y=("U8", [20], bytes(20))),
    "safetensors-counts-differ": tensors(x=("F32", [20, 3], bytes(240)), y=("U8", [19], bytes(19))),
    "safetensors-test-without-y": tensors(x=("F32", [20, 3], bytes(240)), y=("U8", [20], bytes(i % 2 for i in range(20))),
                                          x_test=("F32", [2, 3], bytes(24))),
    "safetensors-test-of-another-shape": tensors(x=("F32", [20, 3], bytes(240)), y=("U8", [20], bytes(i % 2 for i in range(20))),
                                                 x_test=("F32", [2, 2], bytes(16)), y_test=("U8", [2], b"\0\1")),
    "safetensors-other-dtype": tensors(x=("BF16", [20, 3], bytes(120)), y=("C64", [20], bytes(160))),
}
