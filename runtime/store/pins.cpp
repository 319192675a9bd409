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

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"

namespace rt::store {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t kForgotten = 30 * 24 * 3600;

base::Path lists_of(const base::Path& folder) { return folder / ".pins"; }

base::Path list_of(const base::Path& folder, std::string_view owner) {
  return lists_of(folder) / base::hash_bytes(std::as_bytes(std::span(owner))).hex();
}

/// The list appears whole by rename; like an entry it is not synced.
void write_list(const base::Path& folder, const base::Path& path,
                const std::vector<base::Key>& keys) {
  if (keys.empty()) {
    ::unlink(path.c_str());
    return;
  }
  fs::create_directories(lists_of(folder));
  std::string text;
  for (const base::Key key : keys) text += key.hex() + '\n';
  try {
    base::write_file_atomic(path, text, base::Durability::cached);
  } catch (const base::Error&) {
    // No room for it: what it would have held may be evicted and computed again.
  }
}

}  // namespace

Pins::Change Pins::set(std::string_view owner, std::vector<base::Key> keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const std::scoped_lock lock(mutex_);
  std::vector<base::Key>& list = lists_[std::string(owner)];
  if (list == keys) return {};
  Change change;
  std::ranges::set_difference(keys, list, std::back_inserter(change.added));
  std::ranges::set_difference(list, keys, std::back_inserter(change.removed));
  for (const base::Key key : change.added) ++held_[key];
  for (const base::Key key : change.removed) {
    if (const auto at = held_.find(key); --at->second == 0) held_.erase(at);
  }
  list = std::move(keys);
  changed_.emplace(owner);
  return change;
}

bool Pins::held(base::Key key) const {
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

std::set<base::Key> pinned_in(const base::Path& folder) {
  std::set<base::Key> keys;
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
      if (const auto key = base::Key::from_hex(line)) keys.insert(*key);
    }
  }
  return keys;
}

}  // namespace rt::store
