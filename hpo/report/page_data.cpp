#include "hpo/report/page_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/log/metrics.h"
#include "hpo/report/best_values.h"
#include "hpo/report/data_element.h"
#include "hpo/report/networks.h"
#include "hpo/report/pack.h"
#include "hpo/report/text.h"

namespace hpo::report {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
/// Seconds of a unit of time, unless the study is so long that its end would not fit 32 bits.
constexpr double kTick = 1e-4, kLongTick = 1e-1;
constexpr double kMostTicks = 4e9;
/// Curves of more points have five digits.
constexpr std::size_t kManyPoints = 20'000;
/// Messages of failures that are kept; trials with others name none.
constexpr std::size_t kMostMessages = 100;
constexpr std::size_t kLongMessage = 300;

std::string texts_json(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += base::cat(out.empty() ? "" : ",", script_text(text));
  return base::cat("[", out, "]");
}

/// The best of the baselines by the metric that is searched for.
std::string baseline_json(const Gathered& study) {
  const BaselineRow* best = nullptr;
  double ahead = kNone;
  for (const BaselineRow& row : study.baselines) {
    const double* value = find_metric(row.metrics, study.info.metric);
    if (value == nullptr || std::isnan(*value)) continue;
    if (best != nullptr && !study.objective.better(*value, ahead)) continue;
    best = &row;
    ahead = *value;
  }
  if (best == nullptr) return "null";
  return base::cat("{\"name\":", script_text(best->name), ",\"value\":", script_number(ahead), "}");
}

std::string parameters_json(const Gathered& study) {
  std::string out;
  for (const ParameterColumn& column : study.parameters) {
    const auto best = best_values(study, column);
    const auto flag = [](bool yes) { return yes ? "1" : "0"; };
    out +=
        base::cat(out.empty() ? "" : ",", "{\"name\":", script_text(column.name),
                  ",\"number\":", flag(column.is_number), ",\"log\":", flag(column.is_log),
                  ",\"whole\":", flag(column.is_whole), ",\"min\":", script_number(column.min),
                  ",\"max\":", script_number(column.max), ",\"labels\":", texts_json(column.labels),
                  ",\"share\":", column.is_searched ? script_number(column.share) : "null",
                  ",\"low\":", best && column.is_number ? script_number(best->low) : "null",
                  ",\"high\":", best && column.is_number ? script_number(best->high) : "null", "}");
  }
  return base::cat("[", out, "]");
}

std::string other_metrics_json(const Gathered& study) {
  std::string out;
  for (const OtherMetric& other : study.objective.others)
    out += base::cat(out.empty() ? "" : ",", "{\"name\":", script_text(other.name),
                     ",\"maximize\":", other.maximize ? "1" : "0", "}");
  return base::cat("[", out, "]");
}

/// [[trial, source, step, what happened to its shape], ...] and the winner's line of descent.
std::string lineage_json(const Gathered& study) {
  const std::vector<HandOver> all = hand_overs(study);
  if (all.empty()) return "null";
  std::string hands, descent;
  for (const HandOver& one : all)
    hands += base::cat(hands.empty() ? "[" : ",[", one.trial, ",", one.source, ",", one.step, ",",
                       script_text(one.change), "]");
  if (study.best) {
    for (const Descent& one : descent_of_best(study, all))
      descent += base::cat(descent.empty() ? "[" : ",[", one.trial, ",", one.from, "]");
  }
  return base::cat("{\"hands\":[", hands, "],\"descent\":[", descent, "]}");
}

/// [[FLOPs of a row, score, accepted, shape, change, round], ...] of the winner's network.
std::string candidates_json(const Gathered& study) {
  std::string out;
  std::size_t number = 0;
  for (const Adapted* round : rounds_of_best(study)) {
    for (const Tried& tried : round->candidates) {
      const double quality = std::isnan(tried.accuracy) ? tried.loss : tried.accuracy;
      out += base::cat(out.empty() ? "[" : ",[", script_number(tried.inference_flops), ",",
                       script_number(quality), ",", tried.accepted ? "1" : "0", ",",
                       script_text(tried.shape), ",", script_text(tried.change), ",", number, "]");
    }
    ++number;
  }
  return base::cat("[", out, "]");
}

double tick_of(const Gathered& study, std::int64_t origin) {
  std::int64_t last = origin;
  for (const TrialSpan& span : study.spans) last = std::max(last, span.ended);
  return static_cast<double>(last - origin) * 1e-6 / kTick < kMostTicks ? kTick : kLongTick;
}

/// Columns of trials, filled one after another.
class TrialPack {
 public:
  explicit TrialPack(const Gathered& study) : study_(study) {}

