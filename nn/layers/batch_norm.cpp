#include "nn/layers/batch_norm.h"

#include "nn/data/block.h"
#include "nn/layers/activating.h"

namespace nn {
namespace {

template <class T>
class BatchNormOp final : public LayerOp<T> {
 public:
  explicit BatchNormOp(const LayerPlan<T>& plan)
      : cols_(plan.in.shape.dims.back()),
        positions_(static_cast<int>(plan.in.shape.elements() / cols_)),
        momentum_(real(plan.spec.fields, "momentum")),
        epsilon_(real(plan.spec.fields, "epsilon")),
        training_(plan.use == Use::training),
        moments_bytes_(Block::aligned(2 * static_cast<std::size_t>(cols_) * sizeof(T))),
        activation_(activation_of(plan.spec.fields), plan.in.shape.elements(), plan,
                    moments_bytes_),
        scale_(plan.params[0].offset),
        shift_(plan.params[1].offset),
        mean_(plan.params[2].offset),
        variance_(plan.params[3].offset) {}

  [[nodiscard]] LayerNeeds needs() const override {
    return {.input_in_backward = true,
            .output_in_backward = activation_.output_in_backward(),
            .saved_bytes = training_ ? moments_bytes_ + activation_.saved_bytes() : 0};
  }

  void forward(const LayerPass<T>& p) const override {
    if (training_) {
      p.kernels.column_moments(p.exec, p.rows * positions_, cols_, p.x, saved(p), saved(p) + cols_);
    }
    p.kernels.batch_norm_forward(p.exec,
                                 {.rows = p.rows * positions_,
                                  .cols = cols_,
                                  .x = p.x,
                                  .mean = training_ ? saved(p) : p.weights + mean_,
                                  .variance = training_ ? saved(p) + cols_ : p.weights + variance_,
                                  .epsilon = epsilon_,
                                  .scale = p.weights + scale_,
                                  .shift = p.weights + shift_,
                                  .activation = activation_.at_once(),
                                  .y = activation_.target(p)});
    activation_.finish(
        p, static_cast<std::size_t>(p.rows * positions_) * static_cast<std::size_t>(cols_));
  }

  void backward(const LayerPass<T>& p) const override {
    const int rows = p.rows * positions_;
    T* dshift = p.gradient + shift_;
    activation_.backward(p, rows, cols_, dshift);
    p.kernels.batch_norm_backward(p.exec, {.rows = rows,
                                           .cols = cols_,
                                           .x = p.x,
                                           .mean = saved(p),
                                           .variance = saved(p) + cols_,
                                           .epsilon = epsilon_,
                                           .scale = p.weights + scale_,
                                           .dy = p.dy,
                                           .dshift = dshift,
                                           .dscale = p.gradient + scale_,
                                           .dx = p.dx});
    leave_statistics(p, rows);
  }

  void keep_statistics(const kern::Kernels<T>& kernels, kern::Exec& exec, const T* gradient,
                       T* weights) const override {
    const auto rate = static_cast<T>(momentum_);
    const auto count = static_cast<std::size_t>(cols_);
    kernels.blend(exec, count, rate, gradient + mean_, weights + mean_);
    kernels.blend(exec, count, rate, gradient + variance_, weights + variance_);
  }

 private:
  /// Mean, then variance, of these rows.
  [[nodiscard]] T* saved(const LayerPass<T>& p) const { return reinterpret_cast<T*>(p.saved); }

  void leave_statistics(const LayerPass<T>& p, int rows) const {
    const auto count = static_cast<std::size_t>(cols_);
    p.kernels.scaled_copy(p.exec, count, p.share, saved(p), p.gradient + mean_);
    const T unbiased = rows > 1 ? static_cast<T>(rows) / static_cast<T>(rows - 1) : T(1);
    p.kernels.scaled_copy(p.exec, count, p.share * unbiased,
                          rows > 1 ? saved(p) + cols_ : p.weights + variance_,
                          p.gradient + variance_);
  }

  int cols_, positions_;
  double momentum_, epsilon_;
  bool training_;
  std::size_t moments_bytes_;
  Activating<T> activation_;
  std::size_t scale_, shift_, mean_, variance_;
};

class BatchNormLayer final : public LayerOf<BatchNormOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "batch_norm",
        .doc =
            "Normalizes every feature or channel to mean 0 and variance 1 over the rows of a "
            "batch. A learned scale and shift follow.",
        .fields = {
            {.name = "momentum",
             .min = 0,
             .max = 1,
             .value = 0.1,
             .doc =
                 "Weight of a step's statistics in the running statistics, which evaluation uses.",
             .min_excluded = true},
            norm_epsilon_field(),
            activation_field("none")}};
    return kInfo;
  }

  [[nodiscard]] Flow flow(const LayerSpec&, const Flow& in) const override { return in; }

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
            tensor(".shift", ParamRole::shift, InitRule::zeros),
            tensor(".mean", ParamRole::mean, InitRule::zeros),
            tensor(".variance", ParamRole::variance, InitRule::ones)};
  }

  [[nodiscard]] std::vector<LayerExample> examples() const override {
    return {{Shape::features(5), {}},
            {Shape::features(1), {{"epsilon", 0.1}}},
            {Shape::image(3, 2, 4), {{"momentum", 0.5}}}};
  }
};

}  // namespace

const Layer& batch_norm_layer() {
  static const BatchNormLayer kLayer;
  return kLayer;
}

}  // namespace nn
