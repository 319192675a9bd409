#pragma once
// How much each unit of a group counts, for choosing those to remove.

#include <vector>

#include "nn/reshape/calibration.h"
#include "nn/reshape/reading.h"

namespace nn {

/// The field `score` of a shrink.
[[nodiscard]] FieldInfo score_field();

/// Whether a score looks at what readers see, and whether at gradients.
[[nodiscard]] bool score_needs_inputs(const std::string& score);
[[nodiscard]] bool score_needs_gradients(const std::string& score);

/// Throws SpecError when the network lacks what a score is about.
void check_score(const ModelSpec& spec, const std::string& score, const std::string& group);

/// One score a unit, the least useful lowest. `seen` is what enters `readers`, their
/// sums (empty unless score_needs_inputs).
template <class T>
[[nodiscard]] std::vector<double> unit_scores(const ReshapeJob<T>& job, const std::string& group,
                                              const std::vector<Reader>& readers,
                                              const std::vector<LayerInputs<T>>& seen);

extern template std::vector<double> unit_scores(const ReshapeJob<float>&, const std::string&,
                                                const std::vector<Reader>&,
                                                const std::vector<LayerInputs<float>>&);
extern template std::vector<double> unit_scores(const ReshapeJob<double>&, const std::string&,
                                                const std::vector<Reader>&,
                                                const std::vector<LayerInputs<double>>&);

}  // namespace nn
