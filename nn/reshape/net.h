#pragma once
// Net<T>: a network taken apart, in float or double, and the two gathers that every reshape is made
// of.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernels.h"
#include "nn/model/layout.h"
#include "nn/model/slab.h"
#include "nn/model/units.h"
#include "nn/reshape/numbers.h"
#include "nn/reshape/reshape.h"

namespace nn {

/// Everything that a ParamSlab holds, taken apart. numbers = [weights | slot 0 | slot 1 | ...],
/// each layout.count elements, in the memory of whatever kernels it is handed to with.
template <class T>
struct Net {
  ParamSlab::Header header;
  ParamLayout layout;
  Numbers<T> numbers;
  UnitState units;
  SlabState state;

  /// Zeros for that spec; units fresh, born at step 0. `room` is that of the numbers, zero and as
  /// a slab lays it out; null: of its own, in the program's memory.
  [[nodiscard]] static Net empty(ParamSlab::Header header, T* room = nullptr);
  /// 0: the weights; i + 1: optimizer slot i.
  [[nodiscard]] std::span<T> copy(int i);
  [[nodiscard]] std::span<const T> copy(int i) const;
  [[nodiscard]] const ModelSpec& spec() const noexcept { return header.spec; }
};

/// A view on a slab whose bytes lie in `memory`, for reading; it and its copies must not outlive
/// them.
[[nodiscard]] Net<float> net_of(const ParamSlab& slab,
                                const kern::Memory& memory = kern::kOwnMemory);
/// A slab that keeps ids and births.
[[nodiscard]] ParamSlab slab_of(const Net<float>& net);

/// Stands in UnitMap::source for a unit that no old one becomes.
inline constexpr std::int32_t kFreshUnit = -1;

/// Which old unit of a group becomes which new one, and how its numbers are scaled.
struct UnitMap {
  std::string group;
  std::vector<std::int32_t> source;  ///< one a new unit: an old unit, or kFreshUnit
  /// Factors, one a new unit; empty: 1. `in` is for what makes the unit (incoming weights, bias,
  /// normalisation), `out` for the weights that read it.
  std::vector<double> in{}, out{};
};

/// The primitive: a network whose group has other units. Along every axis of the group (flattened
/// images: at every position) entry i is the old entry source[i], or 0 when fresh. Weights are
/// multiplied by the factors. Slots are multiplied as their gradients are: a unit read through
/// `out` times its weight gets `out` times the gradient, so a slot of power p is scaled by out^p on
/// the axes that make the unit and by in^p on those that read it (Optimizer::slot_powers). The
/// first copy of a unit keeps its id, further copies and fresh units get new ones; copies keep
/// births, fresh units are born at the current step. `to` is from's spec with the group resized,
/// `room` as of Net::empty, in the memory where `from` lies, that of the kernels.
template <class T>
[[nodiscard]] Net<T> regroup(const kern::Kernels<T>& kernels, const Net<T>& from,
                             const ModelSpec& to, const UnitMap& map, T* room = nullptr);

/// The same for one tensor (a copy of Net::copy, an index of the layout) of a network that was
/// regrouped: its numbers become those of `list`, [the old tensor's numbers], in its place.
template <class T>
void regroup_tensor(const ReshapeContext<T>& hands, const ParamLayout& old, std::span<const T> list,
                    const UnitMap& map, std::pair<int, std::size_t> tensor, Net<T>& net);

/// A network with other layers: tensors of the same name and shape are carried with slots and
/// births, the others are 0 and born at the current step. Ids are carried with groups that keep
/// their name or one of their axes.
template <class T>
[[nodiscard]] Net<T> transplant(const kern::Kernels<T>& kernels, const Net<T>& from,
                                const ModelSpec& to, T* room = nullptr);

extern template struct Net<float>;
extern template struct Net<double>;
extern template Net<float> regroup(const kern::Kernels<float>&, const Net<float>&, const ModelSpec&,
                                   const UnitMap&, float*);
extern template Net<double> regroup(const kern::Kernels<double>&, const Net<double>&,
                                    const ModelSpec&, const UnitMap&, double*);
extern template void regroup_tensor(const ReshapeContext<float>&, const ParamLayout&,
                                    std::span<const float>, const UnitMap&,
                                    std::pair<int, std::size_t>, Net<float>&);
extern template void regroup_tensor(const ReshapeContext<double>&, const ParamLayout&,
                                    std::span<const double>, const UnitMap&,
                                    std::pair<int, std::size_t>, Net<double>&);
extern template Net<float> transplant(const kern::Kernels<float>&, const Net<float>&,
                                      const ModelSpec&, float*);
extern template Net<double> transplant(const kern::Kernels<double>&, const Net<double>&,
                                       const ModelSpec&, double*);

}  // namespace nn
