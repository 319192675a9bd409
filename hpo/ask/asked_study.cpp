#include "hpo/ask/asked_study.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hpo/ask/own_point.h"
#include "hpo/ask/refusal.h"
#include "hpo/driver/warm_start.h"
#include "hpo/log/metrics.h"
#include "hpo/log/study_lock.h"
#include "hpo/log/study_reader.h"
#include "hpo/search/diverged.h"

namespace hpo {

AskedStudy::AskedStudy(const StudySpec& study, EventLog& log, const std::vector<Changed>& changes)
    : study_(study),
      log_(log),
      first_points_(study_, log),
      rules_(study_),
      machine_({.study = study_,
                .trials = &log.trials(),
                .known = known_of(log),
                .around =
                    [this](std::unique_ptr<Sampler> sampler) {
                      auto beside = std::make_unique<SamplerThread>(std::move(sampler));
                      sampler_ = beside.get();
                      return beside;
                    }}),
      started_(base::now()) {
  log_.replay([this](const Event& event) {
    machine_.replay(event);
    now_ = event.vtime;
    if (event.trial) remember(event);
  });
  if (const auto text = log_.noted("active_seconds"))
    seconds_before_ = base::parse_double(*text).value_or(0);
  const Holder self = Holder::self();
  emit({}, Opened{.host = self.host, .pid = self.pid, .build = TRELLIS_VERSION, .workers = 0});
  for (const Changed& change : changes) emit({}, change);
  log_.note(kAskedFact, "1");
  if (study_.limits.trials) log_.note("trial_limit", std::to_string(*study_.limits.trials));
  end_late_trials();
  finish_if_over();
  commit();
}

void AskedStudy::remember(const Event& event) {
  const std::uint64_t trial = *event.trial;
  if (const auto* created = std::get_if<Created>(&event.body)) {
    const base::Duration age = std::chrono::seconds(static_cast<std::int64_t>(event.age));
    open_[trial] = {.ticket = created->ticket,
                    .since = started_ + -age,
                    .heard = started_,
                    .began = event.real.at};
    if (!created->ticket.empty()) tickets_[created->ticket] = trial;
  } else if (const auto* report = std::get_if<Reported>(&event.body)) {
    Open& open = open_.at(trial);
    open.step = report->step;
    open.reported = true;
    for (const auto& [name, value] : report->metrics) open.known[name] = value;
  } else if (std::holds_alternative<Ended>(event.body)) {
    Open& open = open_.at(trial);
    tickets_.erase(open.ticket);
    last_told_[trial] = std::move(open.known);
    open_.erase(trial);
  }
}

std::optional<Created> AskedStudy::next() {
  const auto next = machine_.next(machine_.running() + 1);
  if (!next) return std::nullopt;
  if (const auto* created = std::get_if<Created>(&next->event)) return *created;
  emit(next->trial, next->event);
  return std::nullopt;
}

std::optional<Created> AskedStudy::next(const Params& own) {
  if (own.empty() || machine_.over()) return next();
  const Params point = own_point(own, study_.space);
  const std::uint64_t trial = machine_.created();
  first_points_.put_next(trial, point);
  std::optional<Created> created = next();
  const bool has_it = created && std::ranges::all_of(point, [&](const auto& entry) {
                        const ParamValue* value = created->params.find(entry.first);
                        return value != nullptr && *value == entry.second;
                      });
  if (!has_it) {
    first_points_.take_back(trial);
    throw refusal("params: forbid excludes every point with these values");
  }
  first_points_.note_next(trial);
  return created;
}

std::optional<std::string> AskedStudy::enqueue(const Params& own, const std::string& ticket) {
  const Params point = own_point(own, study_.space);
  if (const auto end = machine_.over()) return end->message;
  first_points_.append(machine_.created(), point, ticket);
  enqueued_ = true;
  return std::nullopt;
}

bool AskedStudy::waits(const std::string& ticket) const {
  return !tickets_.contains(ticket) && !machine_.over() && !sampler_->ready(machine_.created());
}

void AskedStudy::prepare(bool waiting) {
  if (!waiting) sampler_->await_none();
  if (!std::exchange(news_, false) && !waiting) return;
  if (machine_.over()) return;
  waiting ? sampler_->await(machine_.created()) : sampler_->prepare(machine_.created());
}

Handout AskedStudy::ask(const std::string& ticket, const Params& own) {
  if (const auto known = tickets_.find(ticket); known != tickets_.end())
    return {.trial = known->second, .params = log_.trials().row(known->second).params, .over = ""};
  std::optional<Created> created = next(own);
  if (!created) {
    finish_if_over();
    return {.trial = {}, .params = {}, .over = machine_.over()->message};
  }
  const std::uint64_t trial = machine_.created();
  created->ticket = ticket;
  const base::Moment now = base::now();
  open_[trial] = {.ticket = ticket, .since = now, .heard = now, .began = base::wall_micros()};
  if (!ticket.empty()) tickets_[ticket] = trial;
  emit(trial, *created);
  return {.trial = trial, .params = std::move(created->params), .over = ""};
}

const TrialRow& AskedStudy::row(std::uint64_t trial) const {
  if (trial >= log_.trials().rows().size())
    throw refusal(base::cat("trial ", trial, " was never asked for; ", log_.trials().rows().size(),
                            " trials were"));
  return log_.trials().row(trial);
}

Decision AskedStudy::report(std::uint64_t trial, const Told& told) {
  const TrialRow& now = row(trial);
  const std::optional<double> value = rules_.value_of(told);
  if (!value) throw refusal(base::cat("a report without a value of ", study_.metric.name));
  const auto open = open_.find(trial);
  if (open == open_.end()) {
    if (now.state != TrialState::complete && now.cause != Cause::error) return Decision::stop;
    throw refusal(base::cat("trial ", trial, " was told already: ", name_of(now.state)));
  }
  const std::int64_t step = told.step.value_or(open->second.step + 1);
  if (step < 0) throw refusal(base::cat("step is ", step, ", expected at least 0"));
  if (open->second.reported && step == open->second.step &&
      rules_.repeats(open->second.known, told))
    return Decision::go;
  if (open->second.reported && step <= open->second.step)
    throw refusal(base::cat("trial ", trial, " reports step ", step, ", but already reported step ",
                            open->second.step, "; report a later one"));
  rules_.require_what_the_rule_sees(open->second.known, told);
  return take_report(trial, step, *value, told);
}

Decision AskedStudy::take_report(std::uint64_t trial, std::int64_t step, double value,
                                 const Told& told, bool last) {
  const std::string why = reason_diverged(study_, value, told.metrics, step);
  if (!why.empty()) {
    end(trial, {TrialState::failed, Cause::diverged, why});
    return Decision::stop;
  }
  Open& open = open_.at(trial);
  Reported report{.step = step, .epochs = step, .value = value, .metrics = told.metrics};
  put_metric(report.metrics, study_.metric.name, value);
  Latest latest(report.metrics.begin(), report.metrics.end());
  for (const auto& metric : open.known) {
    if (latest.insert(metric).second && (last || rules_.decides(metric.first)))
      report.metrics.push_back(metric);
  }
  open.known = std::move(latest);
  report.over = last;
  report.unseen = last && !told.step;
  report.decision = machine_.answer(trial, report);
  open.step = step;
  open.reported = true;
  const Real real = this->real(open);
  ++now_;
  emit(trial, report, real);
  if (report.decision == Decision::stop) end(trial, {TrialState::stopped, Cause::none, ""});
  return report.decision;
}

bool AskedStudy::says_the_same(std::uint64_t trial, const Told& told) const {
  const TrialRow& now = row(trial);
  const std::optional<double> value = rules_.value_of(told);
  if (told.state == TrialState::failed) return now.state == TrialState::failed;
  if (now.state == TrialState::failed) return value && !std::isfinite(*value);
  return now.state == told.state && rules_.repeats(last_told_.at(trial), told);
}

Standing AskedStudy::tell(std::uint64_t trial, const Told& told) {
  const TrialRow& now = row(trial);
  const auto open = open_.find(trial);
  if (open == open_.end()) {
    const bool settled = now.state == TrialState::stopped || now.cause == Cause::timeout ||
                         now.cause == Cause::diverged;
    if (!settled && !says_the_same(trial, told))
      throw refusal(
          base::cat("trial ", trial, " was told already: ", name_of(now.state),
                    now.value ? base::cat(", ", study_.metric.name, " = ", *now.value) : ""));
    return {.state = now.state, .value = now.value};
  }
  if (told.state == TrialState::failed) {
    end(trial, {TrialState::failed, Cause::error, told.message});
    return {.state = TrialState::failed, .value = now.value};
  }
  const std::optional<double> value = rules_.value_of(told);
  if (!value && !now.value)
    throw refusal(base::cat("trial ", trial, " has no value of ", study_.metric.name,
                            " yet; tell a value, or that it failed"));
  const std::int64_t step = told.step.value_or(open->second.reported ? open->second.step : 1);
  if (step < 0) throw refusal(base::cat("step is ", step, ", expected at least 0"));
  if (step < open->second.step)
    throw refusal(base::cat("trial ", trial, " ends at step ", step, ", but was at ",
                            open->second.step, " already"));
  if (told.state == TrialState::complete) rules_.require_deciding(trial, open->second.known, told);
  const bool told_before = open->second.reported && step == open->second.step &&
                           rules_.repeats(open->second.known, told);
  const bool says_value = value && !told_before;
  if (says_value && take_report(trial, step, *value, told, true) == Decision::stop) {
    const TrialRow& after = row(trial);
    return {.state = after.state, .value = after.value};
  }
  end(trial, {told.state, Cause::none, ""}, says_value && !told.step);
  return {.state = told.state, .value = row(trial).value};
}

void AskedStudy::end(std::uint64_t trial, const Ended& how, bool at_once) {
  Open& open = open_.at(trial);
  const Real real = this->real(open);
  tickets_.erase(open.ticket);
  last_told_[trial] = std::move(open.known);
  open_.erase(trial);
  if (!at_once) ++now_;
  ended_ = news_ = true;
  emit(trial, how, real);
  finish_if_over();
}

void AskedStudy::end_late_trials() {
  if (!study_.limits.trial_time) return;
  std::vector<std::uint64_t> late;
  for (const auto& [trial, open] : open_) {
    if (base::seconds_since(open.since) >= *study_.limits.trial_time) late.push_back(trial);
  }
  for (const std::uint64_t trial : late)
    end(trial, {TrialState::failed, Cause::timeout,
                base::cat("limits.trial_time of ", base::format_seconds(*study_.limits.trial_time),
                          " is over")});
}

std::optional<double> AskedStudy::next_late() const {
  if (!study_.limits.trial_time || open_.empty()) return std::nullopt;
  double longest = 0;
  for (const auto& [trial, open] : open_)
    longest = std::max(longest, base::seconds_since(open.since));
  return std::max(0.0, *study_.limits.trial_time - longest);
}

void AskedStudy::finish_if_over() {
  while (const auto next = machine_.next(machine_.running())) emit(next->trial, next->event);
}

Real AskedStudy::real(Open& open) {
  return {.took = base::seconds(base::now() - std::exchange(open.heard, base::now())),
          .at = base::wall_micros(),
          .began = open.began};
}

void AskedStudy::emit(std::optional<std::uint64_t> trial, EventBody event, const Real& real) {
  machine_.apply(trial, event);
  log_.append({.vtime = now_, .trial = trial, .body = std::move(event), .real = real});
}

void AskedStudy::commit() {
  if (!pending()) return;
  log_.note("active_seconds", base::format_double(seconds_before_ + base::seconds_since(started_)));
  const bool told = std::exchange(ended_, false), brought = std::exchange(enqueued_, false);
  const bool durable = told || brought || machine_.finished();
  (void)log_.commit(durable ? base::Durability::durable : base::Durability::cached);
}

}  // namespace hpo
