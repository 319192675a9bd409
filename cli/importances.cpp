#include "cli/importances.h"

#include "hpo/study/spec.h"

namespace cli {

std::vector<hpo::MetricImportance> importances_of(const hpo::StudyReader& study) {
  const hpo::Space space =
      hpo::space_of_study(study.resolved(), (study.folder() / "study.yaml").string());
  return hpo::importances_of(space, study.trials(), study.info().metric, study.objective());
}

}  // namespace cli
