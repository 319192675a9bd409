#include "hpo/driver/adopt.h"

#include "hpo/driver/same_study.h"
#include "hpo/driver/search.h"

namespace hpo {

namespace {

/// The study with its data's content, as the log keeps it.
std::string resolved_of(const StudySpec& study, const StudyData* data) {
  return data != nullptr ? with_content(resolved_yaml(study), data->content) : resolved_yaml(study);
}

StudyFacts facts_of(const StudySpec& study, const StudyData* data) {
  StudyFacts facts{
      .name = study.name, .metric = study.metric.name, .objective = objective_of(study)};
  for (const Parameter& parameter : study.space.parameters())
    facts.parameters.push_back(parameter.name);
  facts.resolved = resolved_of(study, data);
  return facts;
}

}  // namespace

std::vector<Changed> adopt(EventLog& log, const StudySpec& study, const StudyData* data,
                           const rt::Path& folder) {
  StudyFacts facts = facts_of(study, data);
  std::vector<Changed> changes;
  if (log.facts()) {
    const DataInfo info = data != nullptr ? data->info : DataInfo{};
    changes = changes_between(in_todays_words(log.facts()->resolved, facts.resolved, info),
                              facts.resolved);
    log.note("resolved", facts.resolved);
  } else {
    log.begin(facts);
  }
  rt::write_file_atomic(folder / "study.yaml", facts.resolved);
  return changes;
}

}  // namespace hpo
