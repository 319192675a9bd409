#include "nn/reshape/widen.h"

#include "nn/reshape/anatomy.h"
#include "nn/reshape/bridge.h"
#include "nn/reshape/calibration.h"
#include "nn/reshape/size.h"
#include "nn/reshape/widen_rules.h"

namespace nn {
namespace {

class WidenKind final : public ReshapeKind {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "widen",
        .doc = "Adds units to a layer.",
        .fields = {by_field("Number of units to add."), to_field(), rule_field(), noise_field()}};
    return kInfo;
  }

  void check(const Operation& operation) const override { check_size(operation); }

  [[nodiscard]] ModelSpec spec(const ModelSpec& from, const Operation& operation) const override {
    const std::string group = resizable_group(from, operation.layer);
    const std::int64_t now = units_of(from, group), wanted = new_size(operation, now, 1);
    if (wanted <= now) {
      throw SpecError(-1, "to",
                      "expected more than its " + std::to_string(now) + " units, not " +
                          std::to_string(wanted));
    }
    check_rule(from, operation, group, wanted - now);
    return resized(from, group, wanted);
  }

  [[nodiscard]] bool needs_data(const Operation& operation) const override {
    return rule_needs_gradients(word(operation.fields, "rule"));
  }

  [[nodiscard]] std::size_t gradient_numbers(const ModelSpec& spec,
                                             const Operation& operation) const override {
    if (!needs_data(operation)) return 0;
    const Bridge bridge(spec, resizable_group(spec, operation.layer));
    return bridge_numbers(spec, bridge.layer, bridge.later);
  }

  [[nodiscard]] std::uint64_t flops(const ModelSpec& spec, const Operation& operation,
                                    std::uint64_t rows) const override {
    if (!needs_data(operation)) return 0;
    const Bridge bridge(spec, resizable_group(spec, operation.layer));
    const bool directed = word(operation.fields, "rule") == "gradmax";
    return bridge_flops(spec, bridge, rows) + (directed ? direction_flops(spec, bridge) : 0);
  }

  [[nodiscard]] Net<float> run(const ReshapeJob<float>& job) const override { return work(job); }
  [[nodiscard]] Net<double> run(const ReshapeJob<double>& job) const override { return work(job); }

 private:
  template <class T>
  static Net<T> work(const ReshapeJob<T>& job) {
    return widened(job, resizable_group(job.from.spec(), job.operation.layer));
  }
};

}  // namespace

const ReshapeKind& widen_operation() {
  static const WidenKind kKind;
  return kKind;
}

}  // namespace nn
