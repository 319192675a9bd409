#include "nn/reshape/widen.h"

#include <numeric>

#include "nn/reshape/anatomy.h"
#include "nn/reshape/draw.h"
#include "nn/reshape/size.h"

namespace nn {
namespace {

/// Old units as they are, then fresh ones.
UnitMap with_fresh(const std::string& group, std::int32_t old_units, std::int32_t units) {
  UnitMap map{group, {}};
  for (std::int32_t i = 0; i < units; ++i) {
    map.source.push_back(i < old_units ? i : kFreshUnit);
  }
  return map;
}

template <class T>
Net<T> widen_fresh(const ReshapeJob<T>& job, const std::string& group) {
  const std::int32_t old = units_of(job.from.spec(), group), now = units_of(job.to, group);
  Net<T> net = regroup(job.from, job.to, with_fresh(group, old, now));
  std::vector<std::int32_t> fresh(static_cast<std::size_t>(now - old));
  std::iota(fresh.begin(), fresh.end(), old);
  draw_units(net, group, fresh, job.seed);
  clear_readers(net, group, fresh);
  return net;
}

class WidenKind final : public ReshapeKind {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "widen",
        .doc = "More units in a layer.",
        .fields = {by_field("Number of units to add."),
                   to_field(),
                   {.name = "rule",
                    .type = FieldType::word,
                    .choices = {"fresh"},
                    .value = "fresh",
                    .doc = "What the new units start with; fresh: drawn incoming weights, "
                           "outgoing weights 0."}}};
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
    return resized(from, group, wanted);
  }

  [[nodiscard]] Net<float> run(const ReshapeJob<float>& job) const override { return work(job); }
  [[nodiscard]] Net<double> run(const ReshapeJob<double>& job) const override { return work(job); }

 private:
  template <class T>
  static Net<T> work(const ReshapeJob<T>& job) {
    return widen_fresh(job, resizable_group(job.from.spec(), job.operation.layer));
  }
};

}  // namespace

const ReshapeKind& widen_operation() {
  static const WidenKind kKind;
  return kKind;
}

}  // namespace nn
