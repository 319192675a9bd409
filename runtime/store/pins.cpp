#include "runtime/store/pins.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <iterator>
#include <utility>

#include "runtime/base/bytes.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace rt::store {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t kForgotten = 30 * 24 * 3600;

Path lists_of(const Path& folder) { return folder / ".pins"; }

Path list_of(const Path& folder, std::string_view owner) {
  return lists_of(folder) / hash_bytes(std::as_bytes(std::span(owner))).hex();
}

/// The list appears whole by rename; like an entry it is not synced.
void write_list(const Path& folder, const Path& path, const std::vector<Key>& keys) {
  if (keys.empty()) {
    ::unlink(path.c_str());
    return;
  }
  fs::create_directories(lists_of(folder));
  std::string text;
  for (const Key key : keys) text += key.hex() + '\n';
  try {
    write_file_atomic(path, text, Durability::cached);
  } catch (const Error&) {
    // No room for it: what it would have held may be evicted and computed again.
  }
}

}  // namespace

Pins::Change Pins::set(std::string_view owner, std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const std::scoped_lock lock(mutex_);
  std::vector<Key>& list = lists_[std::string(owner)];
  if (list == keys) return {};
  Change change;
  std::ranges::set_difference(keys, list, std::back_inserter(change.added));
  std::ranges::set_difference(list, keys, std::back_inserter(change.removed));
  for (const Key key : change.added) ++held_[key];
  for (const Key key : change.removed) {
    if (const auto at = held_.find(key); --at->second == 0) held_.erase(at);
  }
  list = std::move(keys);
  changed_.emplace(owner);
  return change;
}

bool Pins::held(Key key) const {
  const std::scoped_lock lock(mutex_);
  return held_.contains(key);
}

void Pins::write() noexcept {
  const std::scoped_lock lock(mutex_);
  if (folder_.empty()) changed_.clear();
  for (const std::string& owner : std::exchange(changed_, {})) {
    try {
      write_list(folder_, list_of(folder_, owner), lists_.at(owner));
    } catch (const std::exception&) {
      continue;  // the store says what is wrong with the folder when it writes entries
    }
  }
}

std::set<Key> pinned_in(const Path& folder) {
  std::set<Key> keys;
  std::error_code missing;
  const std::time_t now = std::time(nullptr);
  for (const auto& item : fs::directory_iterator(lists_of(folder), missing)) {
    struct stat info {};
    if (::lstat(item.path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (info.st_mtime + kForgotten < now) {
      ::unlink(item.path().c_str());
      continue;
    }
    std::ifstream in(item.path());
    for (std::string line; std::getline(in, line);) {
      if (const auto key = Key::from_hex(line)) keys.insert(*key);
    }
  }
  return keys;
}

}  // namespace rt::store
