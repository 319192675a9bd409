#include "nn/layers/avg_pool.h"

#include "nn/layers/pool.h"

namespace nn {
namespace {

template <class T>
class AvgPoolOp final : public MeanPoolOp<T> {
 public:
  explicit AvgPoolOp(const LayerPlan<T>& plan)
      : MeanPoolOp<T>(pool_window(plan.spec.fields, plan.in.shape)) {}
};

class AvgPoolLayer final : public LayerOf<AvgPoolOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{.kind = "avg_pool",
                                .doc = "Mean of each window of each channel.",
                                .fields = pool_fields(255)};
    return kInfo;
  }
  [[nodiscard]] Flow flow(const LayerSpec& spec, const Flow& in) const override {
    return pool_flow("avg_pool", spec.fields, in);
  }
  [[nodiscard]] std::vector<LayerExample> examples() const override { return pool_examples(); }
};

}  // namespace

const Layer& avg_pool_layer() {
  static const AvgPoolLayer kLayer;
  return kLayer;
}

}  // namespace nn
