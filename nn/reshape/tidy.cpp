#include "nn/reshape/tidy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "nn/optimizers/optimizer.h"
#include "nn/reshape/anatomy.h"
#include "nn/reshape/calibration.h"
#include "nn/reshape/draw.h"
#include "nn/reshape/reading.h"
#include "nn/reshape/shrink.h"

namespace nn {
namespace {

/// Tensors of the network that a job works on, in the program's memory, to be read and changed.
template <class T>
class Tensors {
 public:
  using Name = std::pair<int, std::size_t>;  ///< a copy as in Net::copy, a tensor of the layout

  explicit Tensors(const ReshapeJob<T>& job) : job_(job) {}

  [[nodiscard]] const ParamTensor& shape(std::size_t tensor) const {
    return job_.from.layout.tensors[tensor];
  }
  /// Its numbers.
  [[nodiscard]] std::vector<T>& of(Name name) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    const Fetched<T> there(*job_.hands.kernels.memory, job_.from.copy(name.first).data(),
                           shape(name.second));
    return numbers_.emplace(name, std::vector<T>(there.all().begin(), there.all().end()))
        .first->second;
  }
  /// The same of one that is about to be changed.
  [[nodiscard]] std::vector<T>& changing(Name name) {
    changed_.insert(name);
    return of(name);
  }
  /// Puts what was changed where a regrouping has put what was there before.
  void regroup_changed(const UnitMap& map, Net<T>& net) {
    for (const Name& name : changed_)
      regroup_tensor<T>(job_.hands, job_.from.layout, of(name), map, name, net);
  }

 private:
  const ReshapeJob<T>& job_;
  std::map<Name, std::vector<T>> numbers_;
  std::set<Name> changed_;
};

/// A group of units, and the tensors that make and read them.
struct Units {
  Units(const ModelSpec& spec, std::string name)
      : group(std::move(name)),
        count(static_cast<std::size_t>(units_of(spec, group))),
        makers(nn::makers(spec, group)),
        readers(readers_of(spec, group)) {}

