#include "nn/data/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/words.h"
#include "nn/data/data_error.h"
#include "nn/training/random.h"

namespace nn {

namespace {

using Rows = std::vector<std::uint32_t>;

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
                              std::to_string(count) + " rows is less than one row");
  }
  return rows;
}

/// How many rows the parts are to have.
struct SplitShares {
  std::size_t valid = 0, test = 0;
};

SplitShares shares_of(const std::string& path, const SplitBy& by, const SplitSpec& spec) {
  const std::size_t dealt = by.count - by.test_rows;
  SplitShares shares;
  if (by.test_rows == 0) shares.test = share_of(path, dealt, spec.test, "test");
  if (spec.folds == 0) shares.valid = share_of(path, dealt, spec.valid, "valid");
  if (shares.test + shares.valid >= dealt) {
    throw DataError(path, "split: of " + std::to_string(dealt) + " rows, " +
                              std::to_string(shares.valid) + " for validation and " +
                              std::to_string(shares.test) + " for the test leave none to train on");
  }
  return shares;
}

void check_folds(const std::string& path, std::size_t there, const std::string& things,
                 const SplitSpec& spec) {
  if (spec.folds == 0) return;
  if (spec.folds < 2 || spec.fold < 0 || spec.fold >= spec.folds) {
    throw DataError(path, "folds: fold " + std::to_string(spec.fold) + " of " +
                              std::to_string(spec.folds) + ", expected 2 folds or more");
  }
  if (there < static_cast<std::size_t>(spec.folds)) {
    throw DataError(path, "folds: " + std::to_string(there) + " " + things + " cannot make " +
                              std::to_string(spec.folds) + " folds");
  }
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

std::uint64_t shuffle_key(const SplitSpec& spec) {
  return RandomKey{spec.seed}.derive("split").value;
}

/// Rows by class, each class shuffled.
std::vector<Rows> shuffled_classes(const SplitBy& by, std::size_t count, const SplitSpec& spec) {
  std::vector<Rows> classes(by.labels.empty() ? 1 : by.classes);
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t label = by.labels.empty() ? 0 : static_cast<std::size_t>(by.labels[row]);
    classes[label].push_back(static_cast<std::uint32_t>(row));
  }
  Rows order, shuffled;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    Rows& rows = classes[c];
    epoch_order(shuffle_key(spec), static_cast<std::int64_t>(c),
                static_cast<std::uint32_t>(rows.size()), order);
    shuffled.resize(rows.size());
    std::ranges::transform(order, shuffled.begin(), [&](std::uint32_t i) { return rows[i]; });
    rows.swap(shuffled);
  }
  return classes;
}

std::vector<std::size_t> sizes_of(const std::vector<Rows>& lists) {
  std::vector<std::size_t> sizes;
  for (const Rows& rows : lists) sizes.push_back(rows.size());
  return sizes;
}

Parts split_classes(const SplitBy& by, const SplitShares& shares, const SplitSpec& spec) {
  const auto classes = shuffled_classes(by, by.count - by.test_rows, spec);
  std::vector<std::size_t> left = sizes_of(classes);
  const auto test_quota = quotas(left, shares.test);
  for (std::size_t c = 0; c < classes.size(); ++c) left[c] -= test_quota[c];
  const auto valid_quota = quotas(left, shares.valid);
  Parts parts;
  std::size_t dealt = 0;  // over all classes, so that the folds differ by one row at most
  for (std::size_t c = 0; c < classes.size(); ++c) {
    for (std::size_t i = 0; i < classes[c].size(); ++i) {
      const std::uint32_t row = classes[c][i];
      if (i < test_quota[c]) {
        parts.test.push_back(row);
      } else if (spec.folds > 0) {
        const bool chosen =
            dealt++ % static_cast<std::size_t>(spec.folds) == static_cast<std::size_t>(spec.fold);
        (chosen ? parts.valid : parts.train).push_back(row);
      } else {
        (i < test_quota[c] + valid_quota[c] ? parts.valid : parts.train).push_back(row);
      }
    }
  }
  return parts;
}

/// Rows by group, the groups shuffled.
std::vector<Rows> shuffled_groups(const SplitBy& by, std::size_t count, const SplitSpec& spec) {
  std::vector<std::uint32_t> names(by.groups.begin(),
                                   by.groups.begin() + static_cast<std::ptrdiff_t>(count));
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<Rows> groups(names.size());
  for (std::size_t row = 0; row < count; ++row) {
    const auto at = std::ranges::lower_bound(names, by.groups[row]) - names.begin();
    groups[static_cast<std::size_t>(at)].push_back(static_cast<std::uint32_t>(row));
  }
  Rows order;
  epoch_order(shuffle_key(spec), 0, static_cast<std::uint32_t>(groups.size()), order);
  std::vector<Rows> shuffled;
  for (const std::uint32_t i : order) shuffled.push_back(std::move(groups[i]));
  return shuffled;
}

