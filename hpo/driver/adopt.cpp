#include "hpo/driver/adopt.h"

#include <filesystem>

#include "base/text.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/driver/same_study.h"
#include "hpo/driver/warm_start.h"
#include "hpo/log/study_reader.h"
#include "hpo/search/search.h"

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

/// Trials of earlier studies, for a log that does not have them yet: it gets them together with its
/// first event.
std::optional<std::vector<Known>> newly_known(const EventLog& log, const StudySpec& study) {
  if (study.warm_start.empty() || log.noted(kKnownFact)) return std::nullopt;
  std::vector<Known> known;
  for (const WarmStart& start : read_warm_starts(study))
    known.insert(known.end(), start.fit.begin(), start.fit.end());
  return known;
}

/// The file in the log as today's program would write it.
std::string logged_file(const EventLog& log, const StudyFacts& facts, const StudyData* data) {
  const DataInfo info = data != nullptr ? data->info : DataInfo{};
  return in_todays_words(log.facts()->resolved, facts.resolved, info);
}

/// New trials must not find what old ones of their numbers left; people may.
void put_aside(const base::Path& folder) {
  const base::Path trials = folder / "trials";
  std::error_code error;
  if (!std::filesystem::exists(trials, error)) return;
  base::Path aside;
  for (int n = 0; n == 0 || std::filesystem::exists(aside, error); ++n)
    aside = folder / base::cat("trials.before-", n);
  std::filesystem::rename(trials, aside, error);
  if (error) throw base::storage_error("rename", trials, error.value());
}

}  // namespace

bool is_unsearched(const EventLog& log) {
  const auto imported = log.noted(kImportedFact);
  return imported && base::parse_int(*imported) == log.recorded();
}

std::string begin_anew(EventLog& log, const StudySpec& study, const StudyData* data,
                       const base::Path& folder) {
  if (!log.facts() || !log.is_void() || log.noted(kAskedFact)) return "";
  const StudyFacts facts = facts_of(study, data);
  std::string other = what_is_other(logged_file(log, facts, data), facts.resolved);
  if (other.empty()) return "";
  put_aside(folder);
  log.begin_anew(facts);
  return other;
}

std::vector<Changed> adopt(EventLog& log, const StudySpec& study, const StudyData* data,
                           const base::Path& folder) {
  StudyFacts facts = facts_of(study, data);
  std::vector<Changed> changes;
  const auto known = newly_known(log, study);
  if (log.facts()) {
    const std::string logged = logged_file(log, facts, data);
    const bool unsearched = is_unsearched(log);
    const std::string other = what_is_other(logged, facts.resolved, unsearched);
    if (!other.empty()) throw other_study(folder, other);
    changes = changes_between(logged, facts.resolved, unsearched);
    log.note("resolved", facts.resolved);
  } else {
    put_aside(folder);
    log.begin(facts);
  }
  if (known) log.note(kKnownFact, json_of(*known));
  if (study.numbers_steps()) log.note(kStepsFact, "1");
  base::write_file_atomic(folder / "study.yaml", facts.resolved);
  return changes;
}

}  // namespace hpo
