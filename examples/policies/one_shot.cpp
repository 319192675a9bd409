// One-shot pruning: trained for a while, a network loses in one go units that matter little to the
// loss, and is trained on. How many of each layer follows from the ranking of all units together;
// which ones, from the same measure of more rows, layer by layer. The criterion is that of
// Molchanov, Mallya, Tyree, Frosio and Kautz, CVPR 2019.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "nn/adapt/grid.h"
#include "nn/adapt/plugin.h"
#include "nn/error.h"

namespace {

class OneShot final : public nn::Policy {
 public:
  explicit OneShot(const nn::PolicySetup& setup) {
    const nn::Fields& fields = setup.adaptation.policy.fields;
    const double times[] = {nn::real(fields, "epoch")};
    grid_ = nn::grid_of(times);
    at_ = nn::boundary_of(times[0], grid_);
    keep_ = nn::real(fields, "keep");
    if (nn::resizable_layers(setup.spec).empty())
      throw nn::SpecError(-1, "keep", "one_shot: no layer of this network can be resized");
    if (at_ >= setup.epochs * grid_)
      throw nn::SpecError(-1, "epoch", "one_shot: nothing is trained after `epoch`");
  }

  [[nodiscard]] std::int64_t grid() const override { return grid_; }
  [[nodiscard]] nn::Wants wants() const override { return {.units = true}; }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    return now <= at_ && !done_ ? std::optional(at_) : std::nullopt;
  }

  [[nodiscard]] nn::Turn turn(const nn::Situation& situation) override {
    done_ = true;
    struct Unit {
      double gradient;
      std::string layer;
    };
    std::vector<Unit> units;
    std::map<std::string, std::int64_t> left, gone;
    for (const nn::UnitStatistics& layer : situation.units) {
      left[layer.layer] = std::ssize(layer.gradient);
      for (const double gradient : layer.gradient) {
        if (std::isnan(gradient)) return {};  // it diverged
        units.push_back({gradient, layer.layer});
      }
    }
    std::ranges::stable_sort(units, {}, &Unit::gradient);
    auto most = std::llround((1 - keep_) * static_cast<double>(units.size()));
    for (const Unit& unit : units) {
      if (most == 0) break;
      if (left[unit.layer] == 1) continue;  // a layer keeps one
      --left[unit.layer];
      ++gone[unit.layer];
      --most;
    }
    nn::Operations operations;
    for (const auto& [layer, count] : gone)
      operations.push_back(
          {"shrink", layer, {{"by", count}, {"score", "taylor"}, {"refit", false}}});
    if (operations.empty()) return {};
    return {.candidates = {std::move(operations)},
            .why = "the units that matter least to the loss, over all layers"};
  }

  void told(const nn::Round&) override { done_ = true; }

 private:
  std::int64_t grid_ = 1, at_ = 0;
  double keep_ = 1;
  bool done_ = false;
};

nn::PolicyKind one_shot() {
  return {.info = {.kind = "one_shot",
                   .doc = "Removes in one go the units that matter least, then trains on.",
                   .fields = {{.name = "epoch",
                               .min = 0,
                               .max = 1e6,
                               .doc = "epoch, or a part of one, of the removal",
                               .min_excluded = true},
                              {.name = "keep",
                               .min = 0,
                               .max = 1,
                               .value = 0.5,
                               .doc = "share of all units that stays",
                               .min_excluded = true,
                               .max_excluded = true}}},
          .make = [](const nn::PolicySetup& setup) -> std::unique_ptr<nn::Policy> {
            return std::make_unique<OneShot>(setup);
          }};
}

}  // namespace

TRELLIS_POLICY(one_shot)