  template <class Of>
  void whole(std::string_view name, Of of) {
    std::vector<std::int64_t> column;
    for (const TrialRow& row : study_.trials) column.push_back(of(row));
    pack_.whole(name, column);
  }
  template <class Of>
  void floats(std::string_view name, Of of) {
    std::vector<double> column;
    for (const TrialRow& row : study_.trials) column.push_back(of(row));
    pack_.floats(name, column);
  }
  template <class Of>
  void bytes(std::string_view name, Of of) {
    std::vector<std::uint8_t> column;
    for (const TrialRow& row : study_.trials) column.push_back(static_cast<std::uint8_t>(of(row)));
    pack_.bytes(name, column);
  }
  [[nodiscard]] Pack& pack() { return pack_; }

 private:
  const Gathered& study_;
  Pack pack_;
};

/// How busy workers were over time: names, and a column of bytes for each.
std::string sessions_json(TrialPack& columns, const Gathered& study, std::int64_t origin) {
  std::string out;
  for (std::size_t i = 0; i < study.use.size(); ++i) {
    const SessionUse& session = study.use[i];
    const auto found = std::ranges::find(session.states, "busy");
    if (found == session.states.end()) continue;
    const auto busy = static_cast<std::size_t>(found - session.states.begin());
    std::string names;
    for (std::size_t worker = 0; worker < session.workers.size(); ++worker) {
      const std::size_t buckets = session.workers[worker].shares.size() / session.states.size();
      std::vector<std::uint8_t> bytes;
      for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        const double share = std::clamp(session.share(worker, bucket, busy), 0.0, 1.0);
        bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * share)));
      }
      columns.pack().bytes(base::cat("u", i, "_", worker), bytes);
      names += base::cat(names.empty() ? "" : ",", script_text(session.workers[worker].name));
    }
    const double began = origin > 0 ? static_cast<double>(session.began - origin) * 1e-6 : 0;
    out += base::cat(out.empty() ? "" : ",", "{\"began\":", script_number(began),
                     ",\"width\":", script_number(session.width),
                     ",\"seconds\":", script_number(session.seconds), ",\"id\":", i,
                     ",\"workers\":[", names, "]}");
  }
  return base::cat("[", out, "]");
}

void pack_metrics(TrialPack& columns, const Gathered& study) {
  std::size_t number = 0;
  for (const OtherMetric& other : study.objective.others) {
    columns.floats(base::cat("m", number++), [&](const TrialRow& row) {
      const double* value = find_metric(row.metrics, other.name);
      return value == nullptr ? kNone : *value;
    });
  }
  if (!study.objective.subject_to.empty())
    columns.floats("violation",
                   [&](const TrialRow& row) { return study.objective.violation(row.metrics); });
}

void pack_times(TrialPack& columns, const Gathered& study, std::int64_t origin, double tick) {
  if (!study.has_times) return;
  columns.floats("seconds", [](const TrialRow& row) { return row.seconds; });
  const auto ticks = [&](std::int64_t moment) {
    return moment <= 0 ? std::int64_t{-1}
                       : std::llround(static_cast<double>(moment - origin) * 1e-6 / tick);
  };
  columns.whole("began", [&](const TrialRow& row) { return ticks(study.spans[row.trial].began); });
  columns.whole("ended", [&](const TrialRow& row) { return ticks(study.spans[row.trial].ended); });
}

void pack_parameters(TrialPack& columns, const Gathered& study) {
  std::size_t number = 0;
  for (const ParameterColumn& column : study.parameters) {
    const std::string name = base::cat("p", number++);
    if (column.is_number || column.labels.size() > 255)
      columns.pack().floats(name, column.values);
    else
      columns.bytes(name, [&](const TrialRow& row) {
        const double value = column.values[row.trial];
        return std::isnan(value) ? 255 : static_cast<int>(value);
      });
  }
}

