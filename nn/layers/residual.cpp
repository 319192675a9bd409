#include "nn/layers/residual.h"

#include "nn/layers/activating.h"

namespace nn {
namespace {

template <class T>
class ResidualBeginOp final : public LayerOp<T> {
 public:
  explicit ResidualBeginOp(const LayerPlan<T>& plan) : elements_(plan.in.shape.elements()) {}

  [[nodiscard]] LayerNeeds needs() const override { return {.in_place = true}; }
  void forward(const LayerPass<T>&) const override {}
  void backward(const LayerPass<T>& p) const override {
    if (p.dx == nullptr) return;
    const auto count = static_cast<std::size_t>(p.rows * elements_);
    p.kernels.accumulate(p.exec, count, p.dskip, p.dx);
  }

 private:
  std::int64_t elements_;
};

template <class T>
class ResidualEndOp final : public LayerOp<T> {
 public:
  explicit ResidualEndOp(const LayerPlan<T>& plan)
      : elements_(static_cast<int>(plan.in.shape.elements())),
        activation_(activation_of(plan.spec.fields), elements_, plan) {}

  [[nodiscard]] LayerNeeds needs() const override {
    return {.output_in_backward = activation_.output_in_backward(),
            .saved_bytes = activation_.saved_bytes()};
  }

  void forward(const LayerPass<T>& p) const override {
    p.kernels.add_activation(p.exec, p.rows, elements_, p.skip, p.x, activation_.at_once(),
                             activation_.target(p));
    activation_.finish(p, static_cast<std::size_t>(p.rows) * static_cast<std::size_t>(elements_));
  }

  void backward(const LayerPass<T>& p) const override {
    activation_.backward(p, p.rows, elements_, nullptr);
    if (p.dx == nullptr) return;
    // The layers of the block may overwrite their gradient; this one is needed again at its start.
    const auto count = static_cast<std::size_t>(p.rows) * static_cast<std::size_t>(elements_);
    p.kernels.scaled_copy(p.exec, count, T(1), p.dy, p.dx);
  }

 private:
  int elements_;
  Activating<T> activation_;
};

/// dense that keeps 4 features, and conv2d that keeps an image of 2 channels.
LayerSpec keeps_features() {
  return layer("dense", "inside", {{"units", std::int64_t{4}}, {"activation", "tanh"}});
}
LayerSpec keeps_image() {
  return layer("conv2d", "inside",
               {{"units", std::int64_t{2}}, {"padding", "same"}, {"activation", "tanh"}});
}

class ResidualBeginLayer final : public LayerOf<ResidualBeginOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "residual_begin", .doc = "Opens a residual block.", .fields = {}};
    return kInfo;
  }
  [[nodiscard]] Flow flow(const LayerSpec&, const Flow& in) const override { return in; }
  [[nodiscard]] Branch branch() const override { return Branch::opens; }
  [[nodiscard]] std::vector<LayerExample> examples() const override {
    const LayerSpec end{"residual_end", "probed_end", {{"activation", "none"}}};
    const LayerSpec inner{"residual_begin", "inner", {}},
        inner_end{"residual_end", "inner_end", {{"activation", "tanh"}}};
    return {{.input = Shape::features(4), .after = {keeps_features(), end}},
            {.input = Shape::image(3, 2, 2), .after = {keeps_image(), end}},
            {.input = Shape::features(4), .after = {inner, keeps_features(), inner_end, end}},
            {.input = Shape::features(3), .after = {end}}};
  }
};

class ResidualEndLayer final : public LayerOf<ResidualEndOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "residual_end",
        .doc = "Closes a residual block: adds its input to the output of its last layer.",
        .fields = {activation_field("none")}};
    return kInfo;
  }
  [[nodiscard]] Flow flow(const LayerSpec&, const Flow& in) const override { return in; }
  [[nodiscard]] Branch branch() const override { return Branch::closes; }
  [[nodiscard]] std::vector<LayerExample> examples() const override {
    const LayerSpec begin{"residual_begin", "begin", {}};
    return {{.input = Shape::features(4), .fields = {}, .before = {begin, keeps_features()}},
            {.input = Shape::image(3, 2, 2), .fields = {}, .before = {begin, keeps_image()}}};
  }
};

}  // namespace

const Layer& residual_begin_layer() {
  static const ResidualBeginLayer kLayer;
  return kLayer;
}

const Layer& residual_end_layer() {
  static const ResidualEndLayer kLayer;
  return kLayer;
}

}  // namespace nn
