#include "runtime/net/incoming.h"

#include <algorithm>
#include <utility>

namespace rt::net {

std::optional<Ask> Incoming::begin(base::Key key) {
  if (!open_.try_emplace(key).second) return std::nullopt;
  return Ask{key, 0};
}

std::vector<base::Key> Incoming::keys() const {
  std::vector<base::Key> all;
  for (const auto& [key, open] : open_) all.push_back(key);
  return all;
}

Incoming::Step Incoming::take(Give piece) {
  const auto at = open_.find(piece.key);
  if (at == open_.end()) return {};
  Open& open = at->second;
  if (!open.total) open.total = piece.total;
  if (piece.from != open.bytes.size() || piece.total != *open.total ||
      piece.bytes.size() > piece.total - piece.from ||
      (piece.bytes.empty() && piece.from != piece.total)) {
    open_.erase(at);
    Step wrong;
    wrong.wrong = true;
    return wrong;
  }
  open.bytes.insert(open.bytes.end(), piece.bytes.begin(), piece.bytes.end());
  Step step;
  if (open.bytes.size() == *open.total) {
    step.whole = std::move(open.bytes);
    open_.erase(at);
  } else if (open.bytes.size() >= open.asked) {
    open.asked = open.bytes.size() + kAsked;
    step.ask = Ask{piece.key, open.bytes.size()};
  }
  return step;
}

std::vector<Give> pieces_of(const Ask& ask, const base::Bytes& content) {
  std::vector<Give> pieces;
  const std::uint64_t total = content.size();
  const std::uint64_t begin = std::min(ask.from, total);
  const std::uint64_t end = std::min(total, begin + kAsked);
  std::uint64_t from = begin;
  do {
    const std::uint64_t to = std::min(end, from + kPiece);
    pieces.push_back({ask.key, from, total,
                      base::Bytes(content.begin() + static_cast<std::ptrdiff_t>(from),
                                  content.begin() + static_cast<std::ptrdiff_t>(to))});
    from = to;
  } while (from < end);
  return pieces;
}

}  // namespace rt::net
