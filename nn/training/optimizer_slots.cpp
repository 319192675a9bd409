#include "nn/training/optimizer_slots.h"

#include <algorithm>

#include "base/error.h"

namespace nn {

ParamSlab with_slots_for(const ParamSlab& net, const Choice& optimizer) {
  ParamSlab::Header header = net.header();
  if (header.optimizer != optimizer.kind) {
    throw base::Error(base::Errc::study, "a network trained with " + header.optimizer +
                                             " cannot continue with " + optimizer.kind +
                                             ": what it remembers of its steps is of no use there");
  }
  header.slots = optimizer_slots(optimizer);
  ParamSlab out(std::move(header));
  std::ranges::copy(net.weights(), out.weights().begin());
  for (int i = 0; i < std::min(net.header().slots, out.header().slots); ++i)
    std::ranges::copy(net.slot(i), out.slot(i).begin());
  if (out.header().reshaped) out.set_units(net.units());
  out.state() = net.state();
  return out;
}

}  // namespace nn
