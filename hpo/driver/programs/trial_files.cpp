#include "hpo/driver/programs/trial_files.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/new_file.h"
#include "base/text.h"
#include "hpo/driver/programs/trial_folder.h"

namespace hpo {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBeside = "checkpoint.new";

/// Not the program's own, though they lie in its folder.
bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 4> kOurs{"params.json", "metrics.jsonl", "log",
                                                  "log.before"};
  return name == kBeside || std::find(kOurs.begin(), kOurs.end(), name) != kOurs.end();
}

/// Whether nothing of it leads elsewhere.
bool stays_inside(const base::Path& path) {
  return !path.empty() && path.is_relative() && path.has_filename() &&
         path == path.lexically_normal() && *path.begin() != "..";
}

base::Path checked(std::string_view path) {
  base::Path inside(path);
  if (!stays_inside(inside))
    throw base::Error(base::Errc::data, base::cat("a file of a trial's folder is named '",
                                                  base::printable(path), "'"));
  return inside;
}

void write_file(const base::Path& path, std::uint32_t mode, std::uint64_t offset,
                std::span<const std::byte> bytes) {
  base::make_folder(path.parent_path());
  const int begin = offset == 0 ? O_TRUNC : 0;
  const base::File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | begin,
                               (mode & 0777) | S_IRUSR | S_IWUSR));
  if (!file || ::lseek(file.fd(), static_cast<off_t>(offset), SEEK_SET) < 0)
    throw base::storage_error("write", path, errno);
  if (const int code = base::write_all(file.fd(), bytes); code != 0)
    throw base::storage_error("write", path, code);
}

}  // namespace

TrialFiles read_trial_files(const base::Path& folder, bool all) {
  TrialFiles found;
  std::uint64_t size = 0;
  const base::Path top = all ? folder : folder / kCheckpointFolder;
  std::error_code error;
  for (fs::recursive_directory_iterator at(top, error), end; !error && at != end;
       at.increment(error)) {
    const base::Path path = at->path().lexically_relative(folder);
    std::error_code ignored;
    if (is_ours(path.begin()->string())) {
      at.disable_recursion_pending();
      continue;
    }
    if (at->symlink_status(ignored).type() != fs::file_type::regular) continue;
    try {
      base::Bytes bytes = base::read_bytes(at->path(), kMostTrialFiles - size);
      size += bytes.size();
      const fs::perms mode = at->status(ignored).permissions();
      found.files.push_back(
          {path.string(), static_cast<std::uint32_t>(mode) & 0777U, std::move(bytes)});
    } catch (const base::Error&) {
      ++found.left_out;
    }
  }
  return found;
}

void write_trial_files(const base::Path& folder, const TrialFiles& files) {
  CheckpointWriter checkpoints(folder);
  for (const TrialFile& file : files.files) {
    const base::Path path = checked(file.path);
    if (*path.begin() == kCheckpointFolder) {
      checkpoints.write(file.path, file.mode, 0, file.bytes);
    } else if (!is_ours(path.begin()->string())) {
      write_file(folder / path, file.mode, 0, file.bytes);
    }
  }
  checkpoints.commit();
}

CheckpointWriter::CheckpointWriter(base::Path folder)
    : folder_(std::move(folder)), beside_(folder_ / kBeside) {
  std::error_code ignored;
  fs::remove_all(beside_, ignored);
  base::make_folder(beside_);
}

void CheckpointWriter::write(std::string_view path, std::uint32_t mode, std::uint64_t offset,
                             std::span<const std::byte> bytes) {
  const base::Path inside = checked(path);
  if (*inside.begin() != kCheckpointFolder || std::next(inside.begin()) == inside.end())
    throw base::Error(base::Errc::data,
                      base::cat("'", base::printable(path), "' is not a file of a checkpoint"));
  write_file(beside_ / inside.lexically_relative(kCheckpointFolder), mode, offset, bytes);
}

void CheckpointWriter::commit() {
  const base::Path place = folder_ / kCheckpointFolder;
  if (::renameat2(AT_FDCWD, beside_.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) != 0) {
    // Not every file system can exchange two.
    std::error_code error;
    fs::remove_all(place, error);
    if (::rename(beside_.c_str(), place.c_str()) != 0)
      throw base::storage_error("replace", place, errno);
  }
  std::error_code ignored;
  fs::remove_all(beside_, ignored);
}

}  // namespace hpo
