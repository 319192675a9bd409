#include "hpo/export/event_file.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <span>

#include "base/new_file.h"

namespace hpo {

namespace {

constexpr int kTypeFloat = 1, kTypeDouble = 2;  // DataType of types.proto
constexpr int kScalarData = 1;                  // DataClass of summary.proto

constexpr std::array<std::uint32_t, 256> kCrcTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78U : 0);
    table[i] = crc;
  }
  return table;
}();

template <class Number>
std::string little_endian(Number number) {
  std::string out;
  for (std::size_t i = 0; i < sizeof number; ++i) out += static_cast<char>(number >> (8 * i) & 255);
  return out;
}

/// A checksum as records have it: a CRC of bytes that have their own CRC inside would be constant.
std::string masked_crc(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return little_endian((crc >> 15 | crc << 17) + 0xa282ead8U);
}

base::ProtoMessage metadata(std::string_view plugin, std::string_view content) {
  base::ProtoMessage data, all;
  data.bytes(1, plugin);
  if (!content.empty()) data.bytes(2, content);
  all.message(1, data);
  return all;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes)
    crc = crc >> 8 ^ kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 255];
  return ~crc;
}

EventFile::EventFile(std::int64_t begun) {
  record(base::ProtoMessage().real(1, event_seconds(begun)).bytes(3, "brain.Event:2"));
}

void EventFile::record(const base::ProtoMessage& event) {
  const std::string length = little_endian(static_cast<std::uint64_t>(event.text().size()));
  text_ += length + masked_crc(length) + event.text() + masked_crc(event.text());
}

void EventFile::summary(std::int64_t at, std::int64_t step, const base::ProtoMessage& value) {
  record(base::ProtoMessage()
             .real(1, event_seconds(at))
             .number(2, step)
             .message(5, base::ProtoMessage().message(1, value)));
}

void EventFile::scalar(std::int64_t at, std::int64_t step, const std::string& tag, double value) {
  std::string packed = base::ProtoMessage().real(1, value).text().substr(1);
  base::ProtoMessage tensor, out;
  tensor.number(1, kTypeDouble).bytes(2, "").bytes(6, packed);
  out.bytes(1, tag).message(8, tensor);
  // Readers take the metadata of a tag from its first value.
  if (tags_.insert(tag).second) out.message(9, metadata("scalars", "").number(4, kScalarData));
  summary(at, step, out);
}

void EventFile::hparams(std::int64_t at, const std::string& tag, const base::ProtoMessage& data) {
  // The message is in the metadata; without a tensor of some kind readers skip the value.
  base::ProtoMessage tensor, out;
  tensor.number(1, kTypeFloat).bytes(2, "").bytes(5, std::string(4, '\0'));
  out.bytes(1, tag).message(8, tensor).message(9, metadata("hparams", data.text()));
  summary(at, 0, out);
}

void EventFile::write(const base::Path& path) const {
  const std::uint64_t there = base::file_size(path).value_or(0);
  if (there == 0 || there > text_.size() || !text_.starts_with(base::read_file(path)))
    return base::write_file_atomic(path, text_, base::Durability::cached);
  if (there == text_.size()) return;
  const std::string_view rest = std::string_view(text_).substr(there);
  base::File file(base::open_retrying(path.c_str(), O_WRONLY | O_APPEND));
  if (!file) throw base::storage_error("open", path, errno);
  if (const int code = base::write_all(file.fd(), std::as_bytes(std::span(rest))))
    throw base::storage_error("write", path, code);
}

}  // namespace hpo
