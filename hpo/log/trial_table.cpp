#include "hpo/log/trial_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace hpo {

std::int64_t& TrialCounts::of(TrialState state) {
  switch (state) {
    case TrialState::waiting:
      return waiting;
    case TrialState::running:
      return running;
    case TrialState::complete:
      return complete;
    case TrialState::stopped:
      return stopped;
    case TrialState::failed:
      break;
  }
  return failed;
}

namespace {

base::Error misplaced(const Event& event, std::string_view what) {
  return {base::Errc::storage, base::cat("event \"", kind_of(event.body), "\" names trial ",
                                         event.trial ? std::to_string(*event.trial) : "none",
                                         ", which ", what, " then")};
}

}  // namespace

TrialTable::TrialTable(Objective objective)
    : objective_(std::move(objective)),
      best_{can_be_best, is_better_trial},
      leader_{can_lead, leads} {}

void TrialTable::follow(First& first, const std::optional<TrialRow>& before,
                        const TrialRow& changed) const {
  const auto take = [&](const TrialRow& row) {
    if (!first.counts(row)) return;
    const TrialRow* leading = row_of(first);
    if (leading == nullptr || first.ahead(row, *leading, objective_) ||
        (row.trial < leading->trial && !first.ahead(*leading, row, objective_)))
      first.trial = row.trial;
  };
  if (first.trial != changed.trial) return take(changed);
  const bool fell = !before || !first.counts(changed) || first.ahead(*before, changed, objective_);
  if (!fell) return;
  first.trial.reset();
  for (const TrialRow& row : rows_) take(row);
}

TrialRow& TrialTable::live(const Event& event) {
  if (!event.trial || *event.trial >= rows_.size() || has_ended(rows_[*event.trial].state))
    throw misplaced(event, "is not running");
  TrialRow& row = rows_[*event.trial];
  row.seconds += event.real.took;
  if (event.real.memory > 0) row.memory = std::max(row.memory.value_or(0), event.real.memory);
  return row;
}

void TrialTable::reopen(const Event& event) {
  if (!event.trial || *event.trial >= rows_.size() ||
      rows_[*event.trial].state != TrialState::failed)
    throw misplaced(event, "has not failed");
  TrialRow& row = rows_[*event.trial];
  row.cause = Cause::none;
  row.message.clear();
  row.attempts = std::get<Reopened>(event.body).attempts + 1;
  move(row, TrialState::waiting);
}

void TrialTable::move(TrialRow& row, TrialState state) {
  --counts_.of(row.state);
  row.state = state;
  ++counts_.of(state);
}

void TrialTable::take(TrialRow& row, const Reported& report) {
  row.step = report.step;
  row.epochs = report.epochs;
  row.train_flops = report.flops;
  if (!report.shape.empty()) {
    row.inference_flops = report.inference_flops;
    reports_[row.trial].push_back(report);
  }
  if (report.decision == Decision::pause) {
    move(row, TrialState::waiting);
    lengthen_streak(row.trial);
  }
  const bool improves = !row.value || is_better(objective_.score(report.value, report.metrics),
                                                objective_.score(row));
  if (objective_.take_best && !improves) return;
  row.value = report.value;
  row.metrics = report.metrics;
  Stage& stage = lineages_[row.trial].back();
  stage.network = {report.epochs, report.checkpoint};
  stage.value = report.value;
}

void TrialTable::take(TrialRow& row, const Replaced& replaced) {
  if (replaced.source >= rows_.size() || replaced.source == row.trial)
    throw base::Error(base::Errc::storage,
                      base::cat("trial ", row.trial, " continues trial ", replaced.source,
                                ", which is not another trial"));
  row.params = replaced.params;
  row.parent = replaced.source;
  row.inference_flops = rows_[replaced.source].inference_flops;
  Lineage lineage = lineages_[replaced.source];
  lineage.push_back({.trial = row.trial,
                     .params = replaced.params,
                     .from = replaced.step,
                     .operations = replaced.operations,
                     .before = row.value});
  lineages_[row.trial] = std::move(lineage);
}

void TrialTable::take_end(const TrialRow& row) {
  if (row.state == TrialState::failed) return;
  const bool counts = row.state == TrialState::complete && can_be_best(row);
  if (counts && (!record() || is_better(objective_.score(row), objective_.score(*record()))))
    streak_ = {.record = row.trial};
  else
    lengthen_streak(row.trial);
}

void TrialTable::lengthen_streak(std::uint64_t trial) {
  if (counted_[trial]) return;
  counted_[trial] = true;
  ++streak_.trials;
  if (streak_.trials > longest_.trials) longest_ = streak_;
}

void TrialTable::apply(const Event& event) {
  std::optional<TrialRow> before;
  if (event.trial && (event.trial == best_.trial || event.trial == leader_.trial))
    before = rows_[*event.trial];
  change(event);
  if (const auto* end = std::get_if<Finished>(&event.body))
    cut_off_ = end->why == Finish::time;
  else if (goes_on(event))
    cut_off_ = false;
  if (!event.trial || *event.trial >= rows_.size()) return;
  follow(best_, before, rows_[*event.trial]);
  follow(leader_, before, rows_[*event.trial]);
}

void TrialTable::change(const Event& event) {
  if (const auto* created = std::get_if<Created>(&event.body)) {
    if (event.trial != rows_.size())
      throw base::Error(base::Errc::storage, "a trial's number is out of order");
    TrialRow row;
    row.trial = *event.trial;
    row.state = TrialState::running;
    row.params = created->params;
    row.parent = created->parent;
    row.inference_flops = created->inference_flops;
    ++counts_.running;
    rows_.push_back(std::move(row));
    lineages_.push_back({{.trial = *event.trial, .params = created->params}});
    rounds_.emplace_back();
    reports_.emplace_back();
    counted_.push_back(false);
  } else if (const auto* report = std::get_if<Reported>(&event.body)) {
    take(live(event), *report);
  } else if (const auto* adapted = std::get_if<Adapted>(&event.body)) {
    live(event).inference_flops = adapted->accepted().inference_flops;
    rounds_[*event.trial].push_back(*adapted);
    lineages_[*event.trial].back().rounds.push_back(*adapted);
  } else if (const auto* replaced = std::get_if<Replaced>(&event.body)) {
    take(live(event), *replaced);
  } else if (std::get_if<Resumed>(&event.body)) {
    move(live(event), TrialState::running);
  } else if (std::get_if<Retried>(&event.body)) {
    ++live(event).attempts;
  } else if (std::get_if<Reopened>(&event.body)) {
    reopen(event);
  } else if (const auto* end = std::get_if<Ended>(&event.body)) {
    TrialRow& row = live(event);
    row.cause = end->cause;
    row.message = end->message;
    move(row, end->state);
    take_end(row);
  } else if (const auto* exported = std::get_if<Exported>(&event.body)) {
    if (!event.trial || *event.trial >= rows_.size())
      throw base::Error(base::Errc::storage, "a network without a trial");
    Metrics& metrics = rows_[*event.trial].metrics;
    for (const auto& metric : exported->metrics) {
      std::erase_if(metrics, [&](const auto& old) { return old.first == metric.first; });
      metrics.push_back(metric);
    }
  }
}

}  // namespace hpo
