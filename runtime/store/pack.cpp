#include "runtime/store/pack.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <exception>
#include <set>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"

namespace rt::store {

namespace {

/// How long what others append may stay unseen.
constexpr base::Duration kFollowEvery = std::chrono::milliseconds(50);

}  // namespace

Pack::Pack(const base::Path& folder, std::uint64_t most, Pins& pins)
    : folder_(folder),
      path_((folder / kPackName).native()),
      most_(most),
      pins_(pins),
      room_(most) {}

Found Pack::find(base::Key key) {
  const std::scoped_lock lock(mutex_);
  auto at = places_.find(key);
  if (at == places_.end()) {
    look_again();
    at = places_.find(key);
  }
  if (at == places_.end()) return {};
  base::Bytes entry = bytes_at(at->second);
  if (!payload(entry, key)) {
    // All of it is read once more, which cuts out what is damaged and says so.
    const std::uint64_t known = damaged_;
    places_.clear();
    seen_ = read_ = 0;
    follow();
    if (damaged_ == known) ++damaged_;
    return {};
  }
  const double cost = unpack(entry)->cost;
  entry.erase(entry.begin(), entry.begin() + kHeadBytes);
  return {std::make_shared<const base::Bytes>(std::move(entry)), cost};
}

bool Pack::contains(base::Key key) {
  const std::scoped_lock lock(mutex_);
  if (!places_.contains(key)) look_again();
  return places_.contains(key);
}

int Pack::put(base::Key key, const base::Bytes& bytes, double cost) {
  const std::scoped_lock lock(mutex_);
  if (places_.contains(key)) return 0;
  if (!writable_) {
    if (const int code = open(true); code != 0) return code;
  }
  const auto head = pack({key, bytes.size(), cost, base::hash_bytes(bytes)});
  base::Bytes entry(head.begin(), head.end());
  entry.insert(entry.end(), bytes.begin(), bytes.end());
  ssize_t written = -1;
  do written = ::write(file_.fd(), entry.data(), entry.size());
  while (written < 0 && errno == EINTR);
  if (written < 0) return errno;
  if (written != static_cast<ssize_t>(entry.size())) return ENOSPC;
  const auto end = static_cast<std::uint64_t>(::lseek(file_.fd(), 0, SEEK_CUR));
  if (end - entry.size() == read_) {
    places_.insert_or_assign(key, Place{read_, entry.size()});
    seen_ = read_ = end;
  } else {
    followed_.reset();  // others wrote, or tore, what lies before it
  }
  appended_ += entry.size();
  if (appended_ > most_ / 4 || read_ > room_) follow();
  return 0;
}

void Pack::erase(base::Key key) {
  const std::scoped_lock lock(mutex_);
  follow();
  places_.erase(key);
}

void Pack::forget() {
  file_.close();
  places_.clear();
  writable_ = false;
  seen_ = read_ = 0;
}

/// Opens the file that has the name now; 0 or an errno value.
int Pack::open(bool create) {
  constexpr int kFlags = O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  if (create) {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) return error.value();
  }
  base::File file(::open(path_.c_str(), O_RDWR | kFlags | (create ? O_CREAT : 0), 0666));
  const bool writable = static_cast<bool>(file);
  if (!file && !create) file = base::File(::open(path_.c_str(), O_RDONLY | kFlags));
  struct stat info {};
  if (!file || ::fstat(file.fd(), &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return EISDIR;
  forget();
  device_ = info.st_dev;
  inode_ = info.st_ino;
  file_ = std::move(file);
  writable_ = writable;
  return 0;
}

void Pack::look_again() {
  if (!followed_ || base::now() - *followed_ >= kFollowEvery) follow();
}

/// Takes up what was appended since the last time, by whichever process.
void Pack::follow() {
  followed_ = base::now();
  appended_ = 0;
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0) return forget();
  const bool other = !file_ || info.st_ino != inode_ || info.st_dev != device_;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if ((other || size < read_) && open(false) != 0) return forget();
  const bool grew = size != seen_;
  seen_ = size;
  const bool whole = !grew || read_on();
  if (!whole || seen_ > room_) renew();
}

/// False when there were bytes that are no entry with entries behind them. An entry that the end of
/// the file cuts off may be on its way: it is looked at again once the file has grown.
bool Pack::read_on() {
  // No store writes a file much beyond its limit.
  const base::Bytes bytes = bytes_at({read_, std::min(seen_ - std::min(seen_, read_), 4 * room_)});
  const std::span<const std::byte> rest(bytes);
  bool whole = true;
  std::size_t at = 0;
  while (at < rest.size()) {
    if (const auto head = leading_entry(rest.subspan(at))) {
      const Place place{read_ + at, kHeadBytes + head->length};
      places_.insert_or_assign(head->key, place);
      at += place.bytes;
      continue;
    }
    const std::size_t next = next_entry(rest, at + 1);
    if (next == rest.size()) break;
    whole = false;
    at = next;
  }
  read_ += at;
  if (!whole) ++damaged_;
  return whole;
}

/// Shorter when the file ends before, empty when it cannot be read.
base::Bytes Pack::bytes_at(Place place) const {
  base::Bytes bytes(place.bytes);
  bytes.resize(base::read_into(file_.fd(), bytes, place.offset).bytes);
  return bytes;
}

/// The entries that stay when the file is written anew: the newest, and those that pins name.
base::Bytes Pack::kept() {
  pins_.write();
  const std::set<base::Key> pinned = pinned_in(folder_);
  std::vector<std::pair<Place, base::Key>> newest;
  for (const auto& [key, place] : places_) newest.emplace_back(place, key);
  std::ranges::sort(newest,
                    [](const auto& a, const auto& b) { return a.first.offset > b.first.offset; });
  const std::uint64_t allowed = seen_ > room_ ? most_ / 2 : seen_;
  std::uint64_t used = 0;
  std::erase_if(newest, [&](const auto& entry) {
    const bool stays = used + entry.first.bytes <= allowed || pinned.contains(entry.second);
    if (stays) used += entry.first.bytes;
    return !stays;
  });
  base::Bytes bytes;
  for (auto entry = newest.rbegin(); entry != newest.rend(); ++entry) {
    const base::Bytes one = bytes_at(entry->first);
    bytes.insert(bytes.end(), one.begin(), one.end());
  }
  return bytes;
}

/// Whether this process alone may write the file anew: another one may be at it, or may have been
/// quicker, and then ours has no name any more.
bool Pack::has_lock() {
  struct stat info {};
  return writable_ && ::flock(file_.fd(), LOCK_EX | LOCK_NB) == 0 &&
         ::stat(path_.c_str(), &info) == 0 && info.st_ino == inode_;
}

/// Left to another time when another process is at it.
void Pack::renew() {
  if (!has_lock()) return;
  try {
    const bool damaged = seen_ <= room_;
    base::write_file_atomic(path_, kept(), base::Durability::cached);
    if (damaged)
      base::warn(base::cat("store: ", path_,
                           " was damaged in places, which were cut out; what they held is ",
                           "computed again"));
    struct stat info {};
    if (open(false) != 0 || ::fstat(file_.fd(), &info) != 0) return;
    seen_ = static_cast<std::uint64_t>(info.st_size);
    (void)read_on();
    room_ = std::max(most_, 2 * seen_);
  } catch (const std::exception&) {
    room_ = 2 * seen_;  // no space for a second file: it is tried again when this one has grown
    ::flock(file_.fd(), LOCK_UN);
  }
}

}  // namespace rt::store
