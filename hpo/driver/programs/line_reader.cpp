#include "hpo/driver/programs/line_reader.h"

#include <utility>

namespace hpo {

namespace {

constexpr std::size_t kLinePiece = 64 * 1024;  ///< bytes
constexpr int kMostPieces = 64;                ///< read at a time

}  // namespace

std::vector<std::string> LineReader::take(const base::File& file, bool all) {
  std::vector<std::string> lines;
  if (file_.begins_anew(file)) line_.clear();
  int pieces = 0;
  for (std::string piece; pieces < kMostPieces && !(piece = file_.take(file, kLinePiece)).empty();
       ++pieces) {
    for (const char c : piece) {
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
