#include "nn/adapt/plateau.h"

#include <algorithm>
#include <cmath>

#include "nn/adapt/grid.h"
#include "nn/adapt/racing.h"

namespace nn {
namespace {

std::vector<FieldInfo> plateau_fields() {
  std::vector<FieldInfo> fields{
      {.name = "points",
       .type = FieldType::integer,
       .min = 1,
       .max = kMaxGrid,
       .value = std::int64_t{8},
       .doc =
           "Number of training losses per epoch that the policy examines, at most one per step."},
      {.name = "window",
       .type = FieldType::integer,
       .min = 3,
       .max = 1e6,
       .value = std::int64_t{8},
       .doc = "Number of losses to which a line is fitted, all of them since the last race."},
      {.name = "falling",
       .min = 0,
       .max = 1,
       .value = 0.95,
       .doc = "Probability that the loss still falls. A race begins when it is below this value."},
      {.name = "length",
       .type = FieldType::integer,
       .min = 1,
       .max = 1e6,
       .value = std::int64_t{2},
       .doc = "Length of a race, in `points`. A race has at least one step and ends with its epoch "
              "at the latest."},
      {.name = "gap",
       .min = 0,
       .value = 0.1,
       .doc = "Excess of the validation loss over the training loss, as a share of it, beyond "
              "which the network overfits."}};
  std::ranges::move(contest_fields(), std::back_inserter(fields));
  return fields;
}

class Plateau final : public Racing {
 public:
  explicit Plateau(const PolicySetup& setup) : Racing(setup, "plateau") {
    const Fields& fields = setup.adaptation.policy.fields;
    grid_ = integer(fields, "points");
    window_ = integer(fields, "window");
    falling_ = real(fields, "falling");
    length_ = integer(fields, "length");
    gap_ = real(fields, "gap");
    const double until = real(fields, "until");
    last_ = until > 0 ? last_boundary_by(until, grid_) : setup.epochs * grid_ - 1;
  }

  [[nodiscard]] Wants wants() const override { return {.losses = true, .scores = true}; }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    if (gives_up()) return std::nullopt;
    const std::int64_t boundary = std::max({now, done_ + 1, since_ + window_});
    return boundary <= last_ ? std::optional(boundary) : std::nullopt;
  }

  [[nodiscard]] Turn turn(const Situation& situation) override {
    begins(situation.now);
    if (std::ssize(situation.losses) < window_) return {};
    const auto window =
        situation.losses.last(std::min(situation.losses.size(), static_cast<std::size_t>(window_)));
    if (probability_of_falling(window) >= falling_) return {};
    double train_loss = 0;
    for (const double loss : window) train_loss += loss / static_cast<double>(window.size());
    const bool overfits = situation.valid_loss > train_loss * (1 + gap_);
    const Entrants which{.widen = !overfits, .deepen = !overfits, .shrink = overfits};
    Turn turn{.candidates = contest_.entrants(situation.spec, which)};
    if (!turn.candidates.empty()) turn.race_until = race_end(situation.now);
    return turn;
  }

  void told(const Round& round) override {
    Racing::told(round);
    since_ = round.until;
  }

 private:
  std::int64_t window_ = 3, last_ = 0;
  double falling_ = 0, gap_ = 0;
  std::int64_t since_ = 0;  ///< end of the last race: losses before it do not count
};

}  // namespace

double probability_of_falling(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 3) return 0.5;
  const double middle = (n - 1) / 2;
  double mean = 0;
  for (const double value : values) mean += value / n;
  double sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    sxx += x * x;
    sxy += x * (values[i] - mean);
  }
  const double slope = sxy / sxx;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    const double rest = values[i] - mean - slope * x;
    squares += rest * rest;
  }
  const double error = std::sqrt(squares / (n - 2) / sxx);
  if (error == 0) return slope == 0 ? 0.5 : slope < 0 ? 1 : 0;
  return 0.5 * std::erfc(slope / error / std::sqrt(2.0));
}

PolicyKind plateau_policy() {
  return {.info = {.kind = "plateau",
                   .doc = "Races when the training loss has probably stopped falling. Candidates "
                          "are larger if the network underfits, and smaller if it overfits.",
                   .fields = plateau_fields()},
          .make = [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
            return std::make_unique<Plateau>(setup);
          }};
}

}  // namespace nn
