#include "runtime/store/known_files.h"

#include <dirent.h>

#include <cerrno>
#include <memory>

#include "runtime/base/text.h"

namespace rt::store {
namespace {

/// The key of the pack's entry that names a file: one that no result has.
Key name_of(Key key) { return Hasher().add("file").add(key).finish(); }

}  // namespace

bool KnownFiles::may_have(Key key) { return is_listed(key) || pack_.contains(name_of(key)); }

void KnownFiles::add(Key key) {
  {
    const std::scoped_lock lock(mutex_);
    bit_of(key) = true;
  }
  // Where the pack takes no name, only other processes that run now miss the file.
  [[maybe_unused]] const int ignored = pack_.put(name_of(key), {}, 0);
}

bool KnownFiles::is_listed(Key key) {
  const std::scoped_lock lock(mutex_);
  Branch& branch = branches_[key.hi >> 56];
  if (branch == Branch::not_listed) branch = list(key.hex().substr(0, 2));
  return branch == Branch::unknown || bit_of(key);
}

KnownFiles::Branch KnownFiles::list(const std::string& digits) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir((folder_ / digits).c_str()),
                                                   &::closedir);
  if (!folder) return errno == ENOENT || errno == ENOTDIR ? Branch::listed : Branch::unknown;
  for (std::size_t files = 0; files <= kMostListed; ++files) {
    errno = 0;
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) return errno == 0 ? Branch::listed : Branch::unknown;
    if (const auto key = Key::from_hex(cat(digits, entry->d_name))) bit_of(*key) = true;
  }
  return Branch::unknown;
}

}  // namespace rt::store
