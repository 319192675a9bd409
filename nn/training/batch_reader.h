#pragma once
// Copies the rows of a table to where a network reads them, and checks that the two fit.

#include <cstddef>
#include <cstdint>
#include <span>

#include "nn/data/data_view.h"
#include "nn/losses/loss.h"
#include "nn/network/network.h"

namespace nn {

/// Copies rows of a view to the input of a network: features gathered and scaled, labels or
/// numbers gathered. Network and view outlive the reader.
template <class T>
class BatchReader {
 public:
  BatchReader(const Network<T>& network, const DataView& data);

  /// Returns the bytes that read() needs at `targets`, for up to network.max_rows() rows.
  [[nodiscard]] std::size_t target_bytes() const;

  /// Fills network.input(arena) and `targets` with at most max_rows rows. Returns a Target into
  /// `targets`, which is empty if the data has neither labels nor numbers. `moves` has one entry a
  /// row of images; null leaves images in place. With a `step_buffer`, a device reads the rows and
  /// the moves of its step there.
  Target read(std::byte* arena, std::byte* targets, std::span<const std::uint32_t> rows,
              const kern::ImageMove* moves = nullptr,
              kern::StepBuffer* step_buffer = nullptr) const;
  /// Does the same with a table that has the columns of the data.
  Target read(std::byte* arena, std::byte* targets, const ResidentTable& table,
              std::span<const std::uint32_t> rows, const kern::ImageMove* moves = nullptr,
              kern::StepBuffer* step_buffer = nullptr) const;

 private:
  const Network<T>* network_;
  const DataView* data_;
};

/// Throws base::Error (study) unless the network takes the data's rows.
void check_input(const ModelSpec& spec, const DataView& data);

/// Throws base::Error (study) unless the network, the data and the kind of loss fit together.
template <class T>
void check_fit(const Network<T>& network, const DataView& data, const Loss& loss);

extern template class BatchReader<float>;
extern template class BatchReader<double>;
extern template void check_fit(const Network<float>&, const DataView&, const Loss&);
extern template void check_fit(const Network<double>&, const DataView&, const Loss&);

}  // namespace nn
