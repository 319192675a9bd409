#include "runtime/store/entry.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/codec.h"

namespace rt::store {
namespace {

/// Changes with the layout: entries of another version count as absent.
constexpr std::string_view kMagic = "TRLSTOR1";

/// The head less magic and its own checksum, in the codec's canonical form.
struct Fields {
  std::uint64_t key_hi, key_lo, length;
  double cost;
  std::uint64_t checksum_hi, checksum_lo;
};
constexpr std::size_t kFieldBytes = 48;

std::uint64_t check_of(std::span<const std::byte> head) { return base::hash_bytes(head).lo; }

}  // namespace

int worth_of(double cost, std::uint64_t bytes) noexcept {
  if (!(cost > 0)) return std::numeric_limits<int>::min();
  return std::ilogb(cost / static_cast<double>(std::max<std::uint64_t>(1, bytes)));
}

std::array<std::byte, kHeadBytes> pack(const Head& head) {
  Writer w;
  w.put_raw(kMagic.data(), kMagic.size());
  w.put(
      Fields{head.key.hi, head.key.lo, head.length, head.cost, head.checksum.hi, head.checksum.lo});
  w.put(check_of(w.bytes()));
  std::array<std::byte, kHeadBytes> out;
  std::copy(w.bytes().begin(), w.bytes().end(), out.begin());
  return out;
}

std::optional<Head> unpack(std::span<const std::byte> bytes) {
  static_assert(kHeadBytes == kMagic.size() + kFieldBytes + sizeof(std::uint64_t));
  if (bytes.size() < kHeadBytes || base::as_text(bytes.first(kMagic.size())) != kMagic)
    return std::nullopt;
  const auto checked = bytes.first(kMagic.size() + kFieldBytes);
  if (decode<std::uint64_t>(bytes.subspan(checked.size(), sizeof(std::uint64_t))) !=
      check_of(checked))
    return std::nullopt;
  const auto f = decode<Fields>(checked.subspan(kMagic.size()));
  return Head{{f.key_hi, f.key_lo}, f.length, f.cost, {f.checksum_hi, f.checksum_lo}};
}

std::optional<Head> leading_entry(std::span<const std::byte> bytes) {
  const auto head = unpack(bytes);
  if (!head || head->length > bytes.size() - kHeadBytes) return std::nullopt;
  const bool whole = base::hash_bytes(bytes.subspan(kHeadBytes, head->length)) == head->checksum;
  return whole ? head : std::nullopt;
}

std::size_t next_entry(std::span<const std::byte> bytes, std::size_t from) {
  return std::min(base::as_text(bytes).find(kMagic, from), bytes.size());
}

std::optional<std::span<const std::byte>> payload(std::span<const std::byte> file, base::Key key) {
  const auto head = leading_entry(file);
  if (!head || head->key != key || head->length != file.size() - kHeadBytes) return std::nullopt;
  return file.subspan(kHeadBytes);
}

}  // namespace rt::store
