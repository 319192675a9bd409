#include "nn/layers/dropout.h"

#include "nn/training/random.h"

namespace nn {
namespace {

template <class T>
class DropoutOp final : public LayerOp<T> {
 public:
  explicit DropoutOp(const LayerPlan<T>& plan)
      : name_(plan.spec.name),
        group_(plan.in.units.group),
        units_(plan.in.units.units),
        positions_(static_cast<int>(plan.in.shape.elements() / units_)),
        rate_(plan.use == Use::training ? real(plan.spec.fields, "rate") : 0),
        max_rows_(plan.max_rows) {}

  [[nodiscard]] LayerNeeds needs() const override {
    if (rate_ == 0) return {.in_place = true};
    return {.saved_bytes = count(max_rows_)};
  }

  void forward(const LayerPass<T>& p) const override {
    const Draws& draws = *p.draws;
    p.kernels.dropout_forward(
        p.exec, {.rows = p.rows,
                 .positions = positions_,
                 .units = units_,
                 .key = RandomKey{draws.stream}.derive("dropout").derive(name_).value,
                 .step = static_cast<std::uint32_t>(draws.step),
                 .row_ids = draws.rows,
                 .unit_ids = draws.units != nullptr ? draws.units->find(group_) : nullptr,
                 .rate = rate_,
                 .x = p.x,
                 .y = p.y,
                 .kept = kept(p)});
  }

  void backward(const LayerPass<T>& p) const override {
    if (p.dx == nullptr || rate_ == 0) return;
    p.kernels.dropout_backward(p.exec, count(p.rows), rate_, kept(p), p.dy, p.dx);
  }

 private:
  [[nodiscard]] std::size_t count(int rows) const {
    return static_cast<std::size_t>(rows) * std::size_t(positions_) * std::size_t(units_);
  }
  [[nodiscard]] std::uint8_t* kept(const LayerPass<T>& p) const {
    return reinterpret_cast<std::uint8_t*>(p.saved);
  }

  std::string name_, group_;
  int units_, positions_;
  double rate_;
  int max_rows_;
};

class DropoutLayer final : public LayerOf<DropoutOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{.kind = "dropout",
                                .doc =
                                    "Sets random values to 0 during training and scales up the "
                                    "others to compensate. Evaluation uses all values.",
                                .fields = {{.name = "rate",
                                            .min = 0,
                                            .max = 1,
                                            .value = 0.5,
                                            .doc = "Share of the values that are set to 0.",
                                            .max_excluded = true}}};
    return kInfo;
  }

  [[nodiscard]] Flow flow(const LayerSpec&, const Flow& in) const override { return in; }

  [[nodiscard]] std::vector<LayerExample> examples() const override {
    return {{Shape::features(7), {}},
            {Shape::features(4), {{"rate", 0.0}}},
            {Shape::image(3, 2, 4), {{"rate", 0.25}}}};
  }
};

}  // namespace

const Layer& dropout_layer() {
  static const DropoutLayer kLayer;
  return kLayer;
}

}  // namespace nn
