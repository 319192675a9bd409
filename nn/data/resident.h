#pragma once
// A data set in the memory of a device, as training and evaluation see it.

#include <cstddef>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/data/dataset.h"

namespace nn {

/// What the program itself needs of such a data set (row numbers, labels or targets) is copied from
/// the device once; the features stay there.
class ResidentDataset {
 public:
  /// `there` is a view on bytes of `memory`; both outlive this.
  ResidentDataset(const kern::Memory& memory, const Dataset& there);
  ResidentDataset(const ResidentDataset&) = delete;
  ResidentDataset& operator=(const ResidentDataset&) = delete;

  /// Valid while this is.
  [[nodiscard]] DataView view(Part part) const;

 private:
  const Dataset& there_;
  ResidentTable table_;
  std::vector<std::byte> here_;  ///< all behind the features
  const std::byte* begin_;       ///< where that lies on the device
};

}  // namespace nn