/// Messages of failed trials, each once, and a column that names them.
std::vector<std::string> pack_messages(TrialPack& columns, const Gathered& study) {
  std::vector<std::string> messages;
  std::map<std::string, std::size_t> known;
  if (study.counts.failed == 0) return messages;
  columns.bytes("message", [&](const TrialRow& row) {
    if (row.message.empty()) return std::size_t{255};
    const auto [at, is_new] =
        known.emplace(visible(study.hidden(row.message), kLongMessage), known.size());
    if (is_new && at->second < kMostMessages) messages.push_back(at->first);
    return at->second < kMostMessages ? at->second : std::size_t{255};
  });
  return messages;
}

std::string curve_elements(const Gathered& study) {
  const Curves& curves = study.curves;
  Pack pack;
  std::vector<std::int64_t> lengths, steps;
  for (std::size_t trial = 0; trial < study.trials.size(); ++trial) {
    lengths.push_back(static_cast<std::int64_t>(curves.end(trial) - curves.begin(trial)));
    std::int64_t before = 0;
    for (std::size_t i = curves.begin(trial); i < curves.end(trial); ++i) {
      steps.push_back(curves.step[i] - before);
      before = curves.step[i];
    }
  }
  pack.whole("length", lengths);
  pack.whole("step", steps);
  pack.floats("value", curves.value, curves.points() > kManyPoints);
  return columns_element("curve", pack);
}

}  // namespace

std::int64_t origin_of(const Gathered& study) {
  std::int64_t first = 0;
  const auto take = [&](std::int64_t moment) {
    if (moment > 0 && (first == 0 || moment < first)) first = moment;
  };
  for (const TrialSpan& span : study.spans) {
    take(span.began);
    take(span.ended);
  }
  for (const SessionUse& session : study.use) take(session.began);
  return first;
}

std::string data_of(const Gathered& study) {
  const std::int64_t origin = origin_of(study);
  const double tick = tick_of(study, origin);
  TrialPack columns(study);
  std::vector<std::int64_t> rank(study.trials.size());
  for (std::size_t i = 0; i < study.ranking.size(); ++i)
    rank[study.ranking[i]] = static_cast<std::int64_t>(i);
  columns.bytes("state", [](const TrialRow& row) { return static_cast<int>(row.state); });
  columns.bytes("cause", [](const TrialRow& row) { return static_cast<int>(row.cause); });
  columns.bytes("tenth", [&](const TrialRow& row) { return study.best_tenth[row.trial] ? 1 : 0; });
  columns.whole("rank", [&](const TrialRow& row) { return rank[row.trial]; });
  columns.floats("value", [](const TrialRow& row) { return row.value.value_or(kNone); });
  columns.whole("step", [](const TrialRow& row) { return row.step; });
  columns.whole("epochs", [](const TrialRow& row) { return row.epochs; });
  columns.floats("flops", [](const TrialRow& row) { return row.inference_flops; });
  columns.whole("parent", [](const TrialRow& row) {
    return row.parent ? static_cast<std::int64_t>(*row.parent) : std::int64_t{-1};
  });
  pack_metrics(columns, study);
  pack_times(columns, study, origin, tick);
  pack_parameters(columns, study);
  const std::vector<std::string> messages = pack_messages(columns, study);
  const std::string sessions = sessions_json(columns, study, origin);
  std::vector<std::string> front;
  if (study.front)
    for (const std::uint64_t trial : study.front->trials) front.push_back(std::to_string(trial));
  std::string fronts;
  for (const std::string& one : front) fronts += base::cat(fronts.empty() ? "" : ",", one);
  const std::string json = base::cat(
      "{\"name\":", script_text(study.info.name), ",\"metric\":", script_text(study.info.metric),
      ",\"maximize\":", study.info.maximize ? "1" : "0", ",\"unit\":\"", study.unit(),
      "\",\"best\":", study.best ? std::to_string(study.best->trial) : "null",
      ",\"tick\":", script_number(tick), ",\"baseline\":", baseline_json(study),
      ",\"parameters\":", parameters_json(study), ",\"metrics\":", other_metrics_json(study),
      ",\"front\":[", fronts, "],\"lineage\":", lineage_json(study),
      ",\"candidates\":", candidates_json(study), ",\"sessions\":", sessions,
      ",\"messages\":", texts_json(messages), "}");
  std::string out = data_element("page", json) + columns_element("trial", columns.pack());
  if (study.curves.points() > 0) out += curve_elements(study);
  return out;
}

}  // namespace hpo::report
