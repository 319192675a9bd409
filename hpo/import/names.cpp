#include "hpo/import/names.h"

#include "runtime/base/text.h"

namespace hpo {

namespace {

std::string plain(const std::string& name) {
  std::string ours;
  for (const char c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    ours += fits ? c : '_';
  }
  return ours.empty() || (ours[0] >= '0' && ours[0] <= '9') ? "_" + ours : ours;
}

}  // namespace

const std::string& Names::ours(const std::string& theirs) {
  const auto [entry, is_new] = given_.emplace(theirs, plain(theirs));
  if (is_new) {
    const std::string base = entry->second;
    for (int n = 2; !taken_.insert(entry->second).second; ++n)
      entry->second = rt::cat(base, "_", n);
  }
  return entry->second;
}

}  // namespace hpo
