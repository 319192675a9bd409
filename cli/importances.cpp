#include "cli/importances.h"

#include "hpo/study/spec.h"

namespace cli {

hpo::Space space_of(const hpo::StudyReader& study) {
  return hpo::space_of_resolved(study.resolved(), (study.folder() / "study.yaml").string());
}

std::vector<hpo::MetricImportance> importances_of(const hpo::StudyReader& study) {
  return hpo::importances_of(space_of(study), study.trials(), study.info().metric,
                             study.objective());
}

}  // namespace cli
