#pragma once
// What a network has to beat: the simplest predictors of a data set, as networks without hidden
// layers, so that they are scored like any other.

#include <array>
#include <cstdint>
#include <string_view>

#include "kernels/kernels.h"
#include "nn/data/dataset.h"
#include "nn/model/slab.h"
#include "nn/network/workspace.h"

namespace nn {

///   constant  says the same of every row: how frequent each class is, or the mean
///   linear    logistic regression, or for numbers ridge regression
enum class Baseline : std::uint8_t { constant, linear };
inline constexpr std::array kBaselines{Baseline::constant, Baseline::linear};

/// "majority class", "mean", "logistic regression", "ridge regression".
[[nodiscard]] std::string_view name_of(Baseline kind, LearningTask task);

/// What a network for `data` looks like that has nothing but its output layer. Throws SpecError.
[[nodiscard]] ModelSpec baseline_spec(const Dataset& data);

/// A baseline fitted on the training part of `data`; a pure function of it. Both linear ones have
/// an L2 penalty of half the squared weights (not of the biases) beside the summed loss. Ridge
/// regression is solved by its normal equations up to kMostColumns inputs; logistic regression and
/// wider tables are trained by Adam with a falling rate for at least kBaselineSteps steps, fewer
/// with more than 500 outputs, and in the span of the rows where these are few (FewRows). Throws
/// SpecError. The calling thread has gone through kern::prepare_thread().
[[nodiscard]] ParamSlab fit_baseline(const kern::Kernels<float>& kernels, Workspace& workspace,
                                     const Dataset& data, Baseline kind);

/// About how many operations it takes to fit the linear one.
[[nodiscard]] double baseline_work(const Dataset::Header& data);

inline constexpr std::size_t kMostColumns = 1024;
inline constexpr std::int64_t kBaselineSteps = 3000;

}  // namespace nn
