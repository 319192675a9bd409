#include "bench/driven.h"

#include <filesystem>

#include "base/clock.h"
#include "base/text.h"

namespace bench {

double run_study(const hpo::StudySpec& study, hpo::TrialWork& work, const base::Path& folder,
                 const rt::Config& config, const std::atomic<int>* interrupts) {
  std::filesystem::remove_all(folder);
  const base::Moment begun = base::now();
  {
    hpo::EventLog log(folder);
    hpo::StudyFacts facts{.name = study.name,
                          .metric = study.metric.name,
                          .objective = hpo::objective_of(study),
                          .parameters = {},
                          .resolved = base::cat("name: ", study.name, "\n")};
    for (const hpo::Parameter& parameter : study.space.parameters())
      facts.parameters.push_back(parameter.name);
    log.begin(facts);
    rt::Runtime runtime(config);
    hpo::Observer observer;
    hpo::Driver driver({.study = study,
                        .log = log,
                        .runtime = runtime,
                        .work = work,
                        .observer = observer,
                        .folder = folder,
                        .interrupts = interrupts,
                        .arithmetic = "bench"});
    driver.run();
  }
  return base::seconds_since(begun);
}

}  // namespace bench
