#include "hpo/driver/line_reader.h"

#include <unistd.h>

#include <array>
#include <utility>

namespace hpo {

std::vector<std::string> LineReader::take(bool all) {
  std::vector<std::string> lines;
  std::array<char, 65536> piece;
  ssize_t bytes = 0;
  while (file_ && (bytes = ::pread(file_.fd(), piece.data(), piece.size(),
                                   static_cast<off_t>(offset_))) > 0) {
    offset_ += static_cast<std::uint64_t>(bytes);
    for (ssize_t i = 0; i < bytes; ++i) {
      const char c = piece[static_cast<std::size_t>(i)];
      if (c == '\n' || c == '\r') {
        if (!line_.empty()) lines.push_back(std::exchange(line_, {}));
      } else if (line_.size() < most_) {
        line_ += c;
      }
    }
  }
  if (all && !line_.empty()) lines.push_back(std::exchange(line_, {}));
  return lines;
}

}  // namespace hpo
