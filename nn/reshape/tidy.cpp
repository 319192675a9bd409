#include "nn/reshape/tidy.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "nn/optimizers/optimizer.h"
#include "nn/reshape/anatomy.h"
#include "nn/reshape/calibration.h"
#include "nn/reshape/draw.h"
#include "nn/reshape/reading.h"
#include "nn/reshape/shrink.h"

namespace nn {
namespace {

template <class T>
std::vector<bool> read_units(const Net<T>& net, const std::vector<Reader>& readers,
                             std::size_t units) {
  std::vector<bool> read(units);
  for (const Reader& reader : readers) {
    for (std::size_t c = 0; c < reader.inputs(); ++c) {
      for (std::size_t o = 0; o < reader.outputs(); ++o) {
        if (net.copy(0)[reader.element(c, o)] != T(0)) read[reader.unit(c)] = true;
      }
    }
  }
  return read;
}

template <class T>
std::vector<bool> living_units(const ReshapeJob<T>& job, const std::vector<Reader>& readers,
                               std::size_t units) {
  std::vector<bool> living(units);
  for (const Reader& reader : readers) {
    const LayerInputs<T> seen = layer_inputs(job, reader.layer(), Kept::sums);
    for (std::size_t c = 0; c < reader.inputs(); ++c) {
      if (seen.squares[c] != 0) living[reader.unit(c)] = true;
    }
  }
  return living;
}

/// Calls f(tensor, axis) for every tensor that makes the units of a group.
template <class T, class F>
void for_each_maker(const Net<T>& net, const std::string& group, F f) {
  for (const GroupAxis& maker : makers(net.spec(), group)) {
    f(net.layout.tensors[static_cast<std::size_t>(maker.tensor)], maker.axis);
  }
}

/// All numbers that make a unit.
template <class T>
std::vector<T> recipe(const Net<T>& net, const std::string& group, std::int32_t unit) {
  std::vector<T> out;
  for_each_maker(net, group, [&](const ParamTensor& tensor, std::int32_t axis) {
    for_each_of_unit(tensor, axis, unit,
                     [&](std::size_t element) { out.push_back(net.copy(0)[element]); });
  });
  return out;
}

/// For each unit the first one with the same recipe.
template <class T>
std::vector<std::size_t> originals(const Net<T>& net, const std::string& group, std::size_t units) {
  std::map<std::vector<T>, std::size_t> first;
  std::vector<std::size_t> out;
  for (std::size_t u = 0; u < units; ++u) {
    auto numbers = recipe(net, group, static_cast<std::int32_t>(u));
    out.push_back(first.emplace(std::move(numbers), u).first->second);
  }
  return out;
}

/// A slot of power p of the sum of two gradients that point the same way.
template <class T>
T joined(T a, T b, int power) {
  if (power == 0) return a;
  if (power == 1) return a + b;
  const T root = T(1) / static_cast<T>(power);
  return std::pow(std::pow(a, root) + std::pow(b, root), static_cast<T>(power));
}

/// Gives unit `to` what unit `from` says: its outgoing weights, and its share of the gradients.
template <class T>
void take_over(Net<T>& net, const std::string& group, const std::vector<Reader>& readers,
               std::size_t from, std::size_t to) {
  for (const Reader& reader : readers) {
    for (std::size_t c = 0; c < reader.inputs(); ++c) {
      if (reader.unit(c) != from) continue;
      for (std::size_t o = 0; o < reader.outputs(); ++o) {
        net.copy(0)[reader.element(c - from + to, o)] += net.copy(0)[reader.element(c, o)];
      }
    }
  }
  for (int s = 1; s <= net.header.slots; ++s) {
    const int power =
        optimizer_of(net.header.optimizer).slot_powers()[static_cast<std::size_t>(s - 1)];
    for_each_maker(net, group, [&](const ParamTensor& tensor, std::int32_t axis) {
      std::vector<T> given;
      for_each_of_unit(tensor, axis, static_cast<std::int32_t>(from),
                       [&](std::size_t e) { given.push_back(net.copy(s)[e]); });
      std::size_t next = 0;
      for_each_of_unit(tensor, axis, static_cast<std::int32_t>(to), [&](std::size_t e) {
        net.copy(s)[e] = joined(net.copy(s)[e], given[next++], power);
      });
    });
  }
}

template <class T>
Net<T> tidy(const ReshapeJob<T>& job) {
  const Fields& fields = job.operation.fields;
  const std::string group = resizable_group(job.from.spec(), job.operation.layer);
  const auto readers = readers_of(job.from.spec(), group);
  const auto units = static_cast<std::size_t>(units_of(job.from.spec(), group));
  Net<T> net = job.from;
  std::vector<bool> kept(units, true);
  if (boolean(fields, "duplicates")) {
    const auto first = originals(net, group, units);
    for (std::size_t u = 0; u < units; ++u) {
      if (first[u] == u) continue;
      take_over(net, group, readers, u, first[u]);
      kept[u] = false;
    }
  }
  const auto keep_only = [&](const std::vector<bool>& useful) {
    for (std::size_t u = 0; u < units; ++u) kept[u] = kept[u] && useful[u];
  };
  if (boolean(fields, "unread")) keep_only(read_units(net, readers, units));
  if (boolean(fields, "dead")) keep_only(living_units(job, readers, units));
  if (std::ranges::find(kept, true) == kept.end()) kept.front() = true;
  const auto left = std::ranges::count(kept, true);
  return regroup(net, resized(net.spec(), group, left), keep_map(group, kept));
}

FieldInfo choice(std::string name, bool value, std::string doc) {
  return {
      .name = std::move(name), .type = FieldType::boolean, .value = value, .doc = std::move(doc)};
}

class TidyKind final : public ReshapeKind {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "tidy",
        .doc = "Removes units of a layer that add nothing.",
        .fields = {choice("unread", true, "Whether units go whose outgoing weights are all 0."),
                   choice("duplicates", true, "Whether units that are alike become one."),
                   choice("dead", false, "Whether units go that are 0 for all calibration rows.")}};
    return kInfo;
  }

  [[nodiscard]] ModelSpec spec(const ModelSpec& from, const Operation& operation) const override {
    (void)resizable_group(from, operation.layer);
    return from;
  }
  [[nodiscard]] bool size_depends_on_data(const Operation&) const override { return true; }
  [[nodiscard]] bool needs_data(const Operation& operation) const override {
    return boolean(operation.fields, "dead");
  }
  [[nodiscard]] std::uint64_t flops(const ModelSpec& spec, const Operation& operation,
                                    std::uint64_t rows) const override {
    if (!needs_data(operation)) return 0;
    const auto readers = readers_of(spec, resizable_group(spec, operation.layer));
    return readers.size() * flops_per_row(spec).forward * rows;
  }
  [[nodiscard]] Net<float> run(const ReshapeJob<float>& job) const override { return tidy(job); }
  [[nodiscard]] Net<double> run(const ReshapeJob<double>& job) const override { return tidy(job); }
};

}  // namespace

const ReshapeKind& tidy_operation() {
  static const TidyKind kKind;
  return kKind;
}

}  // namespace nn
