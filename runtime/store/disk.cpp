#include "runtime/store/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/log.h"
#include "base/new_file.h"
#include "base/text.h"

namespace rt::store {
namespace {

/// So long nothing is written after a refusal (disk full, read-only): a store that cannot write
/// should not cost system calls a task, and space may come back.
constexpr base::Duration kRest = std::chrono::seconds(1);

/// Bytes of the file of small entries: more would take long to read when a store is opened.
constexpr std::uint64_t kMostPack = 16 << 20;

/// Reads a whole file; 0 or an errno value. ENOENT is the usual answer.
int read_entry(const std::string& path, base::Bytes& content) {
  const base::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) return errno;
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) return errno;
  if (!S_ISREG(info.st_mode)) return EISDIR;
  content.resize(static_cast<std::size_t>(info.st_size));
  // Its last use, for eviction. Fails where the file is another user's; then its age counts.
  [[maybe_unused]] const int ignored = ::futimens(file.fd(), nullptr);
  const base::ReadResult read = base::read_into(file.fd(), content);
  content.resize(read.bytes);
  return read.code;
}

bool leads_elsewhere(const std::string& folder) {
  struct stat info {};
  return ::lstat(folder.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

/// Creates a file with head and payload; 0 or an errno value.
int write_entry(const std::string& path, std::span<const std::byte> head,
                std::span<const std::byte> body) {
  base::NewFile file(path);
  file.write(head);
  file.write(body);
  return file.commit(base::Durability::cached);
}

}  // namespace

DiskLayer::DiskLayer(base::Path folder, std::uint64_t budget, Pins& pins)
    : folder_(std::move(folder)),
      budget_(budget),
      pins_(pins),
      pack_(folder_, std::min(kMostPack, budget / 16), pins),
      files_(folder_, pack_) {}

DiskLayer::~DiskLayer() {
  if (unaccounted_ > 0) account();
}

std::string DiskLayer::path_of(base::Key key) const {
  const std::string hex = key.hex();
  return base::cat(folder_.native(), '/', std::string_view(hex).substr(0, 2), '/',
                   std::string_view(hex).substr(2));
}

Found DiskLayer::find(base::Key key) {
  if (Found packed = pack_.find(key); packed.bytes) return packed;
  if (!files_.may_have(key)) return {};
  const std::string path = path_of(key);
  base::Bytes file;
  if (const int code = read_entry(path, file); code != 0) {
    if (code != ENOENT && code != ENOTDIR) refuse_read(path, code);
    return {};
  }
  const auto head = unpack(file);
  const auto body = payload(file, key);
  if (!body) {
    ++damaged_;
    if (leads_elsewhere(path.substr(0, path.rfind('/')))) return {};
    ::unlink(path.c_str());
    base::warn(
        base::cat("store: ", path, " is damaged and was removed; what it held is computed again"));
    return {};
  }
  // The head is cut off in place: a slab is not copied once more.
  file.erase(file.begin(), file.begin() + kHeadBytes);
  return {std::make_shared<const base::Bytes>(std::move(file)), head->cost};
}

bool DiskLayer::contains(base::Key key) {
  return pack_.contains(key) || ::access(path_of(key).c_str(), R_OK) == 0;
}

bool DiskLayer::put(base::Key key, const base::Bytes& bytes, double cost) {
  if (rests()) {
    ++refused_;
    return false;
  }
  const auto is_written = [&](const std::string& path, int code) {
    if (code != 0) refuse_write(path, code);
    return code == 0;
  };
  if (bytes.size() <= kMostPacked) return is_written(pack_.path(), pack_.put(key, bytes, cost));
  const std::string path = path_of(key);
  const bool there = ::access(path.c_str(), F_OK) == 0;
  if (!there && !is_written(path, write(path, key, bytes, cost))) return false;
  files_.add(key);
  if (there) return true;
  const std::uint64_t written = kHeadBytes + bytes.size();
  if (unaccounted_.fetch_add(written) + written > budget_ / 1024) account();
  return true;
}

/// 0 or an errno value.
int DiskLayer::write(const std::string& path, base::Key key, const base::Bytes& bytes,
                     double cost) {
  const std::string folder = path.substr(0, path.rfind('/'));
  const auto head = pack({key, bytes.size(), cost, base::hash_bytes(bytes)});
  int code = leads_elsewhere(folder) ? ELOOP : write_entry(path, head, bytes);
  if (code == ENOENT) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    code = error ? error.value() : write_entry(path, head, bytes);
  }
  return code;
}

void DiskLayer::erase(base::Key key) {
  pack_.erase(key);
  ::unlink(path_of(key).c_str());
}

bool DiskLayer::rests() const {
  const std::int64_t until = rests_until_.load(std::memory_order_relaxed);
  return until != 0 && base::now().nanos < until;
}

void DiskLayer::refuse_read(const std::string& path, int code) {
  ++refused_;
  if (warned_read_.exchange(true)) return;
  base::warn(base::cat("store: ", base::storage_error("read", path, code).what(),
                       "; what it holds is computed again"));
}

void DiskLayer::refuse_write(const std::string& path, int code) {
  ++refused_;
  rests_until_ = (base::now() + kRest).nanos;
  if (warned_write_.exchange(true)) return;
  base::warn(base::cat("store: ", base::storage_error("write", path, code).what(),
                       "; continuing without keeping results there for as long as that lasts"));
}

void DiskLayer::account() {
  pins_.write();
  const std::uint64_t written = unaccounted_.exchange(0);
  if (const auto removed = trim(folder_, written, budget_)) {
    evicted_ += *removed;
  } else {
    unaccounted_ += written;
  }
}

}  // namespace rt::store