  std::string group;
  std::size_t count;
  std::vector<GroupAxis> makers;
  std::vector<Reader> readers;
};

template <class T>
std::vector<bool> read_units(Tensors<T>& tensors, const Units& units) {
  std::vector<bool> read(units.count);
  for (const Reader& reader : units.readers) {
    const std::vector<T>& weights = tensors.of({0, reader.weight()});
    const std::size_t first = tensors.shape(reader.weight()).offset;
    for (std::size_t c = 0; c < reader.inputs(); ++c) {
      for (std::size_t o = 0; o < reader.outputs(); ++o) {
        if (weights[reader.element(c, o) - first] != T(0)) read[reader.unit(c)] = true;
      }
    }
  }
  return read;
}

template <class T>
std::vector<bool> living_units(const ReshapeJob<T>& job, const Units& units) {
  std::vector<bool> living(units.count);
  for (const Reader& reader : units.readers) {
    const LayerInputs<T> seen = layer_inputs(job, reader.layer(), Kept::sums);
    for (std::size_t c = 0; c < reader.inputs(); ++c) {
      if (seen.squares[c] != 0) living[reader.unit(c)] = true;
    }
  }
  return living;
}

/// For each unit the first one that is made of the same numbers.
template <class T>
std::vector<std::size_t> originals(Tensors<T>& tensors, const Units& units) {
  std::vector<std::vector<T>> recipes(units.count);
  for (const GroupAxis& maker : units.makers) {
    const auto index = static_cast<std::size_t>(maker.tensor);
    const ParamTensor& tensor = tensors.shape(index);
    const std::vector<T>& numbers = tensors.of({0, index});
    for (std::size_t u = 0; u < units.count; ++u) {
      for_each_of_unit(tensor, maker.axis, static_cast<std::int32_t>(u), [&](std::size_t element) {
        recipes[u].push_back(numbers[element - tensor.offset]);
      });
    }
  }
  std::map<std::vector<T>, std::size_t> first;
  std::vector<std::size_t> out;
  for (std::size_t u = 0; u < units.count; ++u)
    out.push_back(first.emplace(std::move(recipes[u]), u).first->second);
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

/// Gives unit `to` the outgoing weights of unit `from`, too.
template <class T>
void take_over(Tensors<T>& tensors, const Units& units, std::size_t from, std::size_t to) {
  for (const Reader& reader : units.readers) {
    std::vector<T>& weights = tensors.changing({0, reader.weight()});
    const std::size_t first = tensors.shape(reader.weight()).offset;
    for (std::size_t c = 0; c < reader.inputs(); ++c) {
      if (reader.unit(c) != from) continue;
      for (std::size_t o = 0; o < reader.outputs(); ++o) {
        weights[reader.element(c - from + to, o) - first] += weights[reader.element(c, o) - first];
      }
    }
  }
}

/// Gives unit `to` its share of the gradients of unit `from`, too.
template <class T>
void take_over_slots(Tensors<T>& tensors, const Units& units, const ParamSlab::Header& header,
                     std::size_t from, std::size_t to) {
  for (int s = 1; s <= header.slots; ++s) {
    const int power = optimizer_of(header.optimizer).slot_powers()[static_cast<std::size_t>(s - 1)];
    for (const GroupAxis& maker : units.makers) {
      const auto index = static_cast<std::size_t>(maker.tensor);
      const ParamTensor& tensor = tensors.shape(index);
      std::vector<T>& slot = tensors.changing({s, index});
      std::vector<T> given;
      for_each_of_unit(tensor, maker.axis, static_cast<std::int32_t>(from),
                       [&](std::size_t e) { given.push_back(slot[e - tensor.offset]); });
      std::size_t next = 0;
      for_each_of_unit(tensor, maker.axis, static_cast<std::int32_t>(to), [&](std::size_t e) {
        T& number = slot[e - tensor.offset];
        number = joined(number, given[next++], power);
      });
    }
  }
}

/// What is left of the units of the job's layer.
template <class T>
struct Tidied {
  explicit Tidied(const ReshapeJob<T>& job)
      : units(job.from.spec(), resizable_group(job.from.spec(), job.operation.layer)),
        tensors(job),
        kept(units.count, true) {
    const Fields& fields = job.operation.fields;
    if (boolean(fields, "duplicates")) first = originals(tensors, units);
    for (std::size_t u = 0; u < first.size(); ++u) {
      if (first[u] == u) continue;
      take_over(tensors, units, u, first[u]);
      kept[u] = false;
    }
    if (boolean(fields, "unread")) keep_only(read_units(tensors, units));
    if (boolean(fields, "dead")) keep_only(living_units(job, units));
    if (std::ranges::find(kept, true) == kept.end()) kept.front() = true;
    spec = resized(job.from.spec(), units.group, std::ranges::count(kept, true));
  }

  void keep_only(const std::vector<bool>& useful) {
    for (std::size_t u = 0; u < kept.size(); ++u) kept[u] = kept[u] && useful[u];
  }

  Units units;
  Tensors<T> tensors;              ///< outgoing weights of duplicates added up
  std::vector<std::size_t> first;  ///< of each unit the first one like it; empty: nobody asked
  std::vector<bool> kept;
  ModelSpec spec;
};

template <class T>
Net<T> tidy(const ReshapeJob<T>& job) {
  Tidied<T> tidied(job);
  const UnitMap map = keep_map(tidied.units.group, tidied.kept);
  Net<T> net = regroup(job.hands.kernels, job.from, tidied.spec, map, job.room(tidied.spec));
  for (std::size_t u = 0; u < tidied.first.size(); ++u) {
    if (tidied.first[u] != u)
      take_over_slots(tidied.tensors, tidied.units, net.header, u, tidied.first[u]);
  }
  tidied.tensors.regroup_changed(map, net);
  return net;
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
        .doc = "Removes units of a layer that contribute nothing.",
        .fields = {choice("unread", true, "Remove units whose outgoing weights are all 0."),
                   choice("duplicates", true, "Merge units that are equal."),
                   choice("dead", false,
                          "Remove units that are 0 for all calibration rows, which are rows of the "
                          "training part.")}};
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
  [[nodiscard]] ModelSpec measured_spec(const ReshapeJob<float>& job) const override {
    return Tidied<float>(job).spec;
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
