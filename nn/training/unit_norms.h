#pragma once
// What belongs to a unit, and how large it is: all the numbers that make it or read it.
//
// A unit's norm is the Euclidean norm of its incoming weights, its bias, its normalisation's scale
// and shift, and its outgoing weights, in every layer that shares its group. A unit of norm 0
// computes nothing that anybody reads.

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "nn/model/slab.h"

namespace nn {

/// The numbers of the units of one group, as blocks of a copy of the weights.
struct UnitNumbers {
  struct Part {
    std::size_t offset = 0;  ///< in elements from the start of the weights
    kern::UnitBlock block;
  };
  std::string layer;      ///< the first of the layers that share the units
  std::size_t units = 0;  ///< in the group
  std::size_t size = 0;   ///< numbers of one unit
  std::vector<Part> parts;
};

/// Of every group whose units can be removed (resizable_layers), in order. What is trained only:
/// running statistics say nothing about how much a unit does.
[[nodiscard]] std::vector<UnitNumbers> unit_numbers(const ModelSpec& spec);

/// The norms of the units of one group. Encodable.
struct UnitNorms {
  std::string layer;
  std::vector<double> norms;  ///< one a unit
  bool operator==(const UnitNorms&) const = default;
};

/// The norms of all units that can be removed, in the order of unit_numbers; `net` lies in the
/// memory of `kernels`.
[[nodiscard]] std::vector<UnitNorms> unit_norms(const kern::Kernels<float>& kernels,
                                                const ParamSlab& net);

/// The norms of one group's units; `weights` as in a Net.
template <class T>
[[nodiscard]] std::vector<double> norms_of(const kern::Kernels<T>& kernels,
                                           const UnitNumbers& numbers, const T* weights);

extern template std::vector<double> norms_of(const kern::Kernels<float>&, const UnitNumbers&,
                                             const float*);
extern template std::vector<double> norms_of(const kern::Kernels<double>&, const UnitNumbers&,
                                             const double*);

}  // namespace nn
