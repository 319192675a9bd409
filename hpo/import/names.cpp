#include "hpo/import/names.h"

#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"
#include "hpo/study/arguments.h"

namespace hpo {

namespace {

/// Of a name of ours, less what tells names apart that have become the same.
constexpr std::size_t kLongest = 58;

/// Of a long one its end, which says the most.
std::string plain(const std::string& name) {
  std::string ours;
  for (const char c : name) {
    if (!base::begins_character(c)) continue;
    ours += base::is_letter_or_digit(c) ? c : '_';
  }
  if (ours.size() > kLongest) {
    ours.erase(0, ours.size() - kLongest);
    if (const std::size_t word = ours.find('_'); word + 1 < ours.size()) ours.erase(0, word + 1);
  }
  return ours.empty() || base::is_digit(ours[0]) ? "_" + ours : ours;
}

}  // namespace

Names::Names() {
  for (std::string& name : study::names_for_all()) taken_.insert(std::move(name));
}

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
