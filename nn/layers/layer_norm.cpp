#include "nn/layers/layer_norm.h"

#include "nn/data/block.h"
#include "nn/layers/activating.h"

namespace nn {
namespace {

template <class T>
class LayerNormOp final : public LayerOp<T> {
 public:
  explicit LayerNormOp(const LayerPlan<T>& plan)
      : cols_(plan.in.shape.dims.back()),
        positions_(static_cast<int>(plan.in.shape.elements() / cols_)),
        epsilon_(real(plan.spec.fields, "epsilon")),
        moments_bytes_(Block::aligned(2 * static_cast<std::size_t>(plan.max_rows) *
                                      std::size_t(positions_) * sizeof(T))),
        activation_(activation_of(plan.spec.fields), plan.in.shape.elements(), plan,
                    moments_bytes_),
        scale_(plan.params[0].offset),
        shift_(plan.params[1].offset) {}

  [[nodiscard]] LayerNeeds needs() const override {
    return {.input_in_backward = true,
            .output_in_backward = activation_.output_in_backward(),
            .saved_bytes = moments_bytes_ + activation_.saved_bytes()};
  }

  void forward(const LayerPass<T>& p) const override {
    const int rows = p.rows * positions_;
    p.kernels.layer_norm_forward(p.exec, {.rows = rows,
                                          .cols = cols_,
                                          .x = p.x,
                                          .epsilon = epsilon_,
                                          .scale = p.weights + scale_,
                                          .shift = p.weights + shift_,
                                          .activation = activation_.at_once(),
                                          .mean = saved(p),
                                          .inverse = saved(p) + rows,
                                          .y = activation_.target(p)});
    activation_.finish(p, static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols_));
  }

  void backward(const LayerPass<T>& p) const override {
    const int rows = p.rows * positions_;
    activation_.backward(p, rows, cols_, p.gradient + shift_);
    p.kernels.layer_norm_backward(p.exec, {.rows = rows,
                                           .cols = cols_,
                                           .x = p.x,
                                           .mean = saved(p),
                                           .inverse = saved(p) + rows,
                                           .scale = p.weights + scale_,
                                           .dy = p.dy,
                                           .dscale = p.gradient + scale_,
                                           .dx = p.dx});
  }

 private:
  /// The mean of each row, then the inverse of its deviation.
  [[nodiscard]] T* saved(const LayerPass<T>& p) const { return reinterpret_cast<T*>(p.saved); }

  int cols_, positions_;
  double epsilon_;
  std::size_t moments_bytes_;
  Activating<T> activation_;
  std::size_t scale_, shift_;
};

class LayerNormLayer final : public LayerOf<LayerNormOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "layer_norm",
        .doc =
            "Normalizes the features of every row, or the channels of every position, to mean 0 "
            "and variance 1. A learned scale and shift follow.",
        .fields = {norm_epsilon_field(), activation_field("none")}};
    return kInfo;
  }

  [[nodiscard]] Flow flow(const LayerSpec&, const Flow& in) const override { return in; }
  [[nodiscard]] std::string holds_units(const LayerSpec&) const override {
    return "normalises across its units";
  }

  [[nodiscard]] std::vector<ParamTensor> params(const LayerSpec& spec,
                                                const Flow& in) const override {
    const auto tensor = [&](const char* name, ParamRole role, InitRule init) {
      return ParamTensor{.name = spec.name + name,
                         .role = role,
                         .dims = {in.shape.dims.back()},
                         .axes = {in.units},
                         .init = init};
    };
    return {tensor(".scale", ParamRole::scale, InitRule::ones),
            tensor(".shift", ParamRole::shift, InitRule::zeros)};
  }

  [[nodiscard]] std::vector<LayerExample> examples() const override {
    return {{Shape::features(5), {}},
            {Shape::features(2), {{"epsilon", 0.1}}},
            {Shape::image(3, 2, 4), {}}};
  }
};

}  // namespace

const Layer& layer_norm_layer() {
  static const LayerNormLayer kLayer;
  return kLayer;
}

}  // namespace nn
