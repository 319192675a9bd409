// How tensors are cut into blocks. No block has floats of two tensors, so a small tensor keeps its
// own exponent, and a NaN belongs to one name.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace rt::net::aggregator {

struct Tensor {
  std::string name;
  std::size_t floats = 0;
};

/// Consecutive floats that share an exponent and travel in one packet.
struct Block {
  std::size_t first = 0;   ///< among the floats of all tensors
  std::size_t floats = 0;  ///< kBlockFloats, or fewer at the end of a tensor
  std::size_t tensor = 0;
};

/// The blocks of consecutive tensors. All workers of a sum have equal layouts.
class Layout {
 public:
  explicit Layout(std::vector<Tensor> tensors);

  [[nodiscard]] const std::vector<Block>& blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t floats() const noexcept { return floats_; }
  [[nodiscard]] const std::string& name_of(const Block& block) const {
    return tensors_[block.tensor].name;
  }

 private:
  std::vector<Tensor> tensors_;
  std::vector<Block> blocks_;
  std::size_t floats_ = 0;
};

}  // namespace rt::net::aggregator
