#pragma once
// Running a reshape operation: a new network from an old one.

#include <cstdint>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/model/slab.h"
#include "nn/network/workspace.h"
#include "nn/reshape/operation.h"

namespace nn {

/// Most rows that an operation looks at.
inline constexpr std::int64_t kCalibrationRows = 5000;

/// `from` after `operation`: weights, optimizer slots, step and row counts, unit ids and births.
/// What each kind preserves is in its header. `training` is the training part; at most
/// kCalibrationRows of its rows are looked at, chosen by the number of rows alone, and none unless
/// needs_data(operation). Fresh weights are drawn by (seed, layer, unit id, input unit's id).
/// `kernels` are of the program's own memory.
/// A function of the arguments alone. Throws SpecError as `reshaped` does, base::Error
/// (study) for data that does not fit the network.
[[nodiscard]] ParamSlab reshape(const kern::Kernels<float>& kernels, Workspace& workspace,
                                const ParamSlab& from, const Operation& operation,
                                const DataView& training, std::uint64_t seed);

/// The same in the memory of `kernels`, where the bytes of `from` lie and those of `to`, a slab of
/// reshaped_header(from.header(), `reshaped` or `measured_spec`). What an operation decides by is
/// read back, tensor by tensor (a `tidy` or exact `drop` reads whole layers), and nothing else.
/// Throws base::Error (internal) where `to` is of another header.
void reshape(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& from,
             const Operation& operation, const DataView& training, std::uint64_t seed,
             ParamSlab& to);

/// The spec of the result, where its size depends on weights or data.
[[nodiscard]] ModelSpec measured_spec(const kern::Kernels<float>& kernels, Workspace& workspace,
                                      const ParamSlab& from, const Operation& operation,
                                      const DataView& training);

/// The header of a network that `from` was reshaped to.
[[nodiscard]] ParamSlab::Header reshaped_header(const ParamSlab::Header& from,
                                                const ModelSpec& spec);

/// Bytes that reshape() asks its workspace for on the memory of `kernels`, or a few more, beside
/// the two networks' own and a table that is fed.
[[nodiscard]] std::size_t reshaping_memory(const kern::Kernels<float>& kernels,
                                           const ModelSpec& spec, const Operation& operation);

}  // namespace nn
