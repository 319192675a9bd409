#include "hpo/mlflow/names.h"

#include "base/ascii.h"
#include "base/text.h"
#include "base/utf8.h"

namespace hpo {

namespace {

constexpr std::size_t kMostNameBytes = 250;

/// mlflow/utils/validation.py: of bytes, a name is also a path below the run's.
bool is_taken_by_mlflow(char c) {
  return base::is_letter_or_digit(c) ||
         std::string_view("_-. :/").find(c) != std::string_view::npos;
}

std::string plain(const std::string& name) {
  std::string out;
  for (const char c : name.substr(0, kMostNameBytes - 10)) out += is_taken_by_mlflow(c) ? c : '_';
  // A path has no empty part, no part of points alone, and does not begin at the root.
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool opens = i == 0 || out[i - 1] == '/';
    const std::size_t end = out.find_first_not_of('.', i);
    const bool is_points = end == std::string::npos || (end > i && out[end] == '/');
    if (opens && (is_points || out[i] == '/')) out[i] = '_';
  }
  if (out.empty() || out.ends_with('/')) out += '_';
  return out;
}

}  // namespace

std::string cut_text(std::string_view text, std::size_t most) {
  std::string out = base::as_utf8(std::string(text));
  if (out.size() <= most) return out;
  std::size_t end = most - 3;
  while (end > 0 && !base::begins_character(out[end])) --end;
  return out.substr(0, end) + "...";
}

std::string MlflowNames::of(const std::string& name) {
  const auto found = known_.find(name);
  if (found != known_.end()) return found->second;
  const std::string first = plain(name);
  std::string chosen = first;
  for (int i = 2; taken_.contains(chosen); ++i) chosen = base::cat(first, '_', i);
  taken_.insert(chosen);
  return known_[name] = chosen;
}

}  // namespace hpo
