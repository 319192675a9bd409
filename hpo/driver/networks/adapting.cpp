#include "hpo/driver/networks/adapting.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hpo/driver/networks/asking.h"
#include "hpo/driver/networks/rounds.h"
#include "nn/adapt/grid.h"
#include "nn/error.h"
#include "nn/reshape/reshape.h"
#include "runtime/on.h"
#include "tasks/command.h"

namespace hpo {

namespace {

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<nn::Policy> policy_for(const TrialSpec& spec) {
  if (!spec.adapt) return nullptr;
  return nn::make_policy({.adaptation = *spec.adapt, .spec = spec.model, .epochs = spec.epochs});
}

double highest_rate(const nn::Hyper& hyper) {
  if (hyper.lr.empty()) return nn::real(hyper.optimizer.fields, "lr");
  double rate = 0;
  for (const nn::LrPiece& piece : hyper.lr) rate = std::max({rate, piece.first, piece.last});
  return rate;
}

nn::Candidate candidate_of(const nn::Policy* policy, nn::Operations operations,
                           const tasks::Reshaped& network) {
  const std::uint64_t row = nn::flops_per_row(network.spec).forward;
  return {.operations = std::move(operations),
          .shape = nn::shape_text(network.spec),
          .weights = nn::weight_count(network.spec),
          .inference_flops = row,
          .cost = policy != nullptr ? policy->cost(network.spec) : static_cast<double>(row),
          .flops = network.flops,
          .train_loss = kNotMeasured,
          .loss = kNotMeasured,
          .accuracy = kNotMeasured};
}

/// What a policy answers. One from a plugin may be at fault, and then the trial is.
template <class Ask>
auto asked(const Ask& ask) {
  try {
    return ask();
  } catch (const base::Error& error) {
    throw TrialFailure(Cause::error, base::cat("adapt: ", error.what()));
  }
}

/// Why a network can't go through operations; empty when it can.
std::string no_room(nn::ModelSpec spec, const nn::Operations& operations,
                    std::uint64_t max_weights) {
  try {
    for (const nn::Operation& operation : operations)
      spec = nn::reshaped_within(spec, operation, max_weights);
  } catch (const nn::SpecError& error) {
    return error.what();
  }
  return "";
}

bool measures_its_size(const std::vector<nn::Operations>& candidates) {
  return std::ranges::any_of(candidates, [](const nn::Operations& operations) {
    return std::ranges::any_of(operations, &nn::size_depends_on_data);
  });
}

}  // namespace

AdaptingNetwork::AdaptingNetwork(const TrialPlan& plan, tasks::TrainingSetup setup,
                                 rt::Value<nn::ParamSlab> net)
    : setup_(std::move(setup)),
      adaptation_(plan.spec.adapt.value_or(nn::Adaptation{})),
      cpus_(plan.spec.resources.cpus),
      policy_(policy_for(plan.spec)),
      net_(std::move(net)),
      model_(plan.spec.model),
      row_(plan.network->row) {
  if (!policy_) return;
  grid_ = policy_->grid();
  setup_.score_rows = policy_->rows();
  setup_.by_row = policy_->wants().gains;
  born_ = plan.network->header;
  setup_.hyper.penalty = penalty_of(policy_->penalty().strength);
}

AdaptingNetwork::AdaptingNetwork(const TrialPlan& plan, tasks::TrainingSetup setup,
                                 rt::Value<nn::ParamSlab> net, std::int64_t epochs,
                                 const std::vector<Adapted>& rounds)
    : AdaptingNetwork(plan, std::move(setup), std::move(net)) {
  becomes(net_.get().spec());
  for (const Adapted& round : rounds) told(round_of(round));
  now_ = epochs * grid_;
}

AdaptingNetwork::AdaptingNetwork(const TrialPlan& plan, tasks::TrainingSetup setup,
                                 rt::Value<nn::ParamSlab> net, nn::ModelSpec model,
                                 std::int64_t epochs)
    : AdaptingNetwork(plan, std::move(setup), std::move(net)) {
  becomes(std::move(model));
  now_ = epochs * grid_;
}

void AdaptingNetwork::becomes(nn::ModelSpec model) {
  model_ = std::move(model);
  row_ = nn::flops_per_row(model_);
}

bool AdaptingNetwork::goes_on_anywhere(const TrialSpec& spec) {
  const auto policy = policy_for(spec);
  return !policy || (!policy->wants().losses && !policy->wants().births);
}

void AdaptingNetwork::train(std::int64_t to, TrialContext& trial) {
  const std::int64_t step = policy_ && policy_->wants().losses ? 1 : to - now_;
  while (now_ < to) {
    const nn::Segment segment{now_, now_ + step, grid_};
    const rt::Flops cost = tasks::train_cost(row_, segment, setup_.train_rows, setup_.hyper.batch);
    trial.segment(cost.value);
    const rt::On device = device_now();
    pieces_.push_back(tasks::train(net_, setup_.data, setup_.hyper, segment, cost));
    window_.push_back(pieces_.back());
    now_ += step;
  }
}

rt::Async<void> AdaptingNetwork::advance(std::int64_t epoch, TrialContext& trial) {
  pieces_.clear();
  const std::int64_t end = epoch * grid_;
  while (policy_) {
    // What the log has decides up to where it ends; behind it the policy does.
    const Adapted* logged = logged_round(trial);
    if (trial.in_past()) count_looks(logged ? logged->from + 1 : end, trial);
    if (logged == nullptr && trial.in_past()) break;
    const std::optional<std::int64_t> at =
        logged ? logged->from : asked([&] { return policy_->next(now_); });
    if (!at || *at >= end) break;
    train(*at, trial);
    rt::Async<void> turn = logged ? repeat(*logged, trial) : take_turn(trial);
    co_await std::move(turn);
  }
  train(end, trial);
}

const Adapted* AdaptingNetwork::logged_round(const TrialContext& trial) const {
  const Adapted* next = trial.logged_round();
  return next != nullptr && next->fold == fold_ ? next : nullptr;
}

rt::Flops AdaptingNetwork::scoring() const {
  return tasks::evaluate_cost(row_, static_cast<std::uint64_t>(setup_.score_rows));
}

rt::Flops AdaptingNetwork::looking_at_units() const {
  return {static_cast<double>(nn::unit_statistics_flops(model_, setup_.train_rows))};
}

void AdaptingNetwork::count_looks(std::int64_t until, TrialContext& trial) const {
  const nn::Wants wants = policy_->wants();
  if (!wants.scores && !wants.units) return;
  for (auto at = policy_->next(now_); at && *at < until; at = policy_->next(*at + 1)) {
    if (wants.units) trial.segment(looking_at_units().value);
    if (wants.scores) trial.segment(scoring().value);
  }
}

rt::Async<nn::TrainStats> AdaptingNetwork::stats() const {
  nn::TrainStats all;
  double loss = 0;
  for (const rt::Value<nn::TrainStats>& piece : pieces_) {
    const nn::TrainStats stats = co_await piece;
    loss += stats.loss * static_cast<double>(stats.rows);
    all.rows += stats.rows;
    all.steps += stats.steps;
    all.correct += stats.correct;
    all.diverged = all.diverged || stats.diverged;
  }
  // One piece keeps its own bits.
  const double mean = all.rows > 0 ? loss / static_cast<double>(all.rows) : 0;
  all.loss = pieces_.size() == 1 ? pieces_.front().get().loss : mean;
  co_return all;
}

double AdaptingNetwork::accuracy_of(const nn::Scores& scores) const {
  const bool labels = nn::target_kind(setup_.hyper.loss.kind) == nn::TargetKind::labels;
  return labels ? scores.accuracy : kNotMeasured;
}

rt::Value<nn::Scores> AdaptingNetwork::look(rt::Flops cost) const {
  const rt::On device = device_now();
  return tasks::score(net_, setup_.data, setup_.hyper.loss, setup_.score_rows, cost);
}

rt::Async<nn::Situation> AdaptingNetwork::situation(TrialContext& trial) {
  nn::Situation out{.now = now_, .spec = model_, .losses = {}};
  const nn::Wants wants = policy_->wants();
  losses_.clear();
  if (wants.losses) {
    for (const rt::Value<nn::TrainStats>& piece : window_) {
      const nn::TrainStats stats = co_await piece;
      if (stats.rows > 0) losses_.push_back(stats.loss);
    }
    out.losses = losses_;
  }
  if (wants.norms) {
    const auto asked = [&] {
      const rt::On device = device_now();
      return tasks::unit_norms(net_);
    };
    const rt::Value<std::vector<nn::UnitNorms>> norms = asked();
    norms_ = co_await norms;
    out.norms = norms_;
  }
  if (wants.units) {
    const rt::Flops cost = looking_at_units();
    trial.segment(cost.value);
    const auto asked = [&] {
      const rt::On device = device_now();
      return tasks::unit_statistics(net_, setup_.data, cost);
    };
    const rt::Value<std::vector<nn::UnitStatistics>> statistics = asked();
    units_ = co_await statistics;
    out.units = units_;
  }
  if (wants.scores) {
    const rt::Flops cost = scoring();
    trial.segment(cost.value);
    const rt::Value<nn::Scores> scored = look(cost);
    const nn::Scores scores = co_await scored;
    out.valid_loss = scores.loss;
    out.valid_accuracy = accuracy_of(scores);
  }
  co_return out;
}

rt::Async<void> AdaptingNetwork::take_turn(TrialContext& trial) {
  rt::Async<nn::Situation> looking = situation(trial);
  const nn::Situation now = co_await std::move(looking);
  nn::Turn turn = asked([&] { return policy_->turn(now); });
  if (!turn.ask.empty()) {
    rt::Async<nn::Turn> asking = ask(now, std::move(turn.ask), trial);
    turn = co_await std::move(asking);
  }
  if (turn.candidates.empty() && turn.births.empty()) co_return;
  rt::Async<nn::Round> running =
      turn.race_until ? race(std::move(turn), trial) : apply(std::move(turn), trial);
  const nn::Round round = co_await std::move(running);
  told(round);
  trial.adapted(event_of(round, grid_, fold_));
}

rt::Async<nn::Turn> AdaptingNetwork::ask(nn::Situation now, std::string question,
                                         TrialContext& trial) {
  const base::Program program = program_of(adaptation_, std::move(question), trial.trial(), cpus_);
  const rt::Value<base::ProgramResult> running = tasks::command(program);
  const base::ProgramResult result = co_await running;
  co_return turn_of(program, result, *policy_, now);
}

rt::Async<void> AdaptingNetwork::reshape(nn::Operations operations, std::uint64_t max_weights,
                                         TrialContext& trial) {
  if (const Adapted* logged = logged_round(trial)) {
    rt::Async<void> repeating = repeat(*logged, trial);
    co_await std::move(repeating);
    co_return;
  }
  if (operations.empty()) co_return;
  if (const std::string why = no_room(model_, operations, max_weights); !why.empty()) {
    if (!trial.in_past()) trial.note(base::cat("the network it took over keeps its size: ", why));
    co_return;
  }
  nn::Turn turn{.candidates = {std::move(operations)}, .why = "to explore"};
  rt::Async<nn::Round> running = apply(std::move(turn), trial);
  const nn::Round round = co_await std::move(running);
  told(round);
  trial.adapted(event_of(round, grid_, fold_));
}

rt::Async<nn::Round> AdaptingNetwork::apply(nn::Turn turn, TrialContext& trial) {
  const nn::Operations operations = turn.candidates.front();
  rt::Async<tasks::Reshaped> reshaping = tasks::reshape_all(net_, model_, operations, setup_);
  const tasks::Reshaped network = co_await std::move(reshaping);
  trial.segment(network.flops);
  net_ = network.net;
  becomes(network.spec);
  nn::Candidate candidate = candidate_of(policy_.get(), operations, network);
  candidate.accepted = true;
  candidate.why = turn.why;
  nn::Round round{.from = now_, .until = now_, .candidates = {}};
  round.candidates.push_back(std::move(candidate));
  co_return round;
}

nn::UnitPenalty AdaptingNetwork::penalty_of(double pull) const {
  nn::UnitPenalty penalty = policy_->penalty();
  penalty.strength = pull / highest_rate(setup_.hyper);
  return penalty;
}

void AdaptingNetwork::train_guest(tasks::Guest& guest, const nn::Segment& segment) const {
  if (segment.to <= segment.from) return;
  tasks::Reshaped& network = guest.network;
  const rt::Flops cost = tasks::train_cost(nn::flops_per_row(network.spec), segment,
                                           setup_.train_rows, setup_.hyper.batch);
  const rt::On device(setup_.devices.kind_for(network.spec, guest.hyper));
  (void)tasks::train(network.net, setup_.data, guest.hyper, segment, cost);
  network.flops += cost.value;
}

rt::Value<nn::ParamSlab> AdaptingNetwork::birth_of(const nn::Operations& operations,
                                                   const nn::ModelSpec& spec) const {
  if (!setup_.first) return tasks::init(spec, setup_.hyper.optimizer, setup_.seed, setup_.apart);
  rt::Value<nn::ParamSlab> net = *setup_.first;
  nn::ParamSlab::Header header = born_;
  for (const nn::Operation& operation : operations) {
    const rt::On device(setup_.devices.kind_for(header.spec, setup_.hyper));
    header = nn::reshaped_header(header, nn::reshaped(header.spec, operation));
    net = tasks::reshape(net, setup_.data, operation, header, setup_.seed);
  }
  return net;
}

tasks::Guest AdaptingNetwork::guest(nn::Birth birth, std::int64_t boundary) const {
  const auto at = std::ranges::find(others_, birth, &Other::birth);
  tasks::Guest guest{.operations = std::move(birth.operations),
                     .pull = birth.pull,
                     .hyper = setup_.hyper,
                     .network = {}};
  guest.hyper.penalty = penalty_of(birth.pull);
  guest.network.spec = *nn::spec_after(born_.spec, guest.operations);
  std::int64_t from = 0;
  if (at != others_.end()) {
    guest.network.net = at->net;
    from = at->boundary;
  } else {
    guest.network.net = birth_of(guest.operations, guest.network.spec);
  }
  train_guest(guest, {from, boundary, grid_});
  return guest;
}

void AdaptingNetwork::keep_guest(nn::Birth birth, rt::Value<nn::ParamSlab> net,
                                 std::int64_t boundary) {
  auto at = std::ranges::find(others_, birth, &Other::birth);
  if (at == others_.end()) at = others_.insert(at, {.birth = std::move(birth), .net = {}});
  at->net = std::move(net);
  at->boundary = boundary;
}

rt::Async<nn::Round> AdaptingNetwork::race(nn::Turn turn, TrialContext& trial) {
  const std::int64_t steps =
      nn::steps_per_epoch(static_cast<std::int64_t>(setup_.train_rows), setup_.hyper.batch);
  const nn::Segment segment{now_, nn::with_a_step(now_, *turn.race_until, grid_, steps), grid_};
  const bool known = !measures_its_size(turn.candidates);
  std::vector<tasks::Guest> guests;
  for (const nn::Birth& birth : turn.births) guests.push_back(guest(birth, now_));
  if (known) {
    double cost = tasks::runner_cost(model_, {}, segment, setup_).value;
    for (const nn::Operations& operations : turn.candidates)
      cost += tasks::runner_cost(model_, operations, segment, setup_).value;
    for (const tasks::Guest& one : guests)
      cost += one.network.flops + tasks::runner_cost(one.network.spec, {}, segment, setup_).value;
    trial.segment(cost);
  }
  rt::Async<std::vector<tasks::Runner>> running =
      tasks::race(net_, model_, turn.candidates, std::move(guests), segment, setup_);
  const std::vector<tasks::Runner> runners = co_await std::move(running);
  nn::Round round{.from = segment.from, .until = segment.to, .candidates = {}};
  double cost = 0;
  for (const tasks::Runner& runner : runners) {
    nn::Candidate candidate = candidate_of(policy_.get(), runner.operations, runner.network);
    candidate.pull = runner.pull;
    candidate.train_loss = runner.stats.loss;
    candidate.loss = runner.scores.loss;
    candidate.accuracy = accuracy_of(runner.scores);
    if (setup_.by_row) {
      round.rows = runner.scores.rows;
      candidate.gain = runner.gain.mean;
      candidate.gain_error = runner.gain.error;
    }
    if (runner.pull) keep_guest({runner.operations, *runner.pull}, runner.network.net, segment.to);
    cost += candidate.flops;
    round.candidates.push_back(std::move(candidate));
  }
  if (!known) trial.segment(cost);
  asked([&] { policy_->judge(round); });
  const auto winner = static_cast<std::size_t>(&round.accepted() - round.candidates.data());
  net_ = runners[winner].network.net;
  becomes(runners[winner].network.spec);
  if (runners[winner].pull) setup_.hyper.penalty = penalty_of(*runners[winner].pull);
  pieces_.push_back(rt::value(runners[winner].stats));
  co_return round;
}

rt::Async<void> AdaptingNetwork::repeat(Adapted logged, TrialContext& trial) {
  const nn::Round round = round_of(logged);
  const nn::Segment segment{round.from, round.until, grid_};
  // Those that lost are there for a later race; nothing of them is computed before it.
  tasks::Reshaped accepted;
  double flops = 0;
  for (const nn::Candidate& candidate : round.candidates) {
    flops += candidate.flops;
    if (!candidate.pull) continue;
    const nn::Birth birth{candidate.operations, *candidate.pull};
    tasks::Guest one = guest(birth, round.from);
    if (candidate.accepted) accepted = one.network;
    train_guest(one, segment);
    keep_guest(birth, one.network.net, round.until);
  }
  if (round.accepted().pull) {
    setup_.hyper.penalty = penalty_of(*round.accepted().pull);
  } else {
    rt::Async<tasks::Reshaped> reshaping =
        tasks::reshape_all(net_, model_, round.accepted().operations, setup_);
    accepted = co_await std::move(reshaping);
  }
  net_ = accepted.net;
  becomes(accepted.spec);
  trial.segment(flops);
  if (round.until > round.from) {
    const rt::On device = device_now();
    pieces_.push_back(
        tasks::train(net_, setup_.data, setup_.hyper, segment,
                     tasks::train_cost(row_, segment, setup_.train_rows, setup_.hyper.batch)));
  }
  told(round);
  trial.adapted(std::move(logged));
}

void AdaptingNetwork::told(const nn::Round& round) {
  if (policy_) asked([&] { policy_->told(round); });
  now_ = round.until;
  window_.clear();
}

}  // namespace hpo
