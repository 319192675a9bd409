#include "hpo/driver/programs/trial_copy.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/hash.h"
#include "runtime/codec.h"

namespace hpo {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPiece = 64 << 10;             ///< bytes of reports and log at a time
constexpr std::size_t kCheckpointPiece = 128 << 10;  ///< bytes of checkpoints
/// Between two of those: 4 MB a second leave room for others on any network.
constexpr base::Duration kPause = std::chrono::milliseconds(32);
/// When the agent leaves, which it has seconds for.
constexpr base::Duration kHurry = std::chrono::milliseconds(4);
constexpr base::Duration kNothing =
    std::chrono::milliseconds(100);                           ///< to send: until the next look
constexpr base::Duration kBetween = std::chrono::seconds(1);  ///< copies, at least
constexpr int kShare = 20;              ///< a copy takes at most one of so many parts of the time
constexpr std::size_t kMostParts = 64;  ///< files that are open at once

/// A part of a copy of checkpoints. Encodable.
struct FilePiece {
  std::uint64_t copy = 0;
  std::string path;
  std::uint32_t mode = 0;
  std::uint64_t offset = 0;
  base::Bytes bytes;
  bool last = false;  ///< of the copy
};

std::int64_t changed_at(const struct stat& status) {
  return status.st_mtim.tv_sec * 1'000'000'000 + status.st_mtim.tv_nsec;
}

}  // namespace

TrialSender::TrialSender(const TrialFolder& folder, Tell tell)
    : folder_(folder), tell_(std::move(tell)) {}

void TrialSender::tell(ProgramWord word, std::string_view bytes) const {
  std::string text(1, static_cast<char>(word));
  text += bytes;
  tell_(std::move(text));
}

void TrialSender::report() {
  const base::File reports = folder_.reports();
  if (reports_.begins_anew(reports)) tell(ProgramWord::anew, {});
  for (std::string piece; !(piece = reports_.take(reports, kPiece)).empty();)
    tell(ProgramWord::reports, piece);
  const base::File log = folder_.printed();
  (void)log_.begins_anew(log);
  for (std::string piece; !(piece = log_.take(log, kPiece)).empty();) tell(ProgramWord::log, piece);
}

/// None where there are too many files, or one that is no regular file.
std::vector<TrialSender::Part> TrialSender::open_parts() const {
  std::vector<Part> parts;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder_.path / kCheckpointFolder, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) continue;
    base::File file(::open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!file || ::fstat(file.fd(), &status) != 0 || !S_ISREG(status.st_mode) ||
        parts.size() == kMostParts)
      return {};
    parts.push_back({.path = at->path().lexically_relative(folder_.path).string(),
                     .file = std::move(file),
                     .mode = status.st_mode & 0777U,
                     .size = static_cast<std::uint64_t>(status.st_size),
                     .changed = changed_at(status),
                     .inode = status.st_ino});
  }
  if (error) parts.clear();
  return parts;
}

void TrialSender::begin(base::Moment now) {
  std::vector<Part> parts = open_parts();
  base::Hasher hasher;
  for (const Part& part : parts) {
    hasher.add(part.path).add(part.size).add(part.changed).add(part.inode);
  }
  due_ = now + kBetween;
  const std::uint64_t state = parts.empty() ? sent_ : hasher.finish().lo;
  if (state == sent_) return;
  // A program that continues from a checkpoint does not report again what came before it.
  report();
  parts_ = std::move(parts);
  part_ = 0;
  offset_ = 0;
  ++copies_;
  sent_ = state;
  begun_ = now;
}

void TrialSender::go_on(base::Moment now) {
  const Part& part = parts_[part_];
  FilePiece piece{.copy = copies_, .path = part.path, .mode = part.mode, .offset = offset_};
  piece.bytes.resize(std::min<std::uint64_t>(kCheckpointPiece, part.size - offset_));
  const base::ReadResult read = base::read_into(part.file.fd(), piece.bytes, offset_);
  struct stat status {};
  // A program that writes it in place would leave a mixture.
  if (read.bytes != piece.bytes.size() || ::fstat(part.file.fd(), &status) != 0 ||
      changed_at(status) != part.changed) {
    parts_.clear();
    sent_ = 0;
    return;
  }
  offset_ += piece.bytes.size();
  if (offset_ == part.size) {
    ++part_;
    offset_ = 0;
  }
  piece.last = part_ == parts_.size();
  tell(ProgramWord::checkpoint, base::as_text(rt::encode(piece)));
  if (!piece.last) return;
  parts_.clear();
  due_ = now + std::max(kBetween, kShare * (now - begun_));
}

base::Duration TrialSender::step(base::Moment now) {
  if (parts_.empty() && now >= due_) begin(now);
  if (parts_.empty()) return kNothing;
  go_on(now);
  return kPause;
}

void TrialSender::finish(const std::function<bool()>& enough) {
  report();
  if (!parts_.empty()) sent_ = 0;  // what was on its way may be an older state
  parts_.clear();
  begin(base::now());
  while (!parts_.empty() && !enough()) {
    go_on(base::now());
    base::sleep_for(kHurry);
  }
}

bool TrialReceiver::take(ProgramWord word, std::string_view bytes) {
  switch (word) {
    case ProgramWord::anew:
      folder_.empty_reports();
      return false;
    case ProgramWord::reports:
      folder_.add_reports(bytes);
      return false;
    case ProgramWord::log:
      folder_.add_to_log(bytes);
      return false;
    case ProgramWord::checkpoint:
      break;
    default:
      return false;
  }
  const auto piece = rt::decode<FilePiece>(base::as_bytes(bytes));
  if (!checkpoints_ || piece.copy != copy_) checkpoints_.emplace(folder_.path);
  copy_ = piece.copy;
  checkpoints_->write(piece.path, piece.mode, piece.offset, piece.bytes);
  if (!piece.last) return false;
  checkpoints_->commit();
  checkpoints_.reset();
  return true;
}

}  // namespace hpo
