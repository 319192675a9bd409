#include "hpo/driver/programs/growing_file.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace hpo {

namespace {

constexpr std::size_t kSeen = 256;  ///< bytes by which a file is known again

}  // namespace

bool GrowingFile::begins_anew(const base::File& file) {
  if (!file) return false;
  std::array<char, kSeen> there;
  const auto into = std::as_writable_bytes(std::span(there).first(seen_.size()));
  const base::ReadResult read = base::read_into(file.fd(), into, offset_ - seen_.size());
  if (read.code == 0 && std::string_view(there.data(), read.bytes) == seen_) return false;
  offset_ = 0;
  seen_.clear();
  return true;
}

std::string GrowingFile::take(const base::File& file, std::size_t most) {
  std::string piece;
  if (!file) return piece;
  piece.resize(most);
  piece.resize(base::read_into(file.fd(), std::as_writable_bytes(std::span(piece)), offset_).bytes);
  offset_ += piece.size();
  seen_.append(piece, piece.size() - std::min(piece.size(), kSeen));
  seen_.erase(0, seen_.size() - std::min(seen_.size(), kSeen));
  return piece;
}

}  // namespace hpo
