#include "hpo/study/real_time.h"

#include "hpo/study/metric_names.h"
#include "hpo/study/node.h"

namespace hpo {

std::vector<std::string> real_time_keys(const StudySpec& study) {
  std::vector<std::string> keys;
  if (study.adapt && study.adapt.node().find("command") != nullptr)
    keys.emplace_back("adapt.command");
  if (study.runs_command) keys.emplace_back("command");
  if (measures_latency(study)) keys.emplace_back(study::kLatency);
  if (study.order == Order::arrival) keys.emplace_back("order");
  if (study.early_stop_unit == Unit::seconds) keys.emplace_back("early_stop.unit");
  if (study.limits.time) keys.emplace_back("limits.time");
  if (study.limits.trial_time) keys.emplace_back("limits.trial_time");
  if (study.limits.no_progress) keys.emplace_back("limits.no_progress");
  return keys;
}

}  // namespace hpo
