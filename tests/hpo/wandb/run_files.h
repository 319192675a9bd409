#pragma once
// Files of runs as the wandb package writes them: a header, then records in blocks of 32 KiB.

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/protobuf.h"

namespace hpo::wandb {

class RunFile {
 public:
  void record(std::string_view bytes) {
    bool first = true;
    do {
      std::size_t room = kBlock - text_.size() % kBlock;
      if (room < 7) {
        text_.append(room, '\0');
        room = kBlock;
      }
      const std::string_view part = bytes.substr(0, std::min(bytes.size(), room - 7));
      bytes.remove_prefix(part.size());
      const bool last = bytes.empty();
      std::string typed(1, static_cast<char>(first ? (last ? 1 : 2) : (last ? 4 : 3)));
      const std::size_t size = part.size();
      typed += part;
      const auto sum = static_cast<std::uint32_t>(::crc32(
          0, reinterpret_cast<const Bytef*>(typed.data()), static_cast<uInt>(typed.size())));
      for (int i = 0; i < 4; ++i) text_ += static_cast<char>(sum >> (8 * i) & 255);
      for (int i = 0; i < 2; ++i) text_ += static_cast<char>(size >> (8 * i) & 255);
      text_ += typed;
      first = false;
    } while (!bytes.empty());
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kBlock = 32768;
  std::string text_ = std::string(":W&B\xE1\xBE") + '\0';
};

/// Names and values of a record of the history (field 2) or the summary (3). A name with a dot is
/// nested.
using Values = std::vector<std::pair<std::string, std::string>>;
inline std::string record_of(int kind, const Values& values) {
  base::ProtoMessage items, record;
  for (const auto& [name, json] : values) {
    base::ProtoMessage item;
    const std::size_t dot = name.find('.');
    if (dot == name.npos) {
      item.bytes(1, name);
    } else {
      item.bytes(2, name.substr(0, dot)).bytes(2, name.substr(dot + 1));
    }
    item.bytes(16, json);
    items.message(1, item);
  }
  return record.number(1, 7).message(kind, items).text();
}
inline std::string history(const Values& values) { return record_of(2, values); }
inline std::string summary(const Values& values) { return record_of(3, values); }

}  // namespace hpo::wandb
