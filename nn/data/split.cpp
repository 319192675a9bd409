#include "nn/data/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/data/data_error.h"
#include "nn/random.h"

namespace nn {

namespace {

std::string share_text(double share) {
  std::string text = std::to_string(share);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::size_t share_of(const std::string& path, std::size_t count, double share,
                     const std::string& part) {
  if (!(share >= 0 && share < 1)) {
    throw DataError(path, "split." + part + " is " + share_text(share) +
                              ", expected at least 0 and less than 1");
  }
  const auto rows = static_cast<std::size_t>(std::llround(static_cast<double>(count) * share));
  if (rows == 0 && share > 0) {
    throw DataError(path, "split." + part + ": " + share_text(share) + " of " +
                              std::to_string(count) + " rows is no row at all");
  }
  return rows;
}

/// `total` split over the classes in proportion to `available`; no class gives more than it has.
std::vector<std::size_t> quotas(const std::vector<std::size_t>& available, std::size_t total) {
  const std::size_t all = std::accumulate(available.begin(), available.end(), std::size_t{0});
  std::vector<std::size_t> quota(available.size(), 0);
  if (total == 0) return quota;
  std::vector<std::pair<std::uint64_t, std::size_t>> remainders;
  std::size_t given = 0;
  for (std::size_t c = 0; c < available.size(); ++c) {
    const std::uint64_t product = std::uint64_t{available[c]} * total;  // rows < 2^32: no overflow
    quota[c] = product / all;
    given += quota[c];
    remainders.emplace_back(product % all, c);
  }
  std::stable_sort(remainders.begin(), remainders.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; given < total; ++i, ++given) ++quota[remainders[i].second];
  return quota;
}

std::vector<std::vector<std::uint32_t>> rows_by_class(std::size_t count,
                                                      std::span<const std::int32_t> labels,
                                                      std::size_t classes) {
  std::vector<std::vector<std::uint32_t>> groups(labels.empty() ? 1 : classes);
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t group = labels.empty() ? 0 : static_cast<std::size_t>(labels[row]);
    groups[group].push_back(static_cast<std::uint32_t>(row));
  }
  return groups;
}

}  // namespace

Parts split_rows(const std::string& path, std::size_t count, std::span<const std::int32_t> labels,
                 std::size_t classes, const SplitSpec& spec) {
  const std::size_t test = share_of(path, count, spec.test, "test");
  const std::size_t valid = share_of(path, count, spec.valid, "valid");
  if (test + valid >= count) {
    throw DataError(path, "split: of " + std::to_string(count) + " rows, " + std::to_string(valid) +
                              " for validation and " + std::to_string(test) +
                              " for the test leave none to train on");
  }
  auto groups = rows_by_class(count, labels, classes);
  std::vector<std::size_t> left(groups.size());
  for (std::size_t c = 0; c < groups.size(); ++c) left[c] = groups[c].size();
  const auto test_quota = quotas(left, test);
  for (std::size_t c = 0; c < groups.size(); ++c) left[c] -= test_quota[c];
  const auto valid_quota = quotas(left, valid);

  Parts parts;
  const RandomKey key = RandomKey{spec.seed}.derive("split");
  std::vector<std::uint32_t> order;
  for (std::size_t c = 0; c < groups.size(); ++c) {
    const auto& rows = groups[c];
    epoch_order(key.value, static_cast<std::int64_t>(c), static_cast<std::uint32_t>(rows.size()),
                order);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto& part = i < test_quota[c]                    ? parts.test
                   : i < test_quota[c] + valid_quota[c] ? parts.valid
                                                        : parts.train;
      part.push_back(rows[order[i]]);
    }
  }
  for (auto* part : {&parts.train, &parts.valid, &parts.test}) {
    std::sort(part->begin(), part->end());
  }
  return parts;
}

}  // namespace nn