/// Moves groups from the end of `groups` to `part` while that brings it nearer to `wanted` rows;
/// one group at least when any row is wanted.
void take_groups(std::vector<Rows>& groups, std::size_t wanted, Rows& part) {
  while (!groups.empty() && part.size() < wanted) {
    const std::size_t with = part.size() + groups.back().size();
    const bool nearer = with <= wanted || with - wanted <= wanted - part.size();
    if (!part.empty() && !nearer) return;
    part.insert(part.end(), groups.back().begin(), groups.back().end());
    groups.pop_back();
  }
}

/// Each group, the largest first, goes to the fold with the fewest rows.
void fold_groups(std::vector<Rows>& groups, const SplitSpec& spec, Parts& parts) {
  std::ranges::stable_sort(groups, std::ranges::greater{}, &Rows::size);
  std::vector<std::size_t> rows(static_cast<std::size_t>(spec.folds), 0);
  for (const Rows& group : groups) {
    const auto fold = std::ranges::min_element(rows) - rows.begin();
    rows[static_cast<std::size_t>(fold)] += group.size();
    Rows& part = fold == spec.fold ? parts.valid : parts.train;
    part.insert(part.end(), group.begin(), group.end());
  }
}

Parts split_groups(const std::string& path, const SplitBy& by, const SplitShares& shares,
                   const SplitSpec& spec) {
  std::vector<Rows> groups = shuffled_groups(by, by.count - by.test_rows, spec);
  const std::size_t all = groups.size();
  Parts parts;
  take_groups(groups, shares.test, parts.test);
  check_folds(path, groups.size(), "groups", spec);
  if (spec.folds > 0) {
    fold_groups(groups, spec, parts);
  } else {
    take_groups(groups, shares.valid, parts.valid);
    for (const Rows& group : groups)
      parts.train.insert(parts.train.end(), group.begin(), group.end());
  }
  const bool lacks = parts.train.empty() || (shares.valid > 0 && parts.valid.empty());
  if (lacks) {
    throw DataError(path, "split.group: " + base::counted(all, "group") +
                              ", expected enough for each part to have one");
  }
  return parts;
}

Parts split_times(const SplitBy& by, const SplitShares& shares, const SplitSpec& spec) {
  Rows order(by.count - by.test_rows);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return by.times[row]; });
  const std::size_t searched = order.size() - shares.test;
  std::size_t train = searched - shares.valid, valid_end = searched;
  if (spec.folds > 0) {
    const auto blocks = static_cast<std::size_t>(spec.folds) + 1;
    const auto fold = static_cast<std::size_t>(spec.fold);
    train = searched * (fold + 1) / blocks;
    valid_end = searched * (fold + 2) / blocks;
  }
  const auto at = [&](std::size_t i) { return order.begin() + static_cast<std::ptrdiff_t>(i); };
  return {.train = {at(0), at(train)},
          .valid = {at(train), at(valid_end)},
          .test = {at(searched), order.end()}};
}

std::vector<std::uint32_t> units_of(const Rows& part, const SplitBy& by) {
  std::vector<std::uint32_t> units;
  for (const std::uint32_t row : part) {
    if (!by.groups.empty()) units.push_back(by.groups[row]);
  }
  if (by.times.empty()) return units;
  Rows order(part.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return by.times[part[i]]; });
  const auto stretches =
      static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(part.size()))));
  units.resize(part.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    units[order[i]] = static_cast<std::uint32_t>(i * stretches / order.size());
  return units;
}

}  // namespace

Parts split_rows(const std::string& path, const SplitBy& by, const SplitSpec& spec) {
  const SplitShares shares = shares_of(path, by, spec);
  const std::size_t searched = by.count - by.test_rows - shares.test;
  check_folds(path, searched - (by.times.empty() ? 0 : 1), "rows", spec);
  Parts parts = !by.times.empty()    ? split_times(by, shares, spec)
                : !by.groups.empty() ? split_groups(path, by, shares, spec)
                                     : split_classes(by, shares, spec);
  for (std::size_t row = by.count - by.test_rows; row < by.count; ++row)
    parts.test.push_back(static_cast<std::uint32_t>(row));
  for (Rows* part : {&parts.train, &parts.valid, &parts.test}) std::ranges::sort(*part);
  parts.valid_units = units_of(parts.valid, by);
  parts.test_units = units_of(parts.test, by);
  return parts;
}

}  // namespace nn
