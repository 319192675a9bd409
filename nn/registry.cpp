#include "nn/registry.h"

#include "base/text.h"
#include "base/words.h"

namespace nn {

std::string near_or_known(std::string_view word, std::span<const std::string> known) {
  const std::string near = base::nearest(word, known);
  return near.empty() ? "known: " + base::listed(known) : "did you mean " + near + "?";
}

SpecError unknown_kind(std::string_view what, std::string_view kind,
                       std::span<const std::string> known) {
  return {-1, "", base::cat("unknown ", what, " ", kind, "; ", near_or_known(kind, known))};
}

}  // namespace nn
