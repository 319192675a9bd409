// Journals of Optuna, line by line, for tests of importing them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/import/optuna.h"
#include "hpo/import/optuna_journal.h"

namespace hpo::optuna {

enum State : int { running = 0, complete = 1, pruned = 2, failed = 3, waiting = 4 };

inline std::string floats(double low, double high) {
  return base::cat(R"({"name": "FloatDistribution", "attributes": {"step": null, "low": )", low,
                   R"(, "high": )", high, R"(, "log": false}})");
}
inline std::string ints(int low, int high) {
  return base::cat(R"({"name": "IntDistribution", "attributes": {"step": 1, "low": )", low,
                   R"(, "high": )", high, R"(, "log": false}})");
}
inline std::string choices(const std::string& list) {
  return base::cat(R"({"name": "CategoricalDistribution", "attributes": {"choices": )", list, "}}");
}

class Journal {
 public:
  Journal() {
    text_ = R"({"op_code": 0, "study_name": "s", "directions": [1]})"
            "\n";
  }

  struct Param {
    std::string name, distribution;
    double internal = 0;
  };

  /// Ends with `state`; a complete one with the value 0. Returns its id.
  int trial(State state, const std::vector<Param>& params,
            const std::vector<std::string>& system = {}) {
    text_ += R"({"op_code": 4, "study_id": 0, "datetime_start": null})"
             "\n";
    for (const Param& param : params)
      text_ += base::cat(R"({"op_code": 5, "trial_id": )", trials_, R"(, "param_name": ")",
                         param.name, R"(", "param_value_internal": )", param.internal,
                         R"(, "distribution": )", base::quote_json(param.distribution), "}\n");
    for (const std::string& attribute : system)
      text_ += base::cat(R"({"op_code": 9, "trial_id": )", trials_, R"(, "system_attr": {)",
                         attribute, "}}\n");
    if (state != running)
      text_ += base::cat(R"({"op_code": 6, "trial_id": )", trials_, R"(, "state": )", int{state},
                         R"(, "values": )", state == complete ? "[0]" : "null", "}\n");
    return trials_++;
  }

  /// One that waits for values, `fixed` as JSON.
  void enqueue(const std::string& fixed) {
    text_ += base::cat(R"({"op_code": 4, "study_id": 0, "datetime_start": null, "state": 4, )",
                       R"("system_attrs": {"fixed_params": )", fixed, "}}\n");
    ++trials_;
  }

  void line(const std::string& json) { text_ += json + "\n"; }

  [[nodiscard]] ImportedStudy imported() const {
    return import_optuna(read_optuna_journal(text_, "j.log"), "j.log", "");
  }

 private:
  std::string text_;
  int trials_ = 0;
};

/// Whether all trials lie in the space of the study file.
inline bool holds_all(const ImportedStudy& made) {
  const StudySpec study = study_made(made.yaml, "j.log", "j.yaml");
  for (const ImportedTrial& trial : made.trials)
    if (!study.space.contains(trial.params)) return false;
  return true;
}

}  // namespace hpo::optuna
