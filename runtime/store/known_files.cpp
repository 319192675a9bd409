#include "runtime/store/known_files.h"

#include <filesystem>
#include <system_error>

#include "base/text.h"

namespace rt::store {
namespace {

/// The key of the pack's entry that names a file: one that no result has.
base::Key name_of(base::Key key) { return base::Hasher().add("file").add(key).finish(); }

}  // namespace

bool KnownFiles::may_have(base::Key key) { return is_listed(key) || pack_.contains(name_of(key)); }

void KnownFiles::add(base::Key key) {
  {
    const std::scoped_lock lock(mutex_);
    bit_of(key) = true;
  }
  // Where the pack takes no name, only other processes that run now miss the file.
  [[maybe_unused]] const int ignored = pack_.put(name_of(key), {}, 0);
}

bool KnownFiles::is_listed(base::Key key) {
  const std::scoped_lock lock(mutex_);
  Branch& branch = branches_[key.hi >> 56];
  if (branch == Branch::not_listed) branch = list(key.hex().substr(0, 2));
  return branch == Branch::unknown || bit_of(key);
}

KnownFiles::Branch KnownFiles::list(const std::string& digits) {
  std::error_code trouble;
  std::size_t files = 0;
  for (std::filesystem::directory_iterator at(folder_ / digits, trouble), end;
       !trouble && at != end; at.increment(trouble)) {
    if (++files > kMostListed) return Branch::unknown;
    if (const auto key = base::Key::from_hex(base::cat(digits, at->path().filename().string())))
      bit_of(*key) = true;
  }
  const bool listed = !trouble || trouble == std::errc::no_such_file_or_directory ||
                      trouble == std::errc::not_a_directory;
  return listed ? Branch::listed : Branch::unknown;
}

}  // namespace rt::store
