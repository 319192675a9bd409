#pragma once
// The rows of each step of a training.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>

#include "nn/data/data_view.h"
#include "nn/network/workspace.h"
#include "nn/training/random.h"
#include "nn/training/segment.h"

namespace nn {

/// The rows of each step, counted from the network's birth. The rows that a call returns are valid
/// until the next call. Everything referred to outlives this.
class Batches {
 public:
  /// Batches of `batch` rows, except for the last one of an epoch; `shuffle` as in Hyper.
  Batches(const DataView& data, std::int32_t batch, std::uint64_t shuffle, EpochRows& rows)
      : data_(data), batch_(batch), shuffle_(shuffle), rows_(rows) {}

  [[nodiscard]] std::int64_t per_epoch() const {
    return steps_per_epoch(std::ssize(data_.rows), batch_);
  }
  /// Returns the rows of `count` steps of one epoch, one step after another.
  [[nodiscard]] std::span<const std::uint32_t> of(std::int64_t step, std::int64_t count = 1) {
    const std::int64_t epoch = step / per_epoch();
    visit(epoch);
    const std::int64_t begin = before(step) - before(epoch * per_epoch());
    rows_.some.resize(static_cast<std::size_t>(before(step + count) - before(step)));
    std::transform(rows_.order.begin() + begin,
                   rows_.order.begin() + begin + std::ssize(rows_.some), rows_.some.begin(),
                   [&](std::uint32_t place) { return row_at(place); });
    return rows_.some;
  }
  [[nodiscard]] std::int64_t size(std::int64_t step) const {
    return before(step + 1) - before(step);
  }
  /// Returns the number of rows of all steps before this one.
  [[nodiscard]] std::int64_t before(std::int64_t step) const {
    const std::int64_t rows = std::ssize(data_.rows);
    return step / per_epoch() * rows + std::min(step % per_epoch() * batch_, rows);
  }

 private:
  [[nodiscard]] std::uint32_t row_at(std::uint32_t place) const {
    const std::size_t rows = data_.rows.size();
    return place < rows ? data_.rows[place] : data_.replayed[place - rows];
  }

  void visit(std::int64_t epoch) {
    const std::size_t rows = data_.rows.size(), replayed = data_.replayed.size();
    if (rows_.shuffle == shuffle_ && rows_.epoch == epoch && rows_.rows == rows &&
        rows_.replayed == replayed)
      return;
    rows_.epoch = -1;  // in case that something throws
    if (replayed == 0) {
      epoch_order(shuffle_, epoch, static_cast<std::uint32_t>(rows), rows_.order);
    } else {
      alternate(epoch);
    }
    rows_.shuffle = shuffle_;
    rows_.rows = rows;
    rows_.replayed = replayed;
    rows_.epoch = epoch;
  }

  /// Alternates new and old rows. Passes through all old rows follow each other across epochs, each
  /// in an order of its own.
  void alternate(std::int64_t epoch) {
    const std::size_t half = data_.rows.size() / 2, replayed = data_.replayed.size();
    const std::uint64_t shuffle = RandomKey{shuffle_}.derive("replay").value;
    epoch_order(shuffle_, epoch, static_cast<std::uint32_t>(half), rows_.some);
    rows_.order.resize(2 * half);
    for (std::size_t i = 0; i < half; ++i) rows_.order[2 * i] = rows_.some[i];
    const std::size_t seen = static_cast<std::size_t>(epoch) * half;
    for (std::size_t i = 0; i < half; ++i) {
      const std::size_t place = (seen + i) % replayed;
      if (i == 0 || place == 0)
        epoch_order(shuffle, static_cast<std::int64_t>((seen + i) / replayed),
                    static_cast<std::uint32_t>(replayed), rows_.some);
      rows_.order[2 * i + 1] = static_cast<std::uint32_t>(2 * half) + rows_.some[place];
    }
  }

  const DataView& data_;
  std::int32_t batch_;
  std::uint64_t shuffle_;
  EpochRows& rows_;
};

}  // namespace nn
