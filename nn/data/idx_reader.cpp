#include "nn/data/idx_reader.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/words.h"

namespace nn {

namespace {

std::uint32_t big_endian(std::span<const std::byte, 4> bytes) {
  std::uint32_t value = 0;
  for (const std::byte b : bytes) value = value << 8 | std::to_integer<std::uint32_t>(b);
  return value;
}

/// Deflate cannot pack more than 1032 bytes into one, so a larger claim is a lie.
std::size_t most_content(const SourceFile& file) {
  return file.gzip() ? file.raw().size() * 1032 : file.raw().size();
}

}  // namespace

std::string IdxHeader::text() const {
  std::string text;
  for (const std::size_t d : dims) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text;
}

IdxReader::IdxReader(const SourceFile& file, std::size_t least_dims, std::size_t most_dims,
                     const LoadLimits& limits)
    : file_(file), content_(file, limits.inflated_bytes) {
  std::array<std::byte, 4> magic{};
  if (content_.read(magic) != magic.size()) fail("the file ends inside its header");
  if (magic[0] != std::byte{0} || magic[1] != std::byte{0}) {
    fail("this is not an IDX file: it does not begin with two zero bytes");
  }
  if (magic[2] != std::byte{8}) {
    fail("the file has values of IDX type " + std::to_string(std::to_integer<int>(magic[2])) +
         ", expected 8 (unsigned bytes)");
  }
  const auto count = std::to_integer<std::size_t>(magic[3]);
  if (count < least_dims || count > most_dims) {
    fail("the file has " + base::counted(count, "dimension") + ", expected " +
         std::to_string(least_dims) +
         (least_dims == most_dims ? "" : " or " + std::to_string(most_dims)));
  }
  read_dims(count, limits);
}

void IdxReader::values(std::span<std::uint8_t> out) {
  if (content_.read(std::as_writable_bytes(out)) != out.size()) {
    fail("the file ends before the last of " + header_.text() + " values");
  }
}

void IdxReader::expect_end() {
  std::byte more{};
  if (content_.read({&more, 1}) != 0) {
    fail("the file continues after the last of " + header_.text() + " values");
  }
}

void IdxReader::fail(const std::string& text) const { throw DataError(file_.path(), text); }

void IdxReader::read_dims(std::size_t count, const LoadLimits& limits) {
  constexpr std::size_t kLargest = std::numeric_limits<std::int32_t>::max();
  std::size_t total = 1;
  bool overflow = false;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<std::byte, 4> word{};
    if (content_.read(word) != word.size()) fail("the file ends inside its header");
    const std::size_t dim = big_endian(word);
    header_.dims.push_back(dim);
    overflow |= __builtin_mul_overflow(total, dim, &total);
    if (i == 0) continue;
    overflow |= __builtin_mul_overflow(header_.per_row, dim, &header_.per_row) ||
                header_.per_row > kLargest;
  }
  check_size(4 + 4 * count, overflow, total, limits);
}

void IdxReader::check_size(std::size_t start, bool overflow, std::size_t total,
                           const LoadLimits& limits) {
  const auto& dims = header_.dims;
  const std::string claim = header_.text() + " values";
  if (std::find(dims.begin(), dims.end(), std::size_t{0}) != dims.end()) {
    fail("the file has no values: its header claims " + claim);
  }
  const std::size_t size = file_.raw().size();
  if (overflow || total > most_content(file_) || total > limits.inflated_bytes) {
    fail("the file claims " + claim + ", more than its " + std::to_string(size) +
         " bytes can hold");
  }
  if (!file_.gzip() && start + total != size) {
    fail("the file has " + std::to_string(size) + " bytes, expected " +
         std::to_string(start + total) + " for " + claim);
  }
}

}  // namespace nn
