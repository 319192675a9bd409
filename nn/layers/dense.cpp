#include "nn/layers/dense.h"

#include <algorithm>

#include "nn/layers/activating.h"

namespace nn {
namespace {

template <class T>
class DenseOp final : public LayerOp<T> {
 public:
  explicit DenseOp(const LayerPlan<T>& plan)
      : in_(static_cast<int>(plan.in.shape.elements())),
        out_(static_cast<int>(plan.out.shape.elements())),
        activation_(activation_of(plan.spec.fields), out_, plan),
        weight_(plan.params[0].offset),
        bias_(plan.params[1].offset) {}

  [[nodiscard]] LayerNeeds needs() const override {
    return {.input_in_backward = true,
            .output_in_backward = activation_.output_in_backward(),
            .saved_bytes = activation_.saved_bytes()};
  }

  void forward(const LayerPass<T>& p) const override {
    p.kernels.gemm(p.exec, {.m = p.rows,
                            .n = out_,
                            .k = in_,
                            .a = p.x,
                            .lda = in_,
                            .b = p.weights + weight_,
                            .ldb = out_,
                            .c = activation_.target(p),
                            .ldc = out_});
    p.kernels.bias_activation(p.exec, p.rows, out_, p.weights + bias_, activation_.at_once(),
                              activation_.target(p));
    activation_.finish(p, static_cast<std::size_t>(p.rows) * static_cast<std::size_t>(out_));
  }

  [[nodiscard]] bool sinks() const override { return true; }

  void backward(const LayerPass<T>& p) const override {
    activation_.backward(p, p.rows, out_, p.gradient + bias_);
    if (p.dx != nullptr) input_gradient(p);  // first: it reads the weights
    if (p.sink == nullptr) return weight_gradient(p, 0, in_);
    p.sink->take(p.exec, bias_, static_cast<std::size_t>(out_), p.gradient + bias_);
    const int rows = slice_rows();
    for (int row = 0, some = 0; row < in_; row += some) {
      some = std::min(rows, in_ - row);
      if (in_ - row - some == 1) ++some;  // a single row is multiplied in another way than several
      weight_gradient(p, row, some);
      p.sink->take(p.exec, weight_ + number(row), number(some), p.gradient + weight_);
    }
  }

 private:
  /// Weights handed to a sink at once: with their optimizer slots they fit a core's own cache,
  /// while those of a large layer are multiplied by a library that is quicker with all of them at
  /// once. A narrow layer is left whole, because the order of its sums hangs on all its rows.
  /// So slices have the bits of the whole: tests/kernels/gemm_test.cpp holds the kernels to it.
  [[nodiscard]] int slice_rows() const {
    constexpr int kSlice = 8192, kLargest = 1 << 18, kNarrowest = 32, kMultiple = 28;
    if (out_ < kNarrowest || number(in_) > kLargest) return in_;
    return std::max(kMultiple, kSlice / out_ / kMultiple * kMultiple);
  }
  [[nodiscard]] std::size_t number(int rows) const {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(out_);
  }

  /// Of the weights of inputs [row, row + rows), to where the tensor's gradient begins.
  void weight_gradient(const LayerPass<T>& p, int row, int rows) const {
    p.kernels.gemm(p.exec, {.trans_a = true,
                            .m = rows,
                            .n = out_,
                            .k = p.rows,
                            .a = p.x + row,
                            .lda = in_,
                            .b = p.dy,
                            .ldb = out_,
                            .c = p.gradient + weight_,
                            .ldc = out_});
  }

  void input_gradient(const LayerPass<T>& p) const {
    p.kernels.gemm(p.exec, {.trans_b = true,
                            .m = p.rows,
                            .n = in_,
                            .k = out_,
                            .a = p.dy,
                            .lda = out_,
                            .b = p.weights + weight_,
                            .ldb = out_,
                            .c = p.dx,
                            .ldc = in_});
  }

  int in_, out_;
  Activating<T> activation_;
  std::size_t weight_, bias_;
};

class DenseLayer final : public LayerOf<DenseOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{.kind = "dense",
                                .doc = "Fully connected layer: every unit reads every input.",
                                .fields = {{.name = "units",
                                            .type = FieldType::integer,
                                            .min = 1,
                                            .max = 1'000'000,
                                            .doc = "Number of units."},
                                           activation_field()}};
    return kInfo;
  }

  [[nodiscard]] Flow flow(const LayerSpec& spec, const Flow& in) const override {
    if (in.shape.is_image()) {
      throw SpecError(-1, "",
                      "dense needs features, not an image of " + in.shape.text() +
                          "; put a flatten layer before it");
    }
    const auto units = Dense::from(spec.fields).units;
    return {Shape::features(units), {.group = spec.name, .units = units}};
  }

  [[nodiscard]] std::vector<ParamTensor> params(const LayerSpec& spec,
                                                const Flow& in) const override {
    const Dense dense = Dense::from(spec.fields);
    const auto inputs = static_cast<std::int32_t>(in.shape.elements());
    const AxisRole own{.group = spec.name, .units = dense.units};
    return {{.name = spec.name + ".weight",
             .role = ParamRole::weight,
             .dims = {inputs, dense.units},
             .axes = {in.units, own},
             .out_axis = 1,
             .init = init_for(dense.activation),
             .fan_in = inputs,
             .fan_out = dense.units},
            {.name = spec.name + ".bias",
             .role = ParamRole::bias,
             .dims = {dense.units},
             .axes = {own}}};
  }

  [[nodiscard]] std::uint64_t flops(const LayerSpec& spec, const Flow& in) const override {
    return 2 * static_cast<std::uint64_t>(in.shape.elements()) *
           static_cast<std::uint64_t>(Dense::from(spec.fields).units);
  }

  [[nodiscard]] std::vector<LayerExample> examples() const override {
    return {{Shape::features(5), {{"units", std::int64_t{4}}}},
            {Shape::features(1), {{"units", std::int64_t{3}}}},
            {Shape::features(7), {{"units", std::int64_t{1}}}}};
  }
};

}  // namespace

Dense Dense::from(const Fields& fields) {
  return {static_cast<std::int32_t>(integer(fields, "units")), activation_of(fields)};
}

const Layer& dense_layer() {
  static const DenseLayer kLayer;
  return kLayer;
}

}  // namespace nn
