"""Ten tables that nobody prepared, out of Debian's packages, as CSV files with names in their first line.

usage: tables_fetch.py FOLDER
Downloads the packages with apt-get (nothing is installed), takes the tables out and writes FOLDER/NAME.csv: values as the
package has them, missing ones as NA, factors as their words. A file that is there already stays. Needs apt-get, dpkg-deb and
the module rdata (Debian: python3-rdata).
"""
import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

MLBENCH = ("r-cran-mlbench", "usr/lib/R/site-library/mlbench/data")
KERNLAB = ("r-cran-kernlab", "usr/lib/R/site-library/kernlab/data")
AER = ("r-cran-aer", "usr/lib/R/site-library/AER/data")
WEKA = ("weka", "usr/share/doc/weka/examples")

# name: (package and folder, file)
TABLES = {
    "letters": (MLBENCH, "LetterRecognition.rda"),
    "shuttle": (MLBENCH, "Shuttle.rda"),
    "spam": (KERNLAB, "spam.rda"),
    "credit": (WEKA, "credit-g.arff"),
    "segment": (WEKA, "segment-challenge.arff"),
    "soybean": (MLBENCH, "Soybean.rda"),
    "votes": (MLBENCH, "HouseVotes84.rda"),
    "housing": (MLBENCH, "BostonHousing.rda"),
    "ozone": (MLBENCH, "Ozone.rda"),
    "earnings": (AER, "CPSSW8.rda"),
}


def read_rda(path):
    """Names and rows of the one data frame in a file of R."""
    import rdata

    frame = next(iter(rdata.read_rda(path).values())) if hasattr(rdata, "read_rda") else next(
        iter(rdata.conversion.convert(rdata.parser.parse_file(path)).values()))
    rows = frame.itertuples(index=False, name=None)
    return [str(name) for name in frame.columns], [[text_of(value) for value in row] for row in rows]


def text_of(value):
    if value is None or (isinstance(value, float) and math.isnan(value)) or str(value) in ("nan", "<NA>"):
        return "NA"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return str(value)


def read_arff(path):
    """Names and rows of a file of Weka: lines of attributes, then values with commas between them."""
    names, lines, data = [], Path(path).read_text(encoding="latin-1").splitlines(), False
    rows = []
    for line in lines:
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if data:
            rows.append([value.strip().strip("'") for value in next(csv.reader([line], quotechar="'"))])
        elif line.lower().startswith("@attribute"):
            rest = line.split(None, 1)[1]
            names.append(rest[1:].split("'", 1)[0] if rest.startswith("'") else rest.split(None, 1)[0])
        elif line.lower().startswith("@data"):
            data = True
    return names, rows


def unpack(package, cache):
    folder = cache / package
    if not folder.exists():
        subprocess.run(["apt-get", "download", package], cwd=cache, check=True, capture_output=True)
        (archive,) = cache.glob(f"{package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
    return folder


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, ((package, folder), file) in TABLES.items():
            target = out / f"{name}.csv"
            if target.exists():
                continue
            path = unpack(package, Path(scratch)) / folder / file
            names, rows = (read_rda if file.endswith(".rda") else read_arff)(str(path))
            with open(f"{target}.part", "w", newline="", encoding="utf-8") as to:
                writer = csv.writer(to)
                writer.writerow(names)
                writer.writerows(rows)
            Path(f"{target}.part").rename(target)
            print(f"{target}: {len(rows)} rows of {len(names)} columns")


if __name__ == "__main__":
    main()
