#include "hpo/driver/programs/line_reader.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hpo {

namespace {

constexpr std::size_t kSeen = 256;             ///< bytes by which a file is known again
constexpr std::size_t kLinePiece = 64 * 1024;  ///< bytes
constexpr int kMostPieces = 64;                ///< read at a time

}  // namespace

bool LineReader::goes_on(const base::File& file) const {
  std::array<char, kSeen> there;
  const auto into = std::as_writable_bytes(std::span(there).first(seen_.size()));
  const base::ReadResult read = base::read_into(file.fd(), into, offset_ - seen_.size());
  return read.code == 0 && std::string_view(there.data(), read.bytes) == seen_;
}

std::vector<std::string> LineReader::take(const base::File& file, bool all) {
  std::vector<std::string> lines;
  if (file && !goes_on(file)) {
    offset_ = 0;
    seen_.clear();
    line_.clear();
  }
  std::array<char, kLinePiece> piece;
  ssize_t bytes = 0;
  int pieces = 0;
  while (file && pieces < kMostPieces &&
         (bytes = ::pread(file.fd(), piece.data(), piece.size(), static_cast<off_t>(offset_))) >
             0) {
    ++pieces;
    const std::string_view text(piece.data(), static_cast<std::size_t>(bytes));
    offset_ += text.size();
    seen_ += text.substr(text.size() - std::min(text.size(), kSeen));
    seen_.erase(0, seen_.size() - std::min(seen_.size(), kSeen));
    for (const char c : text) {
      if (c == '\n' || c == '\r') {
        if (!line_.empty()) lines.push_back(std::exchange(line_, {}));
      } else if (line_.size() < most_) {
        line_ += c;
      }
    }
  }
  more_ = pieces == kMostPieces;
  if (all && !more_ && !line_.empty()) lines.push_back(std::exchange(line_, {}));
  return lines;
}

}  // namespace hpo
