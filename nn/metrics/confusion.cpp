#include "nn/metrics/confusion.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace nn {

namespace {

/// Calls `count` with the class of each row and the one that it was given, -1 for none.
template <class Count>
void for_each_answer(std::span<const float> outputs, std::span<const std::int32_t> labels,
                     std::size_t classes, Count&& count) {
  for (std::size_t row = 0; row < labels.size(); ++row)
    count(labels[row], class_of(outputs.subspan(row * classes, classes)));
}

}  // namespace

std::int32_t class_of(std::span<const float> outputs) {
  const auto finite = [](float v) { return std::isfinite(v); };
  if (!std::ranges::all_of(outputs, finite)) return -1;
  return static_cast<std::int32_t>(std::ranges::max_element(outputs) - outputs.begin());
}

Confusion count_confusion(std::span<const float> outputs, std::span<const std::int32_t> labels,
                          std::size_t classes) {
  Confusion out{.classes = static_cast<std::int64_t>(classes),
                .counts = std::vector<std::int64_t>(classes * classes)};
  for_each_answer(outputs, labels, classes, [&](std::int32_t truth, std::int32_t given) {
    if (given < 0) return;
    ++out.counts[static_cast<std::size_t>(truth) * classes + static_cast<std::size_t>(given)];
  });
  return out;
}

std::vector<std::int32_t> given_classes(std::span<const float> outputs, std::size_t classes) {
  std::vector<std::int32_t> given(outputs.size() / classes);
  for (std::size_t row = 0; row < given.size(); ++row)
    given[row] = class_of(outputs.subspan(row * classes, classes));
  return given;
}

ClassCounts count_classes(std::span<const float> outputs, std::span<const std::int32_t> labels,
                          std::size_t classes) {
  const std::vector<std::uint32_t> once(labels.size(), 1);
  return count_classes(given_classes(outputs, classes), labels, once, classes);
}

ClassCounts count_classes(std::span<const std::int32_t> given, std::span<const std::int32_t> labels,
                          std::span<const std::uint32_t> counts, std::size_t classes) {
  const std::vector<std::int64_t> none(classes);
  ClassCounts out{none, none, none};
  for (std::size_t row = 0; row < labels.size(); ++row) {
    out.truth[static_cast<std::size_t>(labels[row])] += counts[row];
    if (given[row] < 0) continue;
    const auto to = static_cast<std::size_t>(given[row]);
    out.given[to] += counts[row];
    if (given[row] == labels[row]) out.right[to] += counts[row];
  }
  return out;
}

std::vector<Mistake> worst_mistakes(std::span<const float> outputs,
                                    std::span<const std::int32_t> labels, std::size_t classes) {
  std::vector<std::pair<std::int32_t, std::int32_t>> wrong;
  for_each_answer(outputs, labels, classes, [&](std::int32_t truth, std::int32_t given) {
    if (given >= 0 && given != truth) wrong.emplace_back(truth, given);
  });
  std::sort(wrong.begin(), wrong.end());
  std::vector<Mistake> mistakes;
  for (const auto& [truth, given] : wrong) {
    const bool again =
        !mistakes.empty() && mistakes.back().truth == truth && mistakes.back().given == given;
    if (!again) mistakes.push_back({.truth = truth, .given = given});
    ++mistakes.back().rows;
  }
  const auto worse = [](const Mistake& a, const Mistake& b) { return a.rows > b.rows; };
  std::stable_sort(mistakes.begin(), mistakes.end(), worse);
  mistakes.resize(std::min(mistakes.size(), kMostMistakes));
  return mistakes;
}

}  // namespace nn
