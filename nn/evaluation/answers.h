#pragma once
// The answers of a predictor to rows, apart from the predictor: what two of them are compared by.

#include <compare>
#include <cstdint>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/metrics/judged.h"
#include "nn/model/slab.h"
#include "nn/network/workspace.h"
#include "nn/training/hyper.h"
#include "nn/training/parallel.h"
#include "nn/training/train.h"

namespace nn {

/// The raw outputs of a predictor: logits, one a class, or numbers in the scale of the stored
/// targets. Encodable.
struct Answers {
  std::uint64_t width = 0;
  std::vector<float> outputs;  ///< [rows, width]
  auto operator<=>(const Answers&) const = default;
};

/// Answers the rows of `data` with a network that was trained with `loss`; arguments as in
/// evaluate() (nn/training/train.h). One logit becomes two, of which the first is 0.
[[nodiscard]] Answers answers_of(const kern::Kernels<float>& kernels, Workspace& workspace,
                                 const ParamSlab& net, const DataView& data, const Choice& loss,
                                 Parallel* parallel = nullptr);

/// Returns the answers beside what was right; `data` is the view that was answered.
[[nodiscard]] Judged judged_of(const Answers& answers, const DataView& data);

/// Scores answers as evaluate() scores a network's.
[[nodiscard]] Scores scores_of(const Answers& answers, const DataView& data, const Choice& loss);

}  // namespace nn
