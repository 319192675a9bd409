#include "nn/data/npy_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "nn/data/data_error.h"

namespace nn {

namespace {

constexpr std::size_t kMostHeader = std::size_t{1} << 20;
constexpr std::size_t kMostDims = 8;

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw DataError(path, what);
}

/// What stands behind 'KEY': in the header's literal.
std::string_view entry(const std::string& path, std::string_view header, std::string_view key) {
  const std::string quoted = "'" + std::string(key) + "'";
  std::size_t at = header.find(quoted);
  if (at != std::string_view::npos) at = header.find_first_not_of(" \t", at + quoted.size());
  if (at == std::string_view::npos || header[at] != ':')
    refuse(path, "this is not a NumPy array: its header has no " + quoted);
  at = header.find_first_not_of(" \t", at + 1);
  return at == std::string_view::npos ? std::string_view() : header.substr(at);
}

NumberType type_of(const std::string& path, std::string_view text) {
  constexpr std::array<std::pair<std::string_view, NumberType>, 12> kTypes{
      {{"b1", NumberType::u8},
       {"u1", NumberType::u8},
       {"i1", NumberType::i8},
       {"u2", NumberType::u16},
       {"i2", NumberType::i16},
       {"u4", NumberType::u32},
       {"i4", NumberType::i32},
       {"u8", NumberType::u64},
       {"i8", NumberType::i64},
       {"f2", NumberType::f16},
       {"f4", NumberType::f32},
       {"f8", NumberType::f64}}};
  const bool quoted = text.starts_with('\'');
  const std::size_t end = quoted ? text.find('\'', 1) : std::string_view::npos;
  if (end == std::string_view::npos)
    refuse(path, "the file has records, expected an array of plain numbers");
  const std::string_view word = text.substr(1, end - 1);
  if (word.starts_with('>'))
    refuse(path,
           "the file has " + in_quotes(word) + ", big-endian numbers, expected little-endian ones");
  const auto found = std::ranges::find(kTypes, word.substr(std::min<std::size_t>(1, word.size())),
                                       &std::pair<std::string_view, NumberType>::first);
  if (found == kTypes.end())
    refuse(path,
           "the file has " + in_quotes(word) + ", expected numbers such as '<f4', '<i8' or '|u1'");
  return found->second;
}

std::vector<std::uint64_t> shape_of(const std::string& path, std::string_view text) {
  std::vector<std::uint64_t> dims;
  if (!text.starts_with('(')) refuse(path, "this is not a NumPy array: its header has no shape");
  text.remove_prefix(1);
  for (;;) {
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" ,")));
    if (text.empty()) refuse(path, "this is not a NumPy array: its shape never ends");
    if (text.front() == ')') return dims;
    std::uint64_t dim = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), dim);
    if (error != std::errc() || dims.size() == kMostDims)
      refuse(path, "this is not a NumPy array: its shape is not a list of at most 8 sizes");
    dims.push_back(dim);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
}

/// The header's literal, once the beginning was read.
std::string read_header(ContentReader& reader, const std::string& path) {
  std::array<unsigned char, 12> start{};
  const auto fill = [&](std::size_t from, std::size_t count) {
    const auto bytes = std::as_writable_bytes(std::span(start).subspan(from, count));
    if (reader.read(bytes) < count)
      refuse(path, "this is not a NumPy array: the file ends before its header does");
  };
  fill(0, 8);
  constexpr std::string_view kMagic = "\x93NUMPY";
  if (!std::equal(kMagic.begin(), kMagic.end(), start.begin(),
                  [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; }))
    refuse(path, "this is not a NumPy array: it does not begin with \"\\x93NUMPY\"");
  if (start[6] < 1 || start[6] > 3)
    refuse(path, "the file has version " + std::to_string(start[6]) +
                     " of NumPy's format, expected 1, 2 or 3");
  const std::size_t width = start[6] == 1 ? 2 : 4;
  fill(8, width);
  std::size_t length = 0;
  for (std::size_t i = width; i-- > 0;) length = length << 8 | start[8 + i];
  if (length > kMostHeader) refuse(path, "claims a header of " + size_text(length));
  std::string header(length, '\0');
  if (reader.read(std::as_writable_bytes(std::span(header))) < length)
    refuse(path, "this is not a NumPy array: the file ends before its header does");
  return header;
}

}  // namespace

NumberArray read_npy(const SourceFile& file, std::size_t max_bytes) {
  ContentReader reader(file, max_bytes);
  const std::string header = read_header(reader, file.path());
  NumberArray array;
  array.path = file.path();
  array.type = type_of(array.path, entry(array.path, header, "descr"));
  array.dims = shape_of(array.path, entry(array.path, header, "shape"));
  if (!entry(array.path, header, "fortran_order").starts_with("False"))
    refuse(array.path,
           "lies columns first, expected rows first: numpy.ascontiguousarray does that");
  const std::size_t size = bytes_of(array.path, array.type, array.dims);
  // Memory grows with what is there, never with what the header claims.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::size_t filled = 0;
  while (filled < size) {
    array.bytes.resize(std::min(size, std::max(filled * 2, kPiece)));
    const std::size_t got = reader.read(std::span(array.bytes).subspan(filled));
    filled += got;
    if (filled < array.bytes.size()) break;
  }
  std::byte more{};
  const bool left_over = filled == size && reader.read({&more, 1}) > 0;
  if (filled < size || left_over) {
    refuse(array.path, std::string("the file has ") + (left_over ? "more" : "less") +
                           " than its header says: expected " + size_text(size) + " of numbers");
  }
  return array;
}

}  // namespace nn
