#pragma once
// Which rows each step of a training sees.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

#include "nn/data_view.h"
#include "nn/hyper.h"
#include "nn/random.h"
#include "nn/train.h"
#include "nn/workspace.h"

namespace nn {

/// The rows of each step, counted from the network's birth. Those of the last call are valid.
/// Everything referred to outlives this.
class Batches {
 public:
  Batches(const DataView& data, const Hyper& hyper, EpochRows& rows)
      : data_(data), hyper_(hyper), rows_(rows) {}

  [[nodiscard]] std::int64_t per_epoch() const {
    return steps_per_epoch(std::ssize(data_.rows), hyper_.batch);
  }
  /// Of `count` steps of one epoch, one after another.
  [[nodiscard]] std::span<const std::uint32_t> of(std::int64_t step, std::int64_t count = 1) {
    const std::int64_t epoch = step / per_epoch();
    visit(epoch);
    const std::int64_t begin = before(step) - before(epoch * per_epoch());
    rows_.some.resize(static_cast<std::size_t>(before(step + count) - before(step)));
    std::transform(rows_.order.begin() + begin,
                   rows_.order.begin() + begin + std::ssize(rows_.some), rows_.some.begin(),
                   [&](std::uint32_t row) { return data_.rows[row]; });
    return rows_.some;
  }
  [[nodiscard]] std::int64_t size(std::int64_t step) const {
    return before(step + 1) - before(step);
  }
  /// Rows of all steps before this one.
  [[nodiscard]] std::int64_t before(std::int64_t step) const {
    const std::int64_t rows = std::ssize(data_.rows);
    return step / per_epoch() * rows + std::min(step % per_epoch() * hyper_.batch, rows);
  }

 private:
  void visit(std::int64_t epoch) {
    if (rows_.shuffle == hyper_.shuffle && rows_.epoch == epoch &&
        rows_.order.size() == data_.rows.size())
      return;
    rows_.epoch = -1;  // whatever happens in between
    epoch_order(hyper_.shuffle, epoch, static_cast<std::uint32_t>(data_.rows.size()), rows_.order);
    rows_.shuffle = hyper_.shuffle;
    rows_.epoch = epoch;
  }

  const DataView& data_;
  const Hyper& hyper_;
  EpochRows& rows_;
};

}  // namespace nn
