#include "nn/reshape/draw.h"

#include <algorithm>
#include <vector>

#include "nn/model/init.h"
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
std::vector<T> drawn(const Net<T>& net, const UnitSlice& slice, std::uint64_t seed) {
  const ParamTensor& tensor = slice.tensor();
  const std::string& layer = net.spec().layers[static_cast<std::size_t>(tensor.layer)].name;
  const auto ids = ids_along(net.units, tensor.axes[static_cast<std::size_t>(tensor.out_axis)]);
  const std::int32_t input = input_axis(tensor);
  const auto inputs = input < 0 ? std::vector<std::int64_t>()
                                : ids_along(net.units, tensor.axes[std::size_t(input)]);
  std::vector<float> one(slice.each());
  std::vector<T> out(slice.size());
  for (std::size_t k = 0; k < slice.units().size(); ++k) {
    init_unit(tensor, layer, seed, ids[slice.units()[k]], inputs, one);
    for (std::size_t i = 0; i < one.size(); ++i) out[slice.at(k, i)] = static_cast<T>(one[i]);
  }
  return out;
}

template <class T>
void draw_units(const ReshapeContext<T>& hands, Net<T>& net, const std::string& group,
                std::span<const std::int32_t> units, std::uint64_t seed) {
  const auto makers_of_group = makers(net.spec(), group);
  for (const GroupAxis& maker : makers_of_group) {
    const UnitSlice slice(net.layout.tensors[static_cast<std::size_t>(maker.tensor)], maker.axis,
                          units);
    set_units<T>(hands, net.copy(0).data(), slice, drawn(net, slice, seed));
  }
  // A tensor that makes the group's units from the group's units reads the fresh ones too.
  for (const GroupAxis& reader : readers(net.spec(), group)) {
    const auto makes = [&](const GroupAxis& maker) { return maker.tensor == reader.tensor; };
    if (std::ranges::none_of(makers_of_group, makes)) continue;
    const UnitSlice slice(net.layout.tensors[static_cast<std::size_t>(reader.tensor)], reader.axis,
                          units);
    set_units<T>(hands, net.copy(0).data(), slice, std::vector<T>(slice.size()));
  }
}

template std::vector<float> drawn(const Net<float>&, const UnitSlice&, std::uint64_t);
template std::vector<double> drawn(const Net<double>&, const UnitSlice&, std::uint64_t);
template void draw_units(const ReshapeContext<float>&, Net<float>&, const std::string&,
                         std::span<const std::int32_t>, std::uint64_t);
template void draw_units(const ReshapeContext<double>&, Net<double>&, const std::string&,
                         std::span<const std::int32_t>, std::uint64_t);

}  // namespace nn
