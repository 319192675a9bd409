#include "hpo/export/tensorboard.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "hpo/export/courses.h"
#include "hpo/export/event_file.h"

namespace hpo {

namespace {

/// DataType of api.proto.
enum class Kind : std::uint8_t { text = 1, boolean = 2, number = 3 };

constexpr int kExperimentField = 2, kStartField = 3, kEndField = 4;  // HParamsPluginData
constexpr int kSuccess = 1, kFailure = 2;                            // Status

/// Returns text that a reader of protocol buffers takes.
std::string utf8(std::string_view text) { return base::as_utf8(std::string(text)); }

Kind kind_of(const Domain& domain) {
  if (const auto* constant = std::get_if<Constant>(&domain))
    return kind_of(Choice{.values = {constant->value}});
  const auto* choice = std::get_if<Choice>(&domain);
  if (choice == nullptr) return Kind::number;
  const auto are_all = [&](auto&& holds) { return std::ranges::all_of(choice->values, holds); };
  if (are_all([](const ParamValue& value) { return number_of(value).has_value(); }))
    return Kind::number;
  if (are_all([](const ParamValue& value) { return std::holds_alternative<bool>(value); }))
    return Kind::boolean;
  return Kind::text;
}

/// google.protobuf.Value.
base::ProtoMessage value_message(const ParamValue& value, Kind kind) {
  base::ProtoMessage out;
  switch (kind) {
    case Kind::number:
      return out.real(2, number_of(value).value());
    case Kind::boolean:
      return out.number(4, std::get<bool>(value) ? 1 : 0);
    case Kind::text:
      break;
  }
  return out.bytes(3, utf8(plain_text_of(value)));
}

base::ProtoMessage interval(double min, double max) {
  return base::ProtoMessage().real(1, min).real(2, max);
}

base::ProtoMessage hparam_info(const Parameter& parameter) {
  const Kind kind = kind_of(parameter.domain);
  base::ProtoMessage info;
  info.bytes(1, utf8(parameter.name)).number(4, static_cast<int>(kind));
  if (const auto* floats = std::get_if<FloatRange>(&parameter.domain))
    return info.message(6, interval(floats->min, floats->max));
  if (const auto* ints = std::get_if<IntRange>(&parameter.domain))
    return info.message(6,
                        interval(static_cast<double>(ints->min), static_cast<double>(ints->max)));
  base::ProtoMessage values;
  for (std::uint64_t i = 0; i < cardinality(parameter.domain).value_or(0); ++i)
    values.message(1, value_message(nth_value(parameter.domain, i), kind));
  return info.message(5, values);
}

base::ProtoMessage plugin_data(int field, const base::ProtoMessage& data) {
  return base::ProtoMessage().message(field, data);
}

/// The study's metrics, its own first, then by name.
std::vector<std::string> metric_names(const StudyReader& study, std::span<const TrialRow> trials) {
  std::vector<std::string> names{study.info().metric};
  for (const OtherMetric& other : study.objective().others) names.push_back(other.name);
  std::set<std::string> rest;
  for (const TrialRow& trial : trials)
    for (const auto& [name, value] : trial.metrics) rest.insert(name);
  for (const std::string& name : rest)
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

base::ProtoMessage experiment(const StudyReader& study, const Space& space,
                              std::span<const TrialRow> trials, std::int64_t created) {
  const StudyInfo info = study.info();
  base::ProtoMessage out;
  out.bytes(6, utf8(info.name)).real(3, event_seconds(created));
  out.bytes(1, utf8(base::cat(info.maximize ? "maximize " : "minimize ", info.metric)));
  for (const Parameter& parameter : space.parameters()) out.message(4, hparam_info(parameter));
  std::vector<std::string> names = metric_names(study, trials);
  names.insert(names.begin(), kValueTag);
  for (const std::string& name : names)
    out.message(5, base::ProtoMessage().message(1, base::ProtoMessage().bytes(2, utf8(name))));
  return out;
}

base::ProtoMessage session_start(const TrialRow& trial, const Space& space, const Course& course) {
  base::ProtoMessage out;
  for (const auto& [name, value] : trial.params) {
    const Parameter* parameter = space.find(name);
    const Kind kind = parameter != nullptr ? kind_of(parameter->domain) : Kind::text;
    out.message(1,
                base::ProtoMessage().bytes(1, utf8(name)).message(2, value_message(value, kind)));
  }
  return out.real(5, event_seconds(course.began));
}

base::ProtoMessage session_end(const TrialRow& trial, const Course& course) {
  const int status = trial.state == TrialState::failed ? kFailure : kSuccess;
  return base::ProtoMessage().number(1, status).real(2, event_seconds(course.ended));
}

/// A study that goes on only adds to it, so that files grow at their ends.
EventFile trial_file(const TrialRow& trial, const Space& space, const Course& course) {
  EventFile file(course.began);
  file.hparams(course.began, "_hparams_/session_start_info",
               plugin_data(kStartField, session_start(trial, space, course)));
  for (const CoursePoint& point : reported_points(course))
    file.scalar(point.at, point.step, utf8(point.name), point.value);
  if (!has_ended(trial.state) || course.ended == 0) return file;
  if (trial.value) file.scalar(course.ended, trial.step, kValueTag, *trial.value);
  file.hparams(course.ended, "_hparams_/session_end_info",
               plugin_data(kEndField, session_end(trial, course)));
  for (const CoursePoint& point : points_after_end(trial, course))
    file.scalar(point.at, point.step, utf8(point.name), point.value);
  return file;
}

/// Refuses a folder that TensorBoard would show together with something else.
void require_own(const base::Path& folder, const std::string& name) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.find("tfevents") == std::string::npos || file == name) continue;
    throw base::Error(base::Errc::usage,
                      base::cat("--output: ", base::printable(folder.string()),
                                " holds event files of something else (", base::printable(file),
                                "): name an empty or a new folder"));
  }
}

}  // namespace

void write_tensorboard(const StudyReader& study, const Space& space,
                       std::span<const TrialRow> trials, const base::Path& folder) {
  const std::vector<Course> courses = courses_of(study);
  const std::int64_t created = base::wall_seconds(study.info().created).value_or(0) * 1'000'000;
  const std::string name = base::cat("events.out.tfevents.", created / 1'000'000, ".trellis");
  const auto folder_of = [&](const TrialRow& trial) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "%04llu", static_cast<unsigned long long>(trial.trial));
    return folder / text.data();
  };
  require_own(folder, name);
  for (const TrialRow& trial : trials) require_own(folder_of(trial), name);

  base::make_folder(folder);
  EventFile whole(created);
  whole.hparams(created, "_hparams_/experiment",
                plugin_data(kExperimentField, experiment(study, space, trials, created)));
  whole.write(folder / name);
  for (const TrialRow& trial : trials) {
    if (trial.trial >= courses.size()) continue;
    base::make_folder(folder_of(trial));
    trial_file(trial, space, courses[trial.trial]).write(folder_of(trial) / name);
  }
}

}  // namespace hpo
