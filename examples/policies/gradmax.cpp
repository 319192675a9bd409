// GradMax (Evci, van Merrienboer, Unterthiner, Vladymyrov and Pedregosa, ICLR 2022): a small
// network grows on a timetable, in equal parts, and its new units begin where their gradient is
// largest.

#include <algorithm>
#include <memory>

#include "examples/policies/turns.h"
#include "nn/adapt/grid.h"
#include "nn/adapt/plugin.h"
#include "nn/training/unit_norms.h"

namespace {

class GradMax final : public nn::Policy {
 public:
  explicit GradMax(const nn::PolicySetup& setup) : most_(setup.adaptation.max_weights) {
    const nn::Fields& fields = setup.adaptation.policy.fields;
    const double times[] = {nn::real(fields, "every"), nn::real(fields, "until")};
    grid_ = nn::grid_of(times);
    beat_ = nn::Beat::of(times[0], 0, times[1], setup.epochs, grid_);
    to_ = nn::integer(fields, "to");
    check_turns(beat_, setup.epochs * grid_, "gradmax");
    if (times[1] > static_cast<double>(setup.epochs))
      throw nn::SpecError(-1, "until", "gradmax: the training ends before `until`");
    // The units at birth are those of the spec at birth: what a turn asks for follows from its
    // time.
    for (const nn::UnitNumbers& layer : nn::unit_numbers(setup.spec))
      born_.push_back(static_cast<std::int64_t>(layer.units));
    if (std::ranges::none_of(born_, [this](std::int64_t units) { return units < to_; }))
      throw nn::SpecError(-1, "to", "gradmax: no layer has fewer units than `to`");
  }

  [[nodiscard]] std::int64_t grid() const override { return grid_; }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    return beat_.from(std::max(now, done_ + 1));
  }

  [[nodiscard]] nn::Turn turn(const nn::Situation& situation) override {
    done_ = situation.now;
    const std::int64_t turns = (beat_.last - beat_.first) / beat_.every + 1;
    const std::int64_t turn = (situation.now - beat_.first) / beat_.every + 1;
    nn::ModelSpec spec = situation.spec;
    nn::Operations operations;
    const std::vector<nn::UnitNumbers> layers = nn::unit_numbers(spec);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::int64_t target = born_[i] + (to_ - born_[i]) * turn / turns;
      const std::int64_t by = target - static_cast<std::int64_t>(layers[i].units);
      if (by <= 0) continue;
      nn::Operation operation = widening(layers[i].layer, by, "gradmax");
      // Its algebra is that of two dense layers in a row; elsewhere new units are drawn.
      if (!possible(spec, operation, most_)) operation = widening(layers[i].layer, by, "fresh");
      if (!possible(spec, operation, most_)) continue;
      spec = nn::reshaped(spec, nn::complete(operation));
      operations.push_back(std::move(operation));
    }
    if (operations.empty()) return {};
    return {.candidates = {std::move(operations)},
            .why = "growth " + std::to_string(turn) + " of " + std::to_string(turns)};
  }

  void told(const nn::Round& round) override { done_ = round.from; }

 private:
  std::uint64_t most_;
  std::int64_t grid_ = 1, to_ = 1;
  nn::Beat beat_;
  std::vector<std::int64_t> born_;  // units of each layer at birth
  std::int64_t done_ = -1;          // boundary of the last turn
};

nn::PolicyKind gradmax() {
  return {.info = {.kind = "gradmax",
                   .doc = "Grows in equal parts to a given width, where gradients are largest.",
                   .fields = {{.name = "to",
                               .type = nn::FieldType::integer,
                               .min = 1,
                               .max = 1e6,
                               .doc = "units of each layer at the end of its growth"},
                              {.name = "every",
                               .min = 0,
                               .max = 1e6,
                               .value = 1.0,
                               .doc = "epochs between two growths",
                               .min_excluded = true},
                              {.name = "until",
                               .min = 0,
                               .max = 1e6,
                               .value = 0.0,
                               .doc = "epoch of the last growth; 0: the end of the training"}}},
          .make = [](const nn::PolicySetup& setup) -> std::unique_ptr<nn::Policy> {
            return std::make_unique<GradMax>(setup);
          }};
}

}  // namespace

TRELLIS_POLICY(gradmax)
