#include "hpo/driver/planning/forecast.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "nn/adapt/grid.h"
#include "tasks/device_rule.h"
#include "tasks/work.h"

namespace hpo {

namespace {

double training_flops(const nn::ModelSpec& model) {
  return static_cast<double>(nn::flops_per_row(model).training);
}

/// Every layer shrunk to one unit, as far as the network allows.
nn::Operations smallest(const nn::ModelSpec& model) {
  nn::Operations all;
  nn::ModelSpec shape = model;
  for (const std::string& layer : nn::resizable_layers(model)) {
    const nn::Operation one{"shrink", layer, {{"to", std::int64_t{1}}}};
    if (auto shrunk = nn::spec_after(shape, {one})) {
      shape = std::move(*shrunk);
      all.push_back(one);
    }
  }
  return all;
}

}  // namespace

Forecast::Forecast(TrialSpec spec, const StudyData& data, const base::Key& past)
    : spec_(std::move(spec)),
      train_rows_(data.train_rows),
      valid_rows_(data.valid_rows),
      shape_(nn::feed_shape(data.value.get().header())),
      past_(rt::key_of(std::tuple(past, spec_.model, spec_.hyper.optimizer.kind,
                                  nn::optimizer_slots(spec_.hyper.optimizer)))) {
  hold(nn::weight_count(spec_.model));
  brought_ = static_cast<double>(memory_);  // it is born in main memory
  if (!spec_.adapt) return;
  policy_ =
      nn::make_policy({.adaptation = *spec_.adapt, .spec = spec_.model, .epochs = spec_.epochs});
  grid_ = policy_->grid();
}

std::vector<Work> Forecast::advance(std::int64_t epoch) {
  std::vector<Work> out;
  const std::int64_t end = epoch * grid_;
  while (policy_) {
    const std::optional<std::int64_t> at = policy_->next(now_);
    if (!at || *at >= end) break;
    train(*at, out);
    take_turn(out);
  }
  train(end, out);
  out.push_back({.key = rt::key_of(std::tuple(past_, std::string("scores"))),
                 .flops = tasks::evaluate_cost(spec_.model, valid_rows_).value,
                 .step_flops = tasks::step_flops(spec_.model, spec_.hyper),
                 .counted = tasks::scoring_work(spec_.model, valid_rows_, shape_),
                 .slab = slab_bytes()});
  return out;
}

void Forecast::train(std::int64_t to, std::vector<Work>& out) {
  if (to <= now_) return;
  const nn::Segment segment{now_, to, grid_};
  past_ = rt::key_of(std::tuple(past_, nn::hyper_on(spec_.hyper, segment), nn::reduced(segment)));
  const auto rows = static_cast<std::int64_t>(train_rows_);
  out.push_back(
      {.key = past_,
       .flops = tasks::train_cost(spec_.model, segment, train_rows_, spec_.hyper.batch).value,
       .steps = nn::steps_in(segment, rows, spec_.hyper.batch),
       .epochs = nn::epochs_in(segment),
       .step_flops = tasks::step_flops(spec_.model, spec_.hyper),
       .counted = tasks::training_work(spec_.model, spec_.hyper, segment, train_rows_, shape_),
       .brought = std::exchange(brought_, 0),
       .slab = slab_bytes(),
       .goes_on = true});
  now_ = to;
}

std::uint64_t Forecast::slab_bytes() const {
  return nn::ParamSlab::byte_size(nn::slab_header(spec_.model, spec_.hyper.optimizer));
}

void Forecast::take_turn(std::vector<Work>& out) {
  if (policy_->wants().any()) {
    const auto options = policy_->options(spec_.model);
    return guess(options ? *options : std::vector<nn::Operations>{smallest(spec_.model)}, now_ + 1);
  }
  const nn::Turn turn = policy_->turn({.now = now_, .spec = spec_.model});
  if (turn.candidates.empty()) return;
  if (!turn.race_until) return apply(turn.candidates.front(), out);
  const auto rows = static_cast<std::int64_t>(train_rows_);
  const std::int64_t steps = nn::steps_per_epoch(rows, spec_.hyper.batch);
  const std::int64_t until = nn::with_a_step(now_, *turn.race_until, grid_, steps);
  if (exact_) race(turn.candidates, until, out);
  guess(turn.candidates, until);
}

void Forecast::apply(const nn::Operations& operations, std::vector<Work>& out) {
  past_ = rt::key_of(std::tuple(past_, operations));
  Work work{.key = past_};
  for (const nn::Operation& operation : operations) {
    work.flops += static_cast<double>(nn::reshape_flops(spec_.model, operation, train_rows_));
    spec_.model = nn::reshaped(spec_.model, operation);
    hold(nn::weight_count(spec_.model));
  }
  work.slab = slab_bytes();
  work.goes_on = true;
  out.push_back(work);
  policy_->told(
      {.from = now_, .until = now_, .candidates = {{.operations = operations, .accepted = true}}});
  if (std::ranges::any_of(operations, &nn::size_depends_on_data)) {
    exact_ = false;
    spec_.model = *nn::spec_after(spec_.model, smallest(spec_.model));
  }
}

/// The candidates of a race from a shape that is known. The one that the trial goes on with is left
/// out: it is trained on the way.
void Forecast::race(const std::vector<nn::Operations>& candidates, std::int64_t until,
                    std::vector<Work>& out) {
  const nn::Segment segment{now_, until, grid_};
  const auto rows = static_cast<std::int64_t>(train_rows_);
  std::vector<nn::Operations> runners{{}};
  runners.insert(runners.end(), candidates.begin(), candidates.end());
  std::uint64_t weights = 0;
  double cheapest = 0;
  for (const nn::Operations& operations : runners) {
    const nn::ModelSpec shape = nn::spec_after(spec_.model, operations).value_or(spec_.model);
    weights += nn::weight_count(shape);
    const double training = tasks::train_cost(shape, segment, train_rows_, spec_.hyper.batch).value;
    cheapest = cheapest == 0 ? training : std::min(cheapest, training);
    out.push_back(
        {.key = rt::key_of(std::tuple(past_, operations, nn::hyper_on(spec_.hyper, segment),
                                      nn::reduced(segment))),
         .flops = tasks::runner_cost(spec_.model, operations, segment, setup()).value,
         .steps = nn::steps_in(segment, rows, spec_.hyper.batch)});
  }
  out.back().flops -= cheapest;
  out.back().steps = 0;
  hold(weights);
}

/// Goes on with the cheapest of what a turn may come to.
void Forecast::guess(const std::vector<nn::Operations>& operations, std::int64_t until) {
  nn::Operations best;
  nn::ModelSpec shape = spec_.model;
  for (const nn::Operations& some : operations) {
    const auto other = nn::spec_after(spec_.model, some);
    if (!other || training_flops(*other) >= training_flops(shape)) continue;
    best = some;
    shape = *other;
  }
  if (std::exchange(exact_, false)) past_ = rt::key_of(std::tuple(past_, *spec_.adapt));
  policy_->told(
      {.from = now_, .until = until, .candidates = {{.operations = best, .accepted = true}}});
  spec_.model = std::move(shape);
}

tasks::TrainingSetup Forecast::setup() const {
  return {.hyper = spec_.hyper, .train_rows = train_rows_, .score_rows = policy_->rows()};
}

void Forecast::hold(std::uint64_t weights) {
  const auto copies = 1 + static_cast<std::uint64_t>(nn::optimizer_slots(spec_.hyper.optimizer));
  memory_ = std::max(memory_, weights * sizeof(float) * copies);
}

}  // namespace hpo
