#include "base/words.h"

namespace base {

std::string grouped(std::uint64_t number) {
  constexpr std::size_t kGroup = 3;
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > kGroup;) text.insert(at -= kGroup, ",");
  return text;
}

std::string either(std::span<const std::string> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string expected_one_of(std::span<const std::string> known, std::string_view word) {
  constexpr std::size_t kMost = 12;
  if (known.empty()) return ", expected none";
  std::string text = known.size() == 1 ? ", expected " : ", expected one of ";
  const std::size_t shown = known.size() > kMost + 1 ? kMost : known.size();
  for (std::size_t i = 0; i < shown; ++i) text += cat(i == 0 ? "" : ", ", printable(known[i], 64));
  if (shown < known.size()) text += cat(" and ", known.size() - shown, " more");
  return text + did_you_mean(word, known);
}

}  // namespace base
