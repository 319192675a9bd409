#pragma once
// The sections of a page. Each answers one question; one without anything to say is not there.

#include <optional>
#include <string>
#include <vector>

#include "hpo/report/gathered.h"

namespace hpo::report {

struct Section {
  std::string id;            ///< of its element
  std::string title;         ///< in the navigation: one word
  std::string heading;       ///< the answer
  std::string lead = {};     ///< what there is to add, may be empty
  std::string body = {};     ///< HTML
  bool is_headline = false;  ///< the page's first words
};

[[nodiscard]] Section result_section(const Gathered& study);
[[nodiscard]] std::optional<Section> progress_section(const Gathered& study);
[[nodiscard]] std::optional<Section> parameters_section(const Gathered& study);
[[nodiscard]] std::optional<Section> next_section(const Gathered& study);
[[nodiscard]] std::optional<Section> curves_section(const Gathered& study);
/// Of populations: whose networks went on from whom.
[[nodiscard]] std::optional<Section> lineage_section(const Gathered& study);
/// Of networks that change their size: what was tried, and what became of it.
[[nodiscard]] std::optional<Section> shapes_section(const Gathered& study);
[[nodiscard]] std::optional<Section> metrics_section(const Gathered& study);
[[nodiscard]] std::optional<Section> cost_section(const Gathered& study);
[[nodiscard]] std::optional<Section> failures_section(const Gathered& study);
[[nodiscard]] std::optional<Section> trials_section(const Gathered& study);
[[nodiscard]] Section repeat_section(const Gathered& study);

/// What sets several studies apart.
[[nodiscard]] std::vector<Section> comparison_sections(const std::vector<Gathered>& studies);

}  // namespace hpo::report
