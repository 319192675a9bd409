// NeST (Dai, Yin and Jha, IEEE Transactions on Computers 2019), of units instead of connections:
// neurons are born where value and gradient are correlated, then those of small magnitude go.

#include <algorithm>
#include <memory>
#include <numeric>

#include "examples/policies/turns.h"
#include "nn/adapt/grid.h"
#include "nn/adapt/plugin.h"

namespace {

class Nest final : public nn::Policy {
 public:
  explicit Nest(const nn::PolicySetup& setup) : most_(setup.adaptation.max_weights) {
    const nn::Fields& fields = setup.adaptation.policy.fields;
    const double every = nn::real(fields, "every");
    const double times[] = {every, nn::real(fields, "grow_until")};
    grid_ = nn::grid_of(times);
    beat_ = nn::Beat::of(every, 0, nn::real(fields, "until"), setup.epochs, grid_);
    grown_ = nn::boundary_of(times[1], grid_);
    growth_ = nn::real(fields, "growth");
    threshold_ = nn::real(fields, "threshold");
    check_turns(beat_, setup.epochs * grid_, "nest");
    if (nn::resizable_layers(setup.spec).empty())
      throw nn::SpecError(-1, "growth", "nest: no layer of this network can be resized");
  }

  [[nodiscard]] std::int64_t grid() const override { return grid_; }
  [[nodiscard]] nn::Wants wants() const override { return {.norms = true}; }

  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t now) const override {
    return beat_.from(std::max(now, done_ + 1));
  }

  [[nodiscard]] nn::Turn turn(const nn::Situation& situation) override {
    done_ = situation.now;
    const bool grows = situation.now <= grown_;
    nn::ModelSpec spec = situation.spec;
    nn::Operations operations;
    for (const nn::UnitNorms& layer : situation.norms) {
      nn::Operation operation = grows ? birth(layer) : removal(layer);
      if (operation.kind.empty()) continue;
      if (grows && !possible(spec, operation, most_))
        operation.fields["rule"] = "fresh";  // not two dense layers in a row
      if (!possible(spec, operation, grows ? most_ : 0)) continue;
      spec = nn::reshaped(spec, nn::complete(operation));
      operations.push_back(std::move(operation));
    }
    if (operations.empty()) return {};
    return {.candidates = {std::move(operations)},
            .why = grows ? "born where gradients are largest" : "small magnitude"};
  }

  void told(const nn::Round& round) override { done_ = round.from; }

 private:
  [[nodiscard]] nn::Operation birth(const nn::UnitNorms& layer) const {
    const double units = growth_ * static_cast<double>(layer.norms.size());
    return widening(layer.layer, std::max<std::int64_t>(1, static_cast<std::int64_t>(units)),
                    "nest");
  }

  [[nodiscard]] nn::Operation removal(const nn::UnitNorms& layer) const {
    const auto units = static_cast<double>(layer.norms.size());
    const double mean = std::accumulate(layer.norms.begin(), layer.norms.end(), 0.0) / units;
    const auto weak =
        std::ranges::count_if(layer.norms, [&](double norm) { return norm <= threshold_ * mean; });
    if (weak == 0 || weak == std::ssize(layer.norms)) return {};
    return {"shrink",
            layer.layer,
            {{"by", static_cast<std::int64_t>(weak)}, {"score", "norm"}, {"refit", false}}};
  }

  std::uint64_t most_;
  std::int64_t grid_ = 1, grown_ = 0;
  double growth_ = 0, threshold_ = 0;
  nn::Beat beat_;
  std::int64_t done_ = -1;  // boundary of the last turn
};

nn::PolicyKind nest() {
  return {.info = {.kind = "nest",
                   .doc = "Neurons are born where gradients are largest; later the weak ones go.",
                   .fields = {{.name = "every",
                               .min = 0,
                               .max = 1e6,
                               .value = 1.0,
                               .doc = "epochs between two turns",
                               .min_excluded = true},
                              {.name = "grow_until",
                               .min = 0,
                               .max = 1e6,
                               .doc = "epoch up to which it grows; from then on it removes"},
                              {.name = "until",
                               .min = 0,
                               .max = 1e6,
                               .value = 0.0,
                               .doc = "epoch of the last turn; 0: the end of the training"},
                              {.name = "growth",
                               .min = 0,
                               .max = 10,
                               .value = 0.5,
                               .doc = "units that are born at a turn, as a share of a layer's",
                               .min_excluded = true},
                              {.name = "threshold",
                               .min = 0,
                               .max = 1,
                               .value = 0.5,
                               .doc = "units go whose norm is at most so many times the mean "
                                      "norm of their layer"}}},
          .make = [](const nn::PolicySetup& setup) -> std::unique_ptr<nn::Policy> {
            return std::make_unique<Nest>(setup);
          }};
}

}  // namespace

TRELLIS_POLICY(nest)
