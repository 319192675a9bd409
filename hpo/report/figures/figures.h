#pragma once
// The figures that there are, each in a file of its name.

#include <optional>

#include "hpo/report/figures/figure.h"

namespace hpo::figures {

[[nodiscard]] std::optional<Drawn> draw_confusion(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_curves(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_devices(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_edf(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_front(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_history(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_hypervolume(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_importance(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_lineage(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_pair(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_parallel(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_shapes(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_slices(const report::Gathered& study, double width);
[[nodiscard]] std::optional<Drawn> draw_timeline(const report::Gathered& study, double width);

}  // namespace hpo::figures
