#pragma once
// What may be said about a trial that others run.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/log/trial_row.h"
#include "hpo/study/spec.h"

namespace hpo {

/// What somebody says about a trial.
struct Told {
  std::optional<std::int64_t> step;
  Metrics metrics;                          ///< by name: what is searched for, and anything else
  TrialState state = TrialState::complete;  ///< complete, stopped or failed
  std::string message;                      ///< why it failed
};

/// Value of each metric, as told last.
using Latest = std::map<std::string, double, std::less<>>;

/// The rules of a study for what is told. Everything throws base::Error (usage) with what was
/// expected.
class ToldRules {
 public:
  /// `study` outlives them.
  explicit ToldRules(const StudySpec& study) : study_(study), deciding_(deciding_metrics(study)) {}

  /// The value of the study's metric; nothing where no metric is named at all. Throws where others
  /// are named without it.
  [[nodiscard]] std::optional<double> value_of(const Told& told) const;
  /// Whether a call says of every metric that it names what was told of it last.
  [[nodiscard]] bool repeats(const Latest& known, const Told& told) const;
  /// Whether a metric decides which trial is better.
  [[nodiscard]] bool decides(std::string_view metric) const;
  /// Throws where a trial would be complete without a value of one that does.
  void require_deciding(std::uint64_t trial, const Latest& known, const Told& told) const;
  /// Throws for a report at which the stopping rule would see nothing.
  void require_what_the_rule_sees(const Latest& known, const Told& told) const;

 private:
  const StudySpec& study_;
  std::vector<std::string> deciding_;
};

}  // namespace hpo
