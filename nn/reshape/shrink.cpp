#include "nn/reshape/shrink.h"

#include <algorithm>
#include <numeric>

#include "nn/reshape/anatomy.h"
#include "nn/reshape/refit.h"
#include "nn/reshape/score.h"
#include "nn/reshape/size.h"

namespace nn {
namespace {

bool refits(const Operation& operation) { return boolean(operation.fields, "refit"); }

const std::string& score_of(const Operation& operation) { return word(operation.fields, "score"); }

bool needs_inputs(const Operation& operation) {
  return refits(operation) || score_needs_inputs(score_of(operation));
}

/// What the products and the solution of one refit cost.
std::uint64_t refit_flops(const Reader& reader, std::uint64_t rows) {
  const std::uint64_t n = reader.inputs() + 1;
  if (keeps_gram(n, rows)) return n * n * rows + n * n * n / 3 + 2 * n * n * reader.outputs();
  const std::uint64_t m = kept_rows(n, rows);
  return m * m * n + m * m * m / 3 + 2 * m * (m + n) * reader.outputs();
}

/// Where `which` is true.
std::vector<std::size_t> places_of(const std::vector<bool>& which) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (which[i]) out.push_back(i);
  }
  return out;
}

template <class T>
Net<T> shrink(const ReshapeJob<T>& job) {
  const std::string group = resizable_group(job.from.spec(), job.operation.layer);
  const std::vector<Reader> readers = readers_of(job.from.spec(), group);
  std::vector<LayerInputs<T>> seen;
  if (needs_inputs(job.operation)) {
    const Kept wanted = refits(job.operation) ? Kept::all : Kept::sums;
    for (const Reader& reader : readers) seen.push_back(layer_inputs(job, reader.layer(), wanted));
  }
  const auto scores = unit_scores(job, group, readers, seen);
  const auto kept = highest(scores, static_cast<std::size_t>(units_of(job.to, group)));
  const kern::Kernels<T>& kernels = job.hands.kernels;
  Net<T> net = regroup(kernels, job.from, job.to, keep_map(group, kept), job.room(job.to));
  if (!refits(job.operation)) return net;
  const std::vector<Reader> left = readers_of(job.to, group);
  for (std::size_t r = 0; r < readers.size(); ++r) {
    const ParamTensor& weight = job.from.layout.tensors[readers[r].weight()];
    const Fetched<T> weights(*kernels.memory, job.from.copy(0).data(), weight);
    const std::vector<T> change = refit(*kernels.algebra, seen[r], readers[r], kept, weights);
    if (change.empty()) continue;
    const bool makes = weight.axes[static_cast<std::size_t>(weight.out_axis)].group == group;
    const std::vector<bool> all(readers[r].outputs(), true);
    change_reader<T>(job.hands, net, left[r], places_of(makes ? kept : all), change);
  }
  return net;
}

class ShrinkKind final : public ReshapeKind {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{.kind = "shrink",
                                .doc = "Removes units of a layer.",
                                .fields = {by_field("Number of units to remove."),
                                           to_field(),
                                           score_field(),
                                           {.name = "refit",
                                            .type = FieldType::boolean,
                                            .value = true,
                                            .doc = "Least-squares refit of the layers that read "
                                                   "this one, on rows of the training part."}}};
    return kInfo;
  }

  void check(const Operation& operation) const override { check_size(operation); }

  [[nodiscard]] ModelSpec spec(const ModelSpec& from, const Operation& operation) const override {
    const std::string group = resizable_group(from, operation.layer);
    const std::int64_t now = units_of(from, group), wanted = new_size(operation, now, -1);
    if (wanted >= now) {
      throw SpecError(-1, "to",
                      "expected fewer than its " + std::to_string(now) + " units, not " +
                          std::to_string(wanted));
    }
    check_score(from, score_of(operation), group);
    return resized(from, group, wanted);
  }

  [[nodiscard]] bool needs_data(const Operation& operation) const override {
    return needs_inputs(operation) || score_needs_gradients(score_of(operation));
  }

  [[nodiscard]] std::size_t gradient_numbers(const ModelSpec& spec,
                                             const Operation& operation) const override {
    return score_needs_gradients(score_of(operation)) ? param_layout(spec).count : 0;
  }

  [[nodiscard]] std::uint64_t flops(const ModelSpec& spec, const Operation& operation,
                                    std::uint64_t rows) const override {
    std::uint64_t out = 0;
    if (score_needs_gradients(score_of(operation))) out += flops_per_row(spec).training * rows;
    if (!needs_inputs(operation)) return out;
    for (const Reader& reader : readers_of(spec, resizable_group(spec, operation.layer))) {
      out += flops_per_row(spec).forward * rows;
      if (refits(operation)) out += refit_flops(reader, rows);
    }
    return out;
  }

  [[nodiscard]] Net<float> run(const ReshapeJob<float>& job) const override { return shrink(job); }
  [[nodiscard]] Net<double> run(const ReshapeJob<double>& job) const override {
    return shrink(job);
  }
};

}  // namespace

std::vector<bool> highest(const std::vector<double>& scores, std::size_t count) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return scores[i]; });
  std::vector<bool> kept(scores.size());
  for (std::size_t i = 0; i < count; ++i) kept[order[i]] = true;
  return kept;
}

UnitMap keep_map(const std::string& group, const std::vector<bool>& kept) {
  UnitMap map{group, {}};
  for (std::size_t u = 0; u < kept.size(); ++u) {
    if (kept[u]) map.source.push_back(static_cast<std::int32_t>(u));
  }
  return map;
}

const ReshapeKind& shrink_operation() {
  static const ShrinkKind kKind;
  return kKind;
}

}  // namespace nn
