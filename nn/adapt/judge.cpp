#include "nn/adapt/judge.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nn/model/layout.h"

namespace nn {
namespace {

constexpr double kBytesPerSecond = 20e9, kFlopsPerSecond = 50e9, kSecondsPerLayer = 1e-6;

std::string number(double value) { return to_text(std::round(value * 1e6) / 1e6); }

bool is_smaller(const Candidate& candidate, const Candidate& kept) {
  return candidate.weights < kept.weights;
}

}  // namespace

std::vector<FieldInfo> judge_fields() {
  return {
      {.name = "rows",
       .type = FieldType::integer,
       .min = 1,
       .max = 1e9,
       .value = std::int64_t{4096},
       .doc = "Number of validation rows on which candidates are compared, from the first row on."},
      {.name = "compare",
       .type = FieldType::word,
       .choices = {"valid", "train"},
       .value = "valid",
       .doc = "Loss that decides a race. `valid`: the loss on the validation rows after the race. "
              "`train`: the mean training loss of the race, on batches that all share. `train` is "
              "far less noisy, but does not detect overfitting."},
      {.name = "grow_below",
       .min = 0,
       .max = 1,
       .value = 0.95,
       .doc = "Share of the kept network's loss below which a larger network wins. Its loss must "
              "also be lower by more than `shrink_within`."},
      {.name = "shrink_within",
       .min = 0,
       .value = 1e-3,
       .doc = "Largest increase of the loss with which a smaller network still wins. It is "
              "measured from the kept network, or from the larger network that would win."},
      {.name = "cost",
       .type = FieldType::word,
       .choices = {"flops", "training", "weights", "latency"},
       .value = "flops",
       .doc = "Cost of a size. `flops`: FLOPs of one row. `training`: their mean over all epochs, "
              "past epochs included, so that a late change counts little. `weights`: number of "
              "weights. `latency`: modeled time of one row."},
      {.name = "price",
       .min = 0,
       .value = 0.0,
       .doc = "Price of the cost. Above 0, the lowest loss + price * log(cost) wins, and "
              "`grow_below` and `shrink_within` are not used."}};
}

Judge::Judge(const PolicySetup& setup) : epochs_(static_cast<double>(setup.epochs)) {
  const Fields& fields = setup.adaptation.policy.fields;
  row_ = static_cast<double>(flops_per_row(setup.spec).forward);
  grow_below_ = real(fields, "grow_below");
  shrink_within_ = real(fields, "shrink_within");
  price_ = real(fields, "price");
  cost_ = word(fields, "cost");
  rows_ = integer(fields, "rows");
  on_training_ = word(fields, "compare") == "train";
}

double Judge::cost(const ModelSpec& spec) const {
  if (cost_ == "weights") return static_cast<double>(weight_count(spec));
  if (cost_ == "latency") return modelled_latency(spec);
  const auto row = static_cast<double>(flops_per_row(spec).forward);
  if (cost_ != "training") return row;
  return (passed_ + (begin_ - told_) * row_ + (epochs_ - begin_) * row) / epochs_;
}

void Judge::begins(double epoch) { begin_ = epoch; }

void Judge::told(const Round& round, std::int64_t grid) {
  // The sum does not depend on turns in between that came to nothing: a replay does not see them.
  const double from = static_cast<double>(round.from) / static_cast<double>(grid);
  const double until = static_cast<double>(round.until) / static_cast<double>(grid);
  passed_ += (from - told_) * row_;
  row_ = static_cast<double>(round.accepted().inference_flops);
  passed_ += (until - from) * row_;
  told_ = begin_ = until;
}

void Judge::judge(Round& round) const {
  if (price_ > 0)
    judge_by_price(round);
  else
    judge_by_loss(round);
}

double Judge::loss_of(const Candidate& candidate) const {
  return on_training_ ? candidate.train_loss : candidate.loss;
}

void Judge::judge_by_price(Round& round) const {
  const auto objective = [&](const Candidate& c) { return loss_of(c) + price_ * std::log(c.cost); };
  Candidate* best = &round.candidates.front();
  for (Candidate& candidate : round.candidates) {
    const double value = objective(candidate);
    candidate.why = "loss + price * log(cost) = " + number(value);
    // A loss that is no number beats nothing; the first of equals stays.
    if (value < objective(*best) || std::isnan(objective(*best))) best = &candidate;
  }
  best->accepted = true;
  best->why += ", the lowest";
}

void Judge::judge_by_loss(Round& round) const {
  const Candidate kept = round.candidates.front();
  // Whatever has a loss is better than a network that has none.
  const double kept_loss =
      std::isnan(loss_of(kept)) ? std::numeric_limits<double>::infinity() : loss_of(kept);
  const double grown_below = std::min(kept_loss * grow_below_, kept_loss - shrink_within_);
  Candidate* larger = nullptr;
  for (Candidate& candidate : round.candidates) {
    if (candidate.operations.empty() || is_smaller(candidate, kept)) continue;
    const bool passes = loss_of(candidate) < grown_below;
    candidate.why = (passes ? "below " : "not below ") + number(grown_below);
    if (passes && (larger == nullptr || loss_of(candidate) < loss_of(*larger))) larger = &candidate;
  }
  // A smaller network has to be as good as the best of the others.
  const double equal = (larger != nullptr ? loss_of(*larger) : kept_loss) + shrink_within_;
  Candidate* smaller = nullptr;
  for (Candidate& candidate : round.candidates) {
    if (candidate.operations.empty() || !is_smaller(candidate, kept)) continue;
    const bool passes = loss_of(candidate) <= equal;
    candidate.why = (passes ? "within " : "not within ") + number(equal);
    if (passes && (smaller == nullptr || candidate.cost < smaller->cost)) smaller = &candidate;
  }
  Candidate* winner = smaller != nullptr ? smaller : larger;
  if (winner == nullptr) winner = &round.candidates.front();
  winner->accepted = true;
  if (winner->operations.empty()) {
    winner->why = "no other was worth it";
  } else {
    winner->why += winner == larger ? ", the lowest loss" : ", the lowest cost";
    round.candidates.front().why = "another was worth it";
  }
}

double modelled_latency(const ModelSpec& spec) {
  const auto weights = static_cast<double>(weight_count(spec));
  double layers = 0;
  for (const ParamTensor& tensor : param_layout(spec).tensors)
    layers += tensor.role == ParamRole::weight ? 1 : 0;
  return weights * sizeof(float) / kBytesPerSecond +
         static_cast<double>(flops_per_row(spec).forward) / kFlopsPerSecond +
         layers * kSecondsPerLayer;
}

}  // namespace nn
