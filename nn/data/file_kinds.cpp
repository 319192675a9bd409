#include "nn/data/file_kinds.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/ascii.h"
#include "base/shell.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

/// A file of another kind.
struct OtherKind {
  std::string_view what;
  /// What makes a CSV file of it. {in} stands for the file, {out} for what comes out.
  std::string_view command;
};

constexpr std::string_view kPandas = "python3 -c 'import sys, pandas; pandas.read_";
constexpr std::string_view kToCsv = ".to_csv(sys.argv[2], index=False)' {in} {out}";

struct Magic {
  std::string_view bytes;
  OtherKind kind;
};

constexpr std::array<Magic, 9> kMagics{{
    {{"\xfd"
      "7zXZ\0",
      6},
     {"a file compressed by xz", "xz -dc {in} > {out}"}},
    {"\x28\xb5\x2f\xfd", {"a file compressed by Zstandard", "zstd -dc {in} > {out}"}},
    {{"\x04\x22\x4d\x18", 4}, {"a file compressed by LZ4", "lz4 -dc {in} > {out}"}},
    {"7z\xbc\xaf\x27\x1c", {"a 7z archive", "7z x {in}"}},
    {{"ARROW1\0", 7}, {"an Arrow (Feather) file", "feather(sys.argv[1])"}},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", {"an Excel workbook (.xls)", "excel(sys.argv[1])"}},
    {"\x89HDF\r\n\x1a\n", {"an HDF5 file", "hdf(sys.argv[1])"}},
    {{"SQLite format 3\0", 16},
     {"an SQLite database", "sqlite3 -header -csv {in} 'SELECT * FROM TABLE' > {out}"}},
    {"<stata_dta>", {"a Stata file", "stata(sys.argv[1])"}},
}};

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word, {}, base::to_lower);
}

std::string_view without_blanks(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

/// Whether a text begins as an object of JSON with a name.
bool begins_object(std::string_view text) {
  if (!text.starts_with('{')) return false;
  text = without_blanks(text.substr(1));
  if (!text.starts_with('"')) return false;
  const std::size_t end = text.find('"', 1);
  return end != std::string_view::npos && without_blanks(text.substr(end + 1)).starts_with(':');
}

std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    found.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

/// Whether the second line has types and the third one roles, as in tables of Orange.
bool is_orange(std::string_view text) {
  constexpr std::array<std::string_view, 12> kTypes{
      "c",      "d",    "s",       "t",           "continuous", "discrete",
      "string", "time", "numeric", "categorical", "n",          "basket"};
  constexpr std::array<std::string_view, 9> kRoles{"",  "class", "meta", "ignore", "c",
                                                   "m", "i",     "w",    "weight"};
  std::array<std::string_view, 3> lines;
  for (std::string_view& line : lines) {
    line = first_line(text);
    text.remove_prefix(line.size());
    if (text.empty()) return false;
    text.remove_prefix(text.starts_with("\r\n") ? 2 : 1);
  }
  const auto types = cells(lines[1]), roles = cells(lines[2]);
  const auto is_one = [](const auto& words) {
    return [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  };
  // Single letters may be the texts of a table.
  const auto is_long = [](std::string_view word) { return word.size() > 1; };
  const bool told = std::ranges::any_of(types, is_long) || std::ranges::any_of(roles, is_long);
  return told && types.size() > 1 && roles.size() <= types.size() &&
         cells(lines[0]).size() == types.size() && std::ranges::all_of(types, is_one(kTypes)) &&
         std::ranges::all_of(roles, is_one(kRoles));
}

/// The kind of a text by its beginning; one without `what` for a table.
OtherKind kind_of_text(std::string_view text) {
  const std::string_view begin = without_blanks(text);
  if (begins_object(begin)) {
    const std::string_view line = first_line(begin);
    const bool lines = line.ends_with('}');
    return lines ? OtherKind{"a file of JSON lines", "json(sys.argv[1], lines=True)"}
                 : OtherKind{"a JSON file", "json(sys.argv[1])"};
  }
  if (begin.starts_with('[')) {
    const std::string_view inside = without_blanks(begin.substr(1));
    if (begins_object(inside) || inside.starts_with('['))
      return {"a JSON file", "json(sys.argv[1])"};
  }
  for (const std::string_view tag : {"<!doctype html", "<html", "<table"}) {
    if (starts_with_word(begin, tag)) return {"a page of HTML", "html(sys.argv[1])[0]"};
  }
  if (begin.starts_with("<?xml")) return {"an XML file", "xml(sys.argv[1])"};
  std::string_view arff = begin;
  while (arff.starts_with('%')) arff = without_blanks(arff.substr(first_line(arff).size()));
  if (starts_with_word(arff, "@relation"))
    return {"an ARFF file (of Weka)",
            "awk 'tolower($1) == \"@attribute\" {names = names sep $2; sep = \",\"} rows && !/^%/; "
            "tolower($1) == \"@data\" {print names; rows = 1}' {in} > {out}"};
  if (is_orange(text))
    return {"a table of Orange with three lines of names", "sed 2,3d {in} > {out}"};
  return {};
}

OtherKind kind_of(std::string_view bytes) {
  for (const Magic& magic : kMagics) {
    if (bytes.starts_with(magic.bytes)) return magic.kind;
  }
  // The digit between is the size of its blocks.
  if (bytes.starts_with("BZh") && bytes.size() > 4 && bytes.substr(4).starts_with("1AY&SY"))
    return {"a file compressed by bzip2", "bunzip2 -c {in} > {out}"};
  if (bytes.starts_with("PAR1") && bytes.find('\0') != std::string_view::npos)
    return {"a Parquet file", "parquet(sys.argv[1])"};
  if (bytes.starts_with("PK\x03\x04")) {
    // Of a workbook these names stand early, uncompressed.
    const bool book = bytes.find("xl/") != std::string_view::npos ||
                      bytes.substr(0, 64).find("[Content_Types].xml") != std::string_view::npos;
    return book ? OtherKind{"an Excel workbook (.xlsx)", "excel(sys.argv[1])"}
                : OtherKind{"a zip archive", "unzip {in}"};
  }
  return kind_of_text(bytes);
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

/// "t.csv" for t.jsonl and t.csv.xz, and for t.csv another name.
std::string csv_name(const std::string& path) {
  constexpr std::string_view kEnding = ".csv";
  const std::size_t name = path.rfind('/') + 1, dot = path.rfind('.');
  if (dot == std::string::npos || dot <= name) return path + std::string(kEnding);
  const std::string stem = path.substr(0, dot);
  if (stem.ends_with(kEnding)) return stem;
  return path.ends_with(kEnding) ? path + std::string(kEnding) : stem + std::string(kEnding);
}

}  // namespace

void refuse_other_kind(const std::string& path, std::string_view bytes) {
  const OtherKind kind = kind_of(bytes);
  if (kind.what.empty()) return;
  const std::string what = "this is " + std::string(kind.what) + ", expected CSV";
  if (path == kStandardInput) throw DataError(path, what);
  std::string command(kind.command);
  const bool pandas = command.find("(sys.argv[1]") != std::string::npos;
  if (pandas) command = std::string(kPandas) + command + std::string(kToCsv);
  replace(command, "{in}", base::shell_quoted(path));
  replace(command, "{out}", base::shell_quoted(csv_name(path)));
  throw DataError(path, what + "; to convert it: " + command);
}

}  // namespace nn
