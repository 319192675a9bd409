// Keeping the store's folder within its budget.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "base/new_file.h"
#include "base/text.h"
#include "runtime/store/disk.h"
#include "runtime/store/pins.h"

namespace rt::store {
namespace {

namespace fs = std::filesystem;

struct Candidate {
  std::string path;
  std::uint64_t bytes = 0;
  int worth = 0;
  std::int64_t used = 0;  ///< nanoseconds; only compared with each other

  [[nodiscard]] auto rank() const { return std::tie(worth, used, path); }
};

/// What a file takes on a disk of 4 KiB blocks.
std::uint64_t footprint(std::uint64_t size) { return (size + 4095) / 4096 * 4096; }

/// The cost that an entry was given when it was written; 0, so that it goes first, when its head is
/// damaged.
double cost_of(const std::string& path) {
  const base::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::array<std::byte, kHeadBytes> bytes;
  if (!file || base::read_into(file.fd(), bytes).bytes != bytes.size()) return 0;
  const auto head = unpack(bytes);
  return head ? head->cost : 0;
}

/// The key that a file's place says.
std::optional<base::Key> key_at(const std::string& path) {
  const fs::path place(path);
  return base::Key::from_hex(place.parent_path().filename().native() + place.filename().native());
}

/// Of a regular file; nothing for anything else, links too.
std::optional<struct stat> file_at(const fs::path& path) {
  struct stat info {};
  const bool is_file = ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  return is_file ? std::optional(info) : std::nullopt;
}

/// All entries that have files, with their sizes. Temporary files left behind are removed on the
/// way.
std::vector<Candidate> list_entries(const fs::path& folder) {
  std::vector<Candidate> entries;
  base::remove_leftovers(folder);
  for (const auto& branch : fs::directory_iterator(folder)) {
    if (branch.is_symlink() || !branch.is_directory()) continue;  // a link leads elsewhere
    if (branch.path().filename().native().size() != 2) continue;
    base::remove_leftovers(branch.path());
    for (const auto& item : fs::directory_iterator(branch.path())) {
      const auto info = file_at(item.path());
      if (!info || !key_at(item.path().native())) continue;
      entries.push_back({item.path().native(), footprint(static_cast<std::uint64_t>(info->st_size)),
                         0, info->st_mtim.tv_sec * 1'000'000'000LL + info->st_mtim.tv_nsec});
    }
  }
  return entries;
}

std::uint64_t remove_cheapest(const fs::path& folder, std::vector<Candidate> entries,
                              std::uint64_t used, std::uint64_t target) {
  const std::set<base::Key> pinned = pinned_in(folder);
  std::erase_if(entries, [&](const Candidate& c) {
    const auto key = key_at(c.path);
    return key && pinned.contains(*key);
  });
  for (Candidate& c : entries) c.worth = worth_of(cost_of(c.path), c.bytes);
  std::sort(entries.begin(), entries.end(),
            [](const Candidate& a, const Candidate& b) { return a.rank() < b.rank(); });
  std::uint64_t removed = 0;
  for (const Candidate& c : entries) {
    if (used <= target) break;
    if (::unlink(c.path.c_str()) == 0) ++removed;
    used -= c.bytes;
  }
  return removed;
}

/// Adds `written` to the count in the file; true when it is time to look at the folder, and the
/// count starts again.
bool count_says_look(int fd, std::uint64_t written, std::uint64_t step) {
  std::array<std::byte, 31> there;
  const std::size_t bytes = base::read_into(fd, there, 0).bytes;
  const auto before = base::parse_int(base::as_text(std::span(there).first(bytes)));
  // No number: a fresh or damaged file, so nobody knows how much is there.
  const std::uint64_t count =
      before && *before >= 0 ? static_cast<std::uint64_t>(*before) + written : step;
  const std::string after = base::cat(count >= step ? 0 : count);
  // A count that cannot be written only means that the folder is looked at later.
  [[maybe_unused]] const bool kept =
      ::ftruncate(fd, 0) == 0 &&
      ::pwrite(fd, after.data(), after.size(), 0) == static_cast<ssize_t>(after.size());
  return count >= step;
}

}  // namespace

std::optional<std::uint64_t> trim(const base::Path& folder, std::uint64_t written,
                                  std::uint64_t budget) noexcept {
  try {
    const base::File lock(
        ::open((folder / ".trim").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!lock || ::flock(lock.fd(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
    if (!count_says_look(lock.fd(), written, budget / 64)) return 0;
    std::vector<Candidate> entries = list_entries(folder);
    const auto packed = file_at(folder / kPackName);
    std::uint64_t used = packed ? footprint(static_cast<std::uint64_t>(packed->st_size)) : 0;
    for (const Candidate& c : entries) used += c.bytes;
    return used > budget ? remove_cheapest(folder, std::move(entries), used, budget / 8 * 7) : 0;
  } catch (const std::exception&) {
    return std::nullopt;  // the folder changed under us or vanished: the next writer tries again
  }
}

}  // namespace rt::store
