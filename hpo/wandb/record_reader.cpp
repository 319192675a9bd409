#include "hpo/wandb/record_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/text.h"

namespace hpo::wandb {

namespace {

constexpr std::uint64_t kBlock = 32768;
constexpr std::size_t kHead = 7;  ///< of the file, and of each part of a record
constexpr std::string_view kMagic = ":W&B\xE1\xBE";
/// Of a record that can be a report. Larger ones hold what a program printed, or code.
constexpr std::size_t kLargest = std::size_t{16} << 20;

enum Part : unsigned { kNothing = 0, kAll = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
  return number;
}

/// Over the kind and the bytes of a part.
std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

}  // namespace

void RecordReader::join(unsigned kind, std::string_view part, std::vector<std::string>& out) {
  if (kind == kAll || kind == kFirst) {
    record_.clear();
    whole_ = true;
  }
  if (record_.size() + part.size() > kLargest) whole_ = false;
  if (whole_) record_ += part;
  if ((kind == kAll || kind == kLast) && whole_) out.push_back(record_);
}

std::vector<std::string> RecordReader::add(std::string_view bytes) {
  pending_ += bytes;
  std::vector<std::string> records;
  std::size_t taken = 0;
  const auto rest = [&] { return std::string_view(pending_).substr(taken); };
  if (at_ == 0 && pending_.size() >= kHead) {
    if (!pending_.starts_with(kMagic))
      throw base::Error(base::Errc::data, "does not begin as a run of wandb does");
    taken = kHead;
  }
  while (at_ + taken > 0) {
    const std::uint64_t room = kBlock - (at_ + taken) % kBlock;
    if (room < kHead) {  // too little for a part: it is filled with zeros
      if (rest().size() < room) break;
      taken += static_cast<std::size_t>(room);
      continue;
    }
    if (rest().size() < kHead) break;
    const std::uint32_t sum = little_endian(rest().substr(0, 4));
    const std::size_t size = little_endian(rest().substr(4, 2));
    const unsigned kind = static_cast<unsigned char>(rest()[6]);
    if (kind == kNothing && size == 0 && sum == 0) break;  // not written yet
    if (kind > kLast || kHead + size > room)
      throw base::Error(base::Errc::data, base::cat("is damaged at byte ", at_ + taken));
    if (rest().size() < kHead + size) break;
    if (checksum(rest().substr(kHead - 1, size + 1)) != sum)
      throw base::Error(base::Errc::data, base::cat("is damaged at byte ", at_ + taken));
    join(kind, rest().substr(kHead, size), records);
    taken += kHead + size;
  }
  pending_.erase(0, taken);
  at_ += taken;
  return records;
}

}  // namespace hpo::wandb
