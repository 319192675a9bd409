#include "nn/reshape/reshape.h"

#include <algorithm>
#include <vector>

#include "nn/random.h"
#include "nn/reshape/kind.h"
#include "nn/trainer.h"

namespace nn {
namespace {

/// At most kCalibrationRows rows, drawn by their number alone and in ascending order.
std::vector<std::uint32_t> calibration_rows(std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> chosen;
  epoch_order(RandomKey{}.derive("calibration").value, 0, static_cast<std::uint32_t>(rows.size()),
              chosen);
  chosen.resize(std::min<std::size_t>(rows.size(), kCalibrationRows));
  std::ranges::sort(chosen);
  for (auto& row : chosen) row = rows[row];
  return chosen;
}

}  // namespace

template <class T>
Net<T> reshape(const kern::Kernels<T>& kernels, Workspace& workspace, const Net<T>& from,
               const Operation& operation, const DataView& training, std::uint64_t seed) {
  const Operation whole = complete(operation);
  const ModelSpec to = reshaped(from.spec(), whole);
  const ReshapeKind& kind = reshape_kind_of(whole.kind);
  DataView calibration = training;
  std::vector<std::uint32_t> rows;
  if (kind.needs_data(whole)) {
    check_input(from.spec(), training);
    rows = calibration_rows(training.rows);
    if (rows.empty()) throw Error(describe(whole) + ": needs rows of the training part");
  }
  calibration.rows = rows;
  return kind.run(ReshapeJob<T>{kernels, workspace, from, whole, to, calibration, seed});
}

ParamSlab reshape(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& from,
                  const Operation& operation, const DataView& training, std::uint64_t seed) {
  return slab_of(reshape(kernels, workspace, net_of(from), operation, training, seed));
}

template Net<float> reshape(const kern::Kernels<float>&, Workspace&, const Net<float>&,
                            const Operation&, const DataView&, std::uint64_t);
template Net<double> reshape(const kern::Kernels<double>&, Workspace&, const Net<double>&,
                             const Operation&, const DataView&, std::uint64_t);

}  // namespace nn
