#include "hpo/import/names.h"

#include "base/text.h"

namespace hpo {

namespace {

/// Of a name of ours, less what tells names apart that have become the same.
constexpr std::size_t kLongest = 58;

/// Of a long one its end, which says the most.
std::string plain(const std::string& name) {
  std::string ours;
  for (const char c : name) {
    const bool goes_on = (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;  // of a letter's bytes
    if (goes_on) continue;
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    ours += fits ? c : '_';
  }
  if (ours.size() > kLongest) {
    ours.erase(0, ours.size() - kLongest);
    if (const std::size_t word = ours.find('_'); word + 1 < ours.size()) ours.erase(0, word + 1);
  }
  return ours.empty() || (ours[0] >= '0' && ours[0] <= '9') ? "_" + ours : ours;
}

}  // namespace

void Names::keep(const std::string& theirs) {
  if (plain(theirs) == theirs) (void)ours(theirs);
}

const std::string& Names::ours(const std::string& theirs) {
  const auto [entry, is_new] = given_.emplace(theirs, plain(theirs));
  if (is_new) {
    const std::string base = entry->second;
    for (int n = 2; !taken_.insert(entry->second).second; ++n)
      entry->second = base::cat(base, "_", n);
  }
  return entry->second;
}

}  // namespace hpo
