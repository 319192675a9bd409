#include "nn/adapt/race.h"

#include <algorithm>

#include "nn/adapt/grid.h"
#include "nn/adapt/racing.h"

namespace nn {
namespace {

std::vector<FieldInfo> race_fields() {
  std::vector<FieldInfo> fields{
      {.name = "every",
       .min = 0,
       .max = 1e6,
       .value = 1.0,
       .doc = "Epochs from the beginning of one race to the beginning of the next.",
       .min_excluded = true},
      {.name = "length",
       .min = 0,
       .max = 1e6,
       .value = 0.25,
       .doc = "Length of a race, in epochs or a fraction of one. A race has at least one step and "
              "ends with its epoch at the latest.",
       .min_excluded = true},
      {.name = "from",
       .min = 0,
       .max = 1e6,
       .value = 0.0,
       .doc = "Epoch of the first race. 0: after the first `every` epochs."}};
  std::ranges::move(contest_fields(), std::back_inserter(fields));
  return fields;
}

class Race final : public Racing {
 public:
  explicit Race(const PolicySetup& setup) : Racing(setup, "race") {
    const Fields& fields = setup.adaptation.policy.fields;
    const double times[] = {real(fields, "every"), real(fields, "length"), real(fields, "from"),
                            real(fields, "until")};
    grid_ = grid_of(times);
    length_ = boundary_of(times[1], grid_);
    beat_ = Beat::of(times[0], times[2], times[3], setup.epochs, grid_);
  }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    if (gives_up()) return std::nullopt;
    return beat_.from(std::max(now, done_ + 1));
  }

  [[nodiscard]] Turn turn(const Situation& situation) override {
    begins(situation.now);
    return {.candidates = contest_.entrants(situation.spec, {true, true, true}),
            .race_until = race_end(situation.now)};
  }

 private:
  Beat beat_;
};

}  // namespace

PolicyKind race_policy() {
  return {
      .info = {.kind = "race",
               .doc =
                   "Races at regular intervals: trains the network and wider, deeper and narrower "
                   "copies side by side on the same batches. The best network by loss and cost "
                   "continues.",
               .fields = race_fields()},
      .make = [](const PolicySetup& setup) -> std::unique_ptr<Policy> {
        return std::make_unique<Race>(setup);
      }};
}

}  // namespace nn
