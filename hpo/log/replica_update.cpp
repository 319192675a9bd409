#include "hpo/log/replica_update.h"

namespace hpo {

namespace {

constexpr std::size_t kReplicaBytes = 2, kVersionBytes = 4;

void put(std::string& out, std::uint32_t number, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > 0;) out.push_back(static_cast<char>(number >> (8 * i) & 0xff));
}

std::uint32_t taken(std::string_view& from, std::size_t bytes) {
  std::uint32_t number = 0;
  for (const char byte : from.substr(0, bytes))
    number = number << 8 | static_cast<unsigned char>(byte);
  from.remove_prefix(bytes);
  return number;
}

}  // namespace

std::string updates_as_bytes(const std::vector<ReplicaUpdate>& updates) {
  std::string out;
  for (const ReplicaUpdate& update : updates) {
    put(out, update.replica, kReplicaBytes);
    put(out, update.version, kVersionBytes);
  }
  return out;
}

std::optional<std::vector<ReplicaUpdate>> updates_from_bytes(std::string_view bytes) {
  if (bytes.size() % (kReplicaBytes + kVersionBytes) != 0) return std::nullopt;
  std::vector<ReplicaUpdate> updates;
  while (!bytes.empty()) {
    const auto replica = static_cast<std::uint16_t>(taken(bytes, kReplicaBytes));
    updates.push_back({.replica = replica, .version = taken(bytes, kVersionBytes)});
  }
  return updates;
}

}  // namespace hpo
