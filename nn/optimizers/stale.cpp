#include "nn/optimizers/stale.h"

#include <utility>

#include "nn/optimizers/made_of_others.h"

namespace nn {
namespace {

constexpr std::string_view kStale = "+stale";

FieldInfo whole(std::string name, double min, std::int64_t value, std::string doc) {
  return {.name = std::move(name),
          .type = FieldType::integer,
          .min = min,
          .max = 1024,
          .value = value,
          .doc = std::move(doc)};
}

class StaleOptimizer final : public Optimizer {
 public:
  explicit StaleOptimizer(const Optimizer& own) : own_(own), info_(own.info()) {
    info_.kind = std::string(own.info().kind).append(kStale);
    info_.fields.push_back(whole("bound", 0, 0, "Staleness::bound."));
    info_.fields.push_back(whole("replicas", 1, 1, "Staleness::replicas."));
    info_.fields.push_back({.name = "factor",
                            .type = FieldType::real,
                            .min = 1,
                            .value = 1.0,
                            .doc = "Staleness::factor."});
    info_.fields.push_back(decay_field("probability", 0.0, "Staleness::probability."));
  }

  [[nodiscard]] const Optimizer& own() const { return own_; }
  [[nodiscard]] const KindInfo& info() const override { return info_; }
  [[nodiscard]] int slots(const Fields& fields) const override { return own_.slots(fields); }
  [[nodiscard]] std::span<const int> slot_powers() const override { return own_.slot_powers(); }
  [[nodiscard]] std::unique_ptr<Update<float>> bind(const Fields& fields, float) const override {
    return own_.bind(fields, float{});
  }
  [[nodiscard]] std::unique_ptr<Update<double>> bind(const Fields& fields, double) const override {
    return own_.bind(fields, double{});
  }

 private:
  const Optimizer& own_;
  KindInfo info_;
};

}  // namespace

Choice stale_choice(Choice optimizer, const Staleness& staleness) {
  optimizer.kind.append(kStale);
  optimizer.fields["bound"] = std::int64_t{staleness.bound};
  optimizer.fields["replicas"] = std::int64_t{staleness.replicas};
  optimizer.fields["factor"] = staleness.factor;
  optimizer.fields["probability"] = staleness.probability;
  return optimizer;
}

std::optional<Staleness> staleness_of(const Choice& optimizer) {
  if (kind_of_stale(optimizer.kind).empty()) return std::nullopt;
  const Fields& fields = optimizer.fields;
  return Staleness{.bound = static_cast<std::int32_t>(integer(fields, "bound")),
                   .replicas = static_cast<std::int32_t>(integer(fields, "replicas")),
                   .factor = real(fields, "factor"),
                   .probability = real(fields, "probability")};
}

std::string_view kind_of_stale(std::string_view word) { return without_ending(word, kStale); }

const Optimizer& stale_optimizer(const Optimizer& optimizer) {
  return made_of<StaleOptimizer>(optimizer);
}

}  // namespace nn
