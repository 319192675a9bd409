// Growth at the bottleneck: of all layers the one grows whose new units would get the largest
// gradients for the arithmetic that they cost. The question is TINY's (Verbockhaven, Rudkiewicz,
// Chevallier and Charpiat, TMLR 2024), the measure GradMax's: TINY also takes the inputs'
// covariance into account, and what a better step of the old weights would do.

#include <algorithm>
#include <memory>

#include "examples/policies/turns.h"
#include "nn/adapt/grid.h"
#include "nn/adapt/plugin.h"

namespace {

class Bottleneck final : public nn::Policy {
 public:
  explicit Bottleneck(const nn::PolicySetup& setup) : most_(setup.adaptation.max_weights) {
    const nn::Fields& fields = setup.adaptation.policy.fields;
    const double times[] = {nn::real(fields, "every"), nn::real(fields, "until")};
    grid_ = nn::grid_of(times);
    beat_ = nn::Beat::of(times[0], 0, times[1], setup.epochs, grid_);
    by_ = nn::integer(fields, "by");
    check_turns(beat_, setup.epochs * grid_, "bottleneck");
    const std::vector<std::string> layers = nn::resizable_layers(setup.spec);
    const bool grows = std::ranges::any_of(layers, [&](const std::string& layer) {
      return possible(setup.spec, widening(layer, by_, "gradmax"), most_);
    });
    if (!grows)
      throw nn::SpecError(-1, "by",
                          "bottleneck: no layer can grow: it needs a dense one, with another "
                          "right after it, and room in limits.weights");
  }

  [[nodiscard]] std::int64_t grid() const override { return grid_; }
  [[nodiscard]] nn::Wants wants() const override { return {.units = true}; }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    return beat_.from(std::max(now, done_ + 1));
  }

  [[nodiscard]] nn::Turn turn(const nn::Situation& situation) override {
    done_ = situation.now;
    const double before = cost(situation.spec);
    nn::Operations best;
    double most = 0;
    for (const nn::UnitStatistics& layer : situation.units) {
      const nn::Operation operation = widening(layer.layer, by_, "gradmax");
      if (!possible(situation.spec, operation, most_)) continue;
      const auto after = nn::spec_after(situation.spec, {nn::complete(operation)});
      double fall = 0;
      const std::size_t units = std::min(layer.room.size(), static_cast<std::size_t>(by_));
      for (std::size_t i = 0; i < units; ++i) fall += layer.room[i] * layer.room[i];
      const double worth = fall / (cost(*after) - before);
      if (worth <= most) continue;
      most = worth;
      best = {operation};
    }
    if (best.empty()) return {};
    const std::string layer = best.front().layer;
    return {.candidates = {std::move(best)}, .why = "the bottleneck is " + layer};
  }

  void told(const nn::Round& round) override { done_ = round.from; }

 private:
  std::uint64_t most_;
  std::int64_t grid_ = 1, by_ = 1;
  nn::Beat beat_;
  std::int64_t done_ = -1;  // boundary of the last turn
};

nn::PolicyKind bottleneck() {
  return {.info = {.kind = "bottleneck",
                   .doc = "Grows the layer whose new units would do most for what they cost.",
                   .fields = {{.name = "by",
                               .type = nn::FieldType::integer,
                               .min = 1,
                               .max = 1e6,
                               .value = std::int64_t{8},
                               .doc = "units that it grows by"},
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
            return std::make_unique<Bottleneck>(setup);
          }};
}

}  // namespace

TRELLIS_POLICY(bottleneck)
