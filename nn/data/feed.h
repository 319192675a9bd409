#pragma once
// A table in the program's memory that a device does not hold: its rows come a batch at a time,
// beside the kernels that compute with the batch before.

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/feed.h"
#include "nn/data/data_view.h"
#include "nn/data/dataset.h"

namespace nn {

/// Bytes of a row that a batch brings, and its columns.
struct FeedShape {
  std::size_t features = 0, target = 0, cols = 0;
};
[[nodiscard]] FeedShape feed_shape(const DataView& data);
[[nodiscard]] FeedShape feed_shape(const Dataset::Header& data);

/// Whether kernels with that memory see the view's table through a feed: train_steps() and
/// evaluate() then bring its rows a batch at a time, and give the bits that they give where the
/// table lies in the device's memory.
[[nodiscard]] inline bool is_fed(const kern::Memory& memory, const DataView& data) {
  return !memory.own && data.resident == nullptr;
}

/// At most two batches are under way.
class TableFeed {
 public:
  /// Bytes on the device, and of the staging memory, for batches of up to `rows` rows.
  [[nodiscard]] static std::size_t bytes_there(const FeedShape& shape, std::size_t rows);
  [[nodiscard]] static std::size_t bytes_staged(const FeedShape& shape, std::size_t rows);

  /// `there` lies in `memory`, `staging` in that of its feed; both are 64-byte aligned and outlive
  /// this, as `data` does. Of what was there before, kernels read nothing any more.
  TableFeed(const kern::Memory& memory, const DataView& data, std::size_t rows, std::byte* there,
            std::byte* staging);
  ~TableFeed();
  TableFeed(const TableFeed&) = delete;
  TableFeed& operator=(const TableFeed&) = delete;

  /// Begins to bring these rows of the table, in this order.
  void ask(std::span<const std::uint32_t> rows);
  /// A table of the rows that were asked for first and not taken yet, for kernels called from now
  /// until the next give_back().
  [[nodiscard]] ResidentTable take();
  /// Kernels that are called later do not read the rows that were taken last.
  void give_back();

 private:
  [[nodiscard]] static std::size_t slot_bytes(const FeedShape& shape, std::size_t rows);

  const kern::Feed& feed_;
  const DataView& data_;
  FeedShape shape_;
  std::size_t targets_, slot_;  ///< bytes of all targets, and of a slot
  std::byte *there_, *staging_;
  const float *shift_, *scale_;  ///< there
  int asked_ = 0, taken_ = 0;
};

}  // namespace nn
