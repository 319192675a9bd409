#pragma once
// How the layers of a spec hang together: the shapes between them, the residual blocks, and the
// units that an addition ties together.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nn/network/flow.h"

namespace nn {

/// A residual block: layers[from] opens it, layers[to] closes it. What enters `from` is added to
/// what enters `to`.
struct Skip {
  std::size_t from = 0, to = 0;
};

/// Which groups of units are one, because unit u of one is added to unit u of the other. A group is
/// known by the name of the earliest of those tied with it.
class UnitTies {
 public:
  /// Ties the groups of two axes of equal length; `earlier` is the nearer to the input. Where one
  /// of them repeats its units and the other does not (a flattened image plus a dense layer), the
  /// common units are fewer.
  void tie(const AxisRole& earlier, const AxisRole& later);
  /// The same axis in terms of the units that all tied groups share.
  [[nodiscard]] AxisRole resolve(const AxisRole& role) const;

 private:
  struct Root {
    std::string name;
    std::int32_t units = 0;
  };
  std::map<std::string, Root> into_;  // group -> a group tied with it and nearer to the input
};

struct Wiring {
  /// What enters the first layer, then what leaves each layer; ties resolved.
  std::vector<Flow> flows;
  std::vector<Skip> skips;  ///< in the order in which they close
  UnitTies ties;
};

/// `layer 2 "fc1" (dense)`, counting from 1 as people do.
[[nodiscard]] std::string place(const LayerSpec& layer, int index);

/// Of a spec with complete fields. Throws SpecError at the first layer that does not fit.
[[nodiscard]] Wiring wire(const ModelSpec& spec);

}  // namespace nn
