#pragma once
// A trained network that goes on with other data: more inputs or fewer, more classes, numbers in
// another unit. What it knew it still answers: new inputs have weights of 0, new classes outputs of
// their own.

#include <cstdint>

#include "kernels/kernels.h"
#include "nn/data/continued.h"
#include "nn/model/slab.h"
#include "nn/model/spec.h"
#include "nn/training/hyper.h"

namespace nn {

/// Networks with at least so many outputs answer with the same bits when they get more; products of
/// fewer columns are summed in another order.
inline constexpr std::int64_t kOutputsThatKeepBits = 5;

/// The spec of `model` for rows of that shape and so many outputs, at least its own. Throws
/// base::Error (study): "expected ...", what does not fit.
[[nodiscard]] ModelSpec continued_spec(const ModelSpec& model, const Shape& input,
                                       std::int64_t outputs);

/// The header of a network that goes on. `model` has the spec, whether it was reshaped, and its
/// optimizer's kind. Where the optimizer's state goes on, new outputs are younger than that.
[[nodiscard]] ParamSlab::Header continued_header(const ParamSlab::Header& model,
                                                 const ModelSpec& spec, const Choice& optimizer,
                                                 bool keeps_optimizer);

/// `model` as one of that header. With the inputs that it had its outputs keep their bits
/// (kOutputsThatKeepBits), with new ones, and numbers to predict in another unit, their values up
/// to rounding. Weights of new outputs are drawn by (seed, layer, unit), as init_weights draws.
/// Without keeps_optimizer its state is 0, and so are the steps. Throws base::Error (study) where
/// they do not fit together. `kernels` are of the program's own memory.
[[nodiscard]] ParamSlab continued(const kern::Kernels<float>& kernels, const ParamSlab& model,
                                  const ParamSlab::Header& header, const Continuation& how,
                                  std::uint64_t seed);

}  // namespace nn
