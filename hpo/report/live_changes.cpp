#include <variant>

#include "base/text.h"
#include "hpo/log/metrics.h"
#include "hpo/report/live.h"
#include "hpo/report/text.h"
#include "hpo/space/params.h"

namespace hpo {

namespace report {

namespace {

/// [number or null, label]: the page knows which of them its column takes.
std::string param_json(const ParamValue& value, const Places& places) {
  const auto real = number_of(value);
  const bool is_whole = std::holds_alternative<std::int64_t>(value);
  const std::string label = real && !is_whole ? number(*real) : places.hidden(plain_text_of(value));
  return base::cat("[", real ? script_number(*real) : "null", ",", script_text(label), "]");
}

std::string params_json(const Params& params, const Places& places) {
  std::string out;
  for (const auto& [name, value] : params)
    out += base::cat(out.empty() ? "" : ",", script_text(name), ":", param_json(value, places));
  return base::cat("{", out, "}");
}

std::string metrics_json(const TrialRow& row, const Objective& objective) {
  std::string out;
  for (const OtherMetric& other : objective.others) {
    const double* value = find_metric(row.metrics, other.name);
    out += base::cat(out.empty() ? "" : ",", value == nullptr ? "null" : script_number(*value));
  }
  return base::cat("[", out, "]");
}

std::string row_json(const TrialRow& row, const TrialSpan& span, const Objective& objective,
                     const Places& places) {
  constexpr std::size_t kLongMessage = 300;
  std::string out = base::cat("{\"trial\":", row.trial, ",\"state\":", static_cast<int>(row.state),
                              ",\"cause\":", static_cast<int>(row.cause),
                              ",\"value\":", row.value ? script_number(*row.value) : "null",
                              ",\"step\":", row.step, ",\"epochs\":", row.epochs,
                              ",\"flops\":", script_number(row.inference_flops),
                              ",\"seconds\":", script_number(row.seconds),
                              ",\"began\":", span.began, ",\"ended\":", span.ended);
  if (row.parent) out += base::cat(",\"parent\":", *row.parent);
  if (!row.message.empty())
    out +=
        base::cat(",\"message\":", script_text(visible(places.hidden(row.message), kLongMessage)));
  if (!objective.subject_to.empty())
    out += base::cat(",\"violation\":", script_number(objective.violation(row.metrics)));
  return base::cat(out, ",\"metrics\":", metrics_json(row, objective),
                   ",\"params\":", params_json(row.params, places), "}");
}

}  // namespace

}  // namespace report

std::string json_of_changes(const Changes& changes, const Objective& objective,
                            const report::Places& places) {
  std::string trials, reports;
  for (const TrialRow& row : changes.trials) {
    const auto span = changes.spans.find(row.trial);
    trials +=
        base::cat(trials.empty() ? "" : ",",
                  report::row_json(row, span == changes.spans.end() ? TrialSpan{} : span->second,
                                   objective, places));
  }
  for (std::size_t i = 0; i < changes.reports.size(); ++i)
    reports +=
        base::cat(reports.empty() ? "" : ",", changes.seq[i], ",", changes.reports.trial[i], ",",
                  changes.reports.step[i], ",", report::script_number(changes.reports.value[i]));
  return base::cat("{\"from\":", changes.from, ",\"position\":", changes.position, ",\"trials\":[",
                   trials, "],\"reports\":[", reports, "]}");
}

}  // namespace hpo
