#include "nn/reshape/draw.h"

#include <vector>

#include "nn/init.h"
#include "nn/reshape/anatomy.h"

namespace nn {

std::int32_t input_axis(const ParamTensor& tensor) {
  for (std::size_t a = 0; a < tensor.axes.size(); ++a) {
    const auto axis = static_cast<std::int32_t>(a);
    if (axis != tensor.out_axis && !tensor.axes[a].group.empty()) return axis;
  }
  return -1;
}

template <class T>
void draw_units(Net<T>& net, const std::string& group, std::span<const std::int32_t> units,
                std::uint64_t seed) {
  const std::vector<std::int64_t> ids = net.units.group(group)->ids;
  std::vector<float> slice;
  for (const GroupAxis& maker : makers(net.spec(), group)) {
    const ParamTensor& tensor = net.layout.tensors[static_cast<std::size_t>(maker.tensor)];
    const std::int32_t input = input_axis(tensor);
    const auto inputs = input < 0 ? std::vector<std::int64_t>()
                                  : ids_along(net.units, tensor.axes[std::size_t(input)]);
    slice.resize(tensor.count /
                 static_cast<std::size_t>(tensor.axes[std::size_t(maker.axis)].units));
    for (const std::int32_t unit : units) {
      init_unit(tensor, net.spec().layers[std::size_t(tensor.layer)].name, seed,
                ids[std::size_t(unit)], inputs, slice);
      std::size_t next = 0;
      for_each_of_unit(tensor, maker.axis, unit, [&](std::size_t element) {
        net.copy(0)[element] = static_cast<T>(slice[next++]);
        for (int s = 1; s <= net.header.slots; ++s) net.copy(s)[element] = 0;
      });
    }
  }
}

template <class T>
void clear_readers(Net<T>& net, const std::string& group, std::span<const std::int32_t> units) {
  for (const GroupAxis& reader : readers(net.spec(), group)) {
    const ParamTensor& tensor = net.layout.tensors[static_cast<std::size_t>(reader.tensor)];
    for (const std::int32_t unit : units) {
      for_each_of_unit(tensor, reader.axis, unit,
                       [&](std::size_t element) { net.copy(0)[element] = 0; });
    }
  }
}

template void draw_units(Net<float>&, const std::string&, std::span<const std::int32_t>,
                         std::uint64_t);
template void draw_units(Net<double>&, const std::string&, std::span<const std::int32_t>,
                         std::uint64_t);
template void clear_readers(Net<float>&, const std::string&, std::span<const std::int32_t>);
template void clear_readers(Net<double>&, const std::string&, std::span<const std::int32_t>);

}  // namespace nn
