#include "hpo/report/pack.h"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"

namespace hpo::report {

namespace {

constexpr std::uint32_t kTooLarge = std::numeric_limits<std::uint32_t>::max();
/// Bits of a float's mantissa that a short one has not.
constexpr unsigned kCutBits = 8;
/// Above this zlib takes several times as long for a hundredth of the size.
constexpr int kLevel = 6;

std::uint32_t bits_of(double value, bool short_mantissa) {
  // All NaN are one: pages of equal logs are equal.
  if (std::isnan(value)) return 0x7FC00000U;
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (!short_mantissa || std::isinf(value)) return bits;
  constexpr std::uint32_t kHalf = 1U << (kCutBits - 1), kKept = ~((1U << kCutBits) - 1);
  return (bits + kHalf) & kKept;
}

}  // namespace

void Pack::add(std::string_view name, std::string_view type, std::size_t length) {
  contents_ +=
      base::cat(contents_.empty() ? "" : ",", "[\"", name, "\",\"", type, "\",", length, "]");
}

void Pack::planes(std::span<const std::uint32_t> words) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    for (const std::uint32_t word : words) raw_.push_back(static_cast<std::uint8_t>(word >> shift));
  }
}

void Pack::bytes(std::string_view name, std::span<const std::uint8_t> column) {
  add(name, "u1", column.size());
  raw_.insert(raw_.end(), column.begin(), column.end());
}

void Pack::whole(std::string_view name, std::span<const std::int64_t> column) {
  add(name, "u4", column.size());
  std::vector<std::uint32_t> words;
  words.reserve(column.size());
  for (const std::int64_t x : column)
    words.push_back(x < 0 || x >= kTooLarge ? kTooLarge : static_cast<std::uint32_t>(x));
  planes(words);
}

void Pack::floats(std::string_view name, std::span<const double> column, bool short_mantissa) {
  add(name, "f4", column.size());
  std::vector<std::uint32_t> words;
  words.reserve(column.size());
  for (const double x : column) words.push_back(bits_of(x, short_mantissa));
  planes(words);
}

std::string Pack::text() const {
  uLongf length = compressBound(static_cast<uLong>(raw_.size()));
  std::vector<std::uint8_t> packed(length);
  if (compress2(packed.data(), &length, raw_.data(), static_cast<uLong>(raw_.size()), kLevel) !=
      Z_OK)
    throw base::Error(base::Errc::internal, "zlib cannot compress a page's data");
  packed.resize(length);
  return base64(packed);
}

std::string base64(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8U | (k < left ? bytes[i + k] : 0U);
    out += kDigits[three >> 18U & 63U];
    out += kDigits[three >> 12U & 63U];
    out += left > 1 ? kDigits[three >> 6U & 63U] : '=';
    out += left > 2 ? kDigits[three & 63U] : '=';
  }
  return out;
}

}  // namespace hpo::report
