#include "nn/adapt/race.h"

#include <algorithm>

#include "nn/adapt/contest.h"
#include "nn/adapt/grid.h"
#include "nn/adapt/judge.h"

namespace nn {
namespace {

std::vector<FieldInfo> race_fields() {
  std::vector<FieldInfo> fields{
      {.name = "every",
       .min = 0,
       .max = 1e6,
       .value = 1.0,
       .doc = "epochs from the beginning of one race to that of the next",
       .min_excluded = true},
      {.name = "length",
       .min = 0,
       .max = 1e6,
       .value = 0.25,
       .doc =
           "epochs, or a part of one, that a race lasts: one step at least, and it ends with its "
           "epoch",
       .min_excluded = true},
      {.name = "from",
       .min = 0,
       .max = 1e6,
       .value = 0.0,
       .doc = "epoch of the first race; 0: after `every`"}};
  std::ranges::move(contest_fields(), std::back_inserter(fields));
  return fields;
}

class Race final : public Policy {
 public:
  explicit Race(const PolicySetup& setup) : contest_(setup.adaptation), judge_(setup) {
    const Fields& fields = setup.adaptation.policy.fields;
    const double times[] = {real(fields, "every"), real(fields, "length"), real(fields, "from"),
                            real(fields, "until")};
    grid_ = grid_of(times);
    length_ = border_of(times[1], grid_);
    beat_ = Beat::of(times[0], times[2], times[3], setup.epochs, grid_);
    patience_ = integer(fields, "patience");
    contest_.check(setup.spec, "race");
  }

  [[nodiscard]] std::int64_t grid() const override { return grid_; }
  [[nodiscard]] std::int64_t rows() const override { return judge_.rows(); }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    if (kept_ >= patience_) return std::nullopt;
    return beat_.from(std::max(now, done_ + 1));
  }

  [[nodiscard]] Turn turn(const Situation& situation) override {
    done_ = situation.now;
    judge_.begins(static_cast<double>(situation.now) / static_cast<double>(grid_));
    const std::int64_t epoch_end = (situation.now / grid_ + 1) * grid_;
    return {.candidates = contest_.entrants(situation.spec, {true, true, true}),
            .race_until = std::min(situation.now + length_, epoch_end)};
  }

  [[nodiscard]] std::optional<std::vector<Operations>> options(
      const ModelSpec& spec) const override {
    return contest_.entrants(spec, {true, true, true});
  }
  [[nodiscard]] double cost(const ModelSpec& spec) const override { return judge_.cost(spec); }
  void judge(Round& round) const override { judge_.judge(round); }

  void told(const Round& round) override {
    judge_.told(round, grid_);
    done_ = round.from;
    kept_ = round.accepted().operations.empty() ? kept_ + 1 : 0;
  }

 private:
  Contest contest_;
  Judge judge_;
  Beat beat_;
  std::int64_t grid_ = 1, length_ = 1, patience_ = 2;
  std::int64_t done_ = -1;  ///< border of the last race
  std::int64_t kept_ = 0;   ///< races in a row that changed nothing
};

}  // namespace

PolicyKind race_policy() {
  return {.info = {.kind = "race",
                   .doc = "Now and then train the network and wider, deeper, narrower copies of it "
                          "side by side on the same batches, and go on with the one that is worth "
                          "it.",
                   .fields = race_fields()},
          .make = [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
            return std::make_unique<Race>(setup);
          }};
}

}  // namespace nn
