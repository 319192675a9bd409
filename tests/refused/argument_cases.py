"""Command lines that must be refused: NAME: (arguments, files). `good.yaml`, its table and its finished study are
always there."""

import struct

from data_cases import bomb


def study_from(data, table=b"", options="", more=None, model="runs/good/best.safetensors"):
    """A study that goes on from the good one's model, and the files that it needs."""
    study = f"{data}\nfrom: {{model: {model}{options}}}\n"
    return {"s.yaml": study.encode(), **({"o.csv": table} if table else {}), **(more or {})}


def idx_images():
    def idx(*dims):
        size = 1
        for dim in dims:
            size *= dim
        return struct.pack(">I", 0x800 + len(dims)) + struct.pack(f">{len(dims)}I", *dims) + bytes(i % 2 for i in range(size))
    return {f"images/{name}": idx(*dims) for name, dims in {
        "train-images-idx3-ubyte": (20, 2, 2), "train-labels-idx1-ubyte": (20,),
        "t10k-images-idx3-ubyte": (4, 2, 2), "t10k-labels-idx1-ubyte": (4,)}.items()}

CASES = {
    "verb-unknown": (["swep", "good.yaml"], {}),
    "verb-of-bytes": ([b"\xff\xfe"], {}),
    "verb-empty": ([""], {}),
    "file-missing": (["sweep"], {}),
    "file-nowhere": (["sweep", "nowhere.yaml"], {}),
    "file-empty-name": (["sweep", ""], {}),
    "file-is-a-folder": (["sweep", "."], {}),
    "file-too-many": (["check", "good.yaml", "good.yaml"], {}),
    "file-name-too-long": (["check", "x" * 5000], {}),
    "file-name-of-lines": (["check", "a\nb.yaml"], {}),
    "file-of-a-megabyte": (["check", "big.yaml"], {"big.yaml": b"# " + b"x" * (1 << 20)}),
    "file-too-large": (["check", "big.yaml"], {"big.yaml": b"# " + b"x" * (3 << 20)}),
    "option-unknown": (["sweep", "good.yaml", "--worker", "2"], {}),
    "option-without-value": (["sweep", "good.yaml", "--workers"], {}),
    "workers-no-number": (["sweep", "good.yaml", "--workers", "many"], {}),
    "workers-none": (["sweep", "good.yaml", "--workers", "0"], {}),
    "workers-too-many": (["sweep", "good.yaml", "--workers", "99999999999999999999"], {}),
    "seed-negative": (["sweep", "good.yaml", "--seed", "-1"], {}),
    "against-nobody": (["bench", "networks", "--against", "torhc"], {}),
    "seed-beyond-doubles": (["sweep", "good.yaml", "--seed", "9007199254740993"], {}),
    "seed-fraction": (["sweep", "good.yaml", "--seed", "1.5"], {}),
    "parallel-none": (["sweep", "good.yaml", "--parallel", "0"], {}),
    "name-is-a-path": (["sweep", "good.yaml", "--name", "../outside"], {}),
    "name-absolute": (["sweep", "good.yaml", "--name", "/tmp/outside"], {}),
    "name-empty": (["sweep", "good.yaml", "--name", ""], {}),
    "name-of-shell": (["sweep", "good.yaml", "--name", "$(touch x)"], {}),
    "name-of-bytes": (["sweep", "good.yaml", "--name", b"\xff"], {}),
    "name-dots": (["sweep", "good.yaml", "--name", ".."], {}),
    "dir-is-a-file": (["sweep", "good.yaml", "--dir", "t.csv"], {}),
    "run-unknown": (["best", "nothing"], {}),
    "run-empty": (["status", ""], {}),
    "run-is-a-file": (["trials", "t.csv"], {}),
    "run-is-no-study": (["trials", "other"], {"other/a": b""}),
    "run-is-no-database": (["trials", "other"], {"other/study.db": b"nothing that SQLite knows, in many bytes " * 50}),
    "run-is-empty-database": (["status", "other"], {"other/study.db": b""}),
    "run-outside": (["best", "../../../etc"], {}),
    "trial-no-number": (["show", "good", "first"], {}),
    "trial-negative": (["show", "good", "-1"], {}),
    "export-format": (["export", "good", "--format", "xml"], {}),
    "trial-too-large": (["show", "good", "99999999999999999999"], {}),
    "trial-not-there": (["show", "good", "7"], {}),
    "trial-missing": (["show", "good"], {}),
    "rerun-not-there": (["rerun", "good", "7"], {}),
    "export-output-nowhere": (["export", "good", "--output", "nowhere/x.csv"], {}),
    "export-output-is-a-folder": (["export", "good", "--output", "runs"], {}),
    "flag-with-a-value": (["trials", "good", "--json=maybe"], {}),
    "option-of-bytes": (["trials", "good", b"--\xff\x1b[31m"], {}),
    "option-with-lines": (["trials", "good", "--a\nb"], {}),
    "best-without-run": (["best"], {}),
    "set-without-parameters": (["train", "good.yaml", "--set", "lr=1"], {}),
    "set-without-value": (["train", "good.yaml", "--set", "lr"], {}),
    "set-nothing": (["train", "good.yaml", "--set", ""], {}),
    "schema-output-is-a-folder": (["schema", "--output", "."], {}),
    "completion-shell": (["completion", "tcl"], {}),
    "bench-unknown": (["bench", "alnoe"], {}),
    "predict-model-nowhere": (["predict", "nowhere.safetensors", "t.csv"], {}),
    "predict-model-is-a-table": (["predict", "t.csv", "t.csv"], {}),
    "predict-study-unknown": (["predict", "goood", "t.csv"], {}),
    "predict-no-data": (["predict", "good"], {}),
    "predict-data-nowhere": (["predict", "good", "nowhere.csv"], {}),
    "predict-data-is-a-folder": (["predict", "good", "runs"], {}),
    "predict-data-empty": (["predict", "good", "u.csv"], {"u.csv": b""}),
    "predict-data-empty-input": (["predict", "good", "-"], {}),
    "predict-column-missing": (["predict", "good", "u.csv"], {"u.csv": b"a,y\n1,p\n"}),
    "predict-column-renamed": (["predict", "good", "u.csv"], {"u.csv": b"a,bb,y\n1,2,p\n"}),
    "predict-no-header": (["predict", "good", "u.csv"], {"u.csv": b"1,2\n3,4\n"}),
    "predict-word-among-numbers": (["predict", "good", "u.csv"], {"u.csv": b"a,b\n1,2\n1,two\x1b[31m\n"}),
    "predict-row-too-short": (["predict", "good", "u.csv"], {"u.csv": b"a,b\n1,2\n1\n"}),
    "predict-open-quote": (["predict", "good", "u.csv"], {"u.csv": b'a,b\n1,2\n"1,2\n'}),
    "predict-gz-bomb": (["predict", "good", "u.csv"], {"u.csv": bomb(512, b"x", b"a,b\n")}),
    "predict-keep-unknown": (["predict", "good", "t.csv", "--keep", "c"], {}),
    "predict-output-nowhere": (["predict", "good", "t.csv", "--output", "nowhere/x.csv"], {}),
    "predict-output-is-a-folder": (["predict", "good", "t.csv", "--output", "runs"], {}),
    "from-nowhere": (["check", "s.yaml"], study_from("data: {csv: t.csv, target: y}", model="nowhere.safetensors")),
    "from-a-folder": (["check", "s.yaml"], study_from("data: {csv: t.csv, target: y}", model="runs")),
    "from-no-model": (["check", "s.yaml"], study_from("data: {csv: t.csv, target: y}", model="t.csv")),
    "from-other-columns": (["check", "s.yaml"], study_from("data: {csv: o.csv, target: y}", b"e,f,y\n1,2,p\n3,4,q\n5,6,p\n")),
    "from-other-target": (["check", "s.yaml"], study_from("data: {csv: o.csv, target: z}", b"a,b,z\n1,2,p\n3,4,q\n5,6,p\n")),
    "from-other-task": (["check", "s.yaml"], study_from("data: {csv: o.csv, target: y, task: regression}",
                                                        b"a,b,y\n1,2,1\n3,4,2\n5,6,3\n")),
    "from-other-kind": (["check", "s.yaml"], study_from("data: {csv: o.csv, target: y}",
                                                        b"a,b,y\nx,2,p\nz,4,q\nx,6,p\nz,1,q\n")),
    "from-no-such-class": (["check", "s.yaml"], study_from("data: {csv: t.csv, target: y, classes: [none]}")),
    "from-images": (["check", "s.yaml"], study_from("data: {idx: images}", more=idx_images())),
    "from-other-loss": (["check", "s.yaml"], study_from("data: {csv: t.csv, target: y}\ntrain: {loss: bce}")),
    "from-kept-optimizer": (["check", "s.yaml"], study_from(
        "data: {csv: t.csv, target: y}", options=", optimizer: keep")),
    "from-replay-nowhere": (["check", "s.yaml"], study_from("data: {csv: t.csv, target: y}", options=", replay: nowhere.csv")),
    "from-replay-of-others": (["check", "s.yaml"], study_from(
        "data: {csv: t.csv, target: y}", b"a,b,y\n1,2,new\n3,4,newer\n5,6,new\n7,8,newer\n", ", replay: o.csv")),
}
