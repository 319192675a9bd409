#pragma once
// What differs between study files.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpo::report {

/// The keys of a resolved study file in order, "train.batch", with their values as written. Values
/// that are lists or maps on one line stay whole.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> study_keys(
    std::string_view resolved);

/// A key whose values differ between files; a file without it has an empty text.
struct DifferentKey {
  std::string key;
  std::vector<std::string> values;
};

/// In the order of the first file that has a key. The study's name is no difference.
[[nodiscard]] std::vector<DifferentKey> different_keys(const std::vector<std::string_view>& files);

}  // namespace hpo::report
