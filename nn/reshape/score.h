#pragma once
// How much each unit of a group counts, for choosing those to remove.

#include <vector>

#include "nn/reshape/calibration.h"
#include "nn/reshape/reading.h"

namespace nn {

/// The field `score` of a shrink.
[[nodiscard]] FieldInfo score_field();

/// Whether a score looks at data.
[[nodiscard]] bool score_needs_data(const std::string& score);

/// One score a unit, the least useful lowest. `grams` belong to `readers` (empty where the score
/// needs no data).
template <class T>
[[nodiscard]] std::vector<double> unit_scores(const ReshapeJob<T>& job, const std::string& group,
                                              const std::vector<Reader>& readers,
                                              const std::vector<InputGram>& grams);

extern template std::vector<double> unit_scores(const ReshapeJob<float>&, const std::string&,
                                                const std::vector<Reader>&,
                                                const std::vector<InputGram>&);
extern template std::vector<double> unit_scores(const ReshapeJob<double>&, const std::string&,
                                                const std::vector<Reader>&,
                                                const std::vector<InputGram>&);

}  // namespace nn
