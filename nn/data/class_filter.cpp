#include "nn/data/class_filter.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "nn/data/data_error.h"
#include "nn/fields.h"

namespace nn {

namespace {

constexpr std::size_t kNamesShown = 12;

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < kNamesShown; ++i) {
    list += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  }
  return list + (names.size() > kNamesShown ? ", ..." : "");
}

void check(const std::string& path, const std::vector<std::string>& wanted,
           const std::vector<std::string>& names) {
  for (auto one = wanted.begin(); one != wanted.end(); ++one) {
    if (std::find(wanted.begin(), one, *one) != one) {
      throw DataError(path, "classes: " + in_quotes(*one) + " is named twice");
    }
    if (std::ranges::find(names, *one) != names.end()) continue;
    const std::string near = base::nearest(*one, names);
    throw DataError(path, "classes: no row has the class " + in_quotes(*one) +
                              (near.empty() ? "; there are " + list_of(names)
                                            : "; did you mean " + in_quotes(near) + "?"));
  }
  if (wanted.size() < 2) throw DataError(path, "classes: one class, expected two or more");
}

}  // namespace

std::vector<bool> keep_classes(const std::string& path, const std::vector<std::string>& wanted,
                               std::vector<std::string>& names, std::vector<std::int32_t>& labels) {
  if (wanted.empty()) return {};
  check(path, wanted, names);
  constexpr std::int32_t kGone = -1;
  std::vector<std::int32_t> renumbered;
  std::vector<std::string> left;
  for (const std::string& name : names) {
    const bool stays = std::ranges::find(wanted, name) != wanted.end();
    renumbered.push_back(stays ? static_cast<std::int32_t>(left.size()) : kGone);
    if (stays) left.push_back(name);
  }
  std::vector<bool> kept(labels.size());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    labels[row] = renumbered[static_cast<std::size_t>(labels[row])];
    kept[row] = labels[row] != kGone;
  }
  std::erase(labels, kGone);
  names = std::move(left);
  return kept;
}

}  // namespace nn
