#pragma once
// What an update has changed, so that it can be undone as long as the step is not whole.

#include <cstddef>
#include <vector>

#include "nn/model/layout.h"
#include "nn/training/ages.h"

namespace nn {

/// Of weights and of the optimizer's slots behind them, in the program's memory.
template <class T>
class Undo {
 public:
  /// For at most so many parts of what is trained.
  Undo(T* weights, T* slots, int slot_count, const ParamLayout& layout, std::size_t parts);

  /// Keeps a part that is about to change. Allocates nothing.
  void keep(const SlabPart& part);
  /// Brings back all that was kept since forget().
  void undo();
  void forget() noexcept { parts_.clear(); }

 private:
  [[nodiscard]] T* copy(std::size_t number) { return copies_.data() + number * trained_; }

  std::vector<T*> arrays_;  ///< weights, then slots
  std::size_t trained_;
  std::vector<T> copies_;
  std::vector<SlabPart> parts_;
};

extern template class Undo<float>;

}  // namespace nn
