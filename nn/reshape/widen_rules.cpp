#include "nn/reshape/widen_rules.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "nn/layers/activation.h"
#include "nn/model/init.h"
#include "nn/network/flow.h"
#include "nn/reshape/anatomy.h"
#include "nn/reshape/bridge.h"
#include "nn/reshape/calibration.h"
#include "nn/reshape/draw.h"
#include "nn/reshape/reading.h"

namespace nn {
namespace {

/// The numbers of the units that a widening adds, which come last.
std::vector<std::int32_t> new_units(std::int32_t old_units, std::int32_t units) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(units - old_units));
  std::iota(out.begin(), out.end(), old_units);
  return out;
}

/// One widening: the network with its new units empty, and who they are.
template <class T>
struct Widening {
  Widening(const ReshapeJob<T>& j, const std::string& g)
      : job(j),
        group(g),
        old_units(units_of(j.from.spec(), g)),
        units(units_of(j.to, g)),
        fresh(new_units(old_units, units)) {}

  /// Old units as they are, new ones fresh.
  [[nodiscard]] Net<T> padded() const {
    UnitMap map{group, std::vector<std::int32_t>(static_cast<std::size_t>(units), kFreshUnit)};
    std::iota(map.source.begin(), map.source.begin() + old_units, 0);
    return regrouped(map);
  }
  /// The same with incoming weights drawn.
  [[nodiscard]] Net<T> drawn() const {
    Net<T> net = padded();
    draw_units(job.hands, net, group, fresh, job.seed);
    return net;
  }
  [[nodiscard]] Net<T> regrouped(const UnitMap& map) const {
    return regroup(job.hands.kernels, job.from, job.to, map, job.room(job.to));
  }
  /// Some of the new units in a tensor of the result.
  [[nodiscard]] static UnitSlice slice(const Net<T>& net, const GroupAxis& axis,
                                       std::span<const std::int32_t> some) {
    return {net.layout.tensors[static_cast<std::size_t>(axis.tensor)], axis.axis, some};
  }

  const ReshapeJob<T>& job;
  const std::string& group;
  std::int32_t old_units, units;
  std::vector<std::int32_t> fresh;
};

/// Draws the weights that read new units, as init_weights draws them; units of the same group get
/// none from each other.
template <class T>
void draw_readers(Net<T>& net, const Widening<T>& w) {
  std::vector<float> one;
  for (const GroupAxis& reader : readers(net.spec(), w.group)) {
    const UnitSlice slice = w.slice(net, reader, w.fresh);
    const ParamTensor& tensor = slice.tensor();
    const AxisRole& makers_role = tensor.axes[static_cast<std::size_t>(tensor.out_axis)];
    const auto ids = ids_along(net.units, makers_role);
    const auto inputs = ids_along(net.units, tensor.axes[static_cast<std::size_t>(reader.axis)]);
    const std::int32_t known = makers_role.group == w.group ? w.old_units : makers_role.units;
    const Reader matrix(net.layout, reader);
    one.resize(matrix.inputs());
    std::vector<T> list(slice.size());
    for (std::size_t o = 0; o < static_cast<std::size_t>(known); ++o) {
      init_unit(tensor, net.spec().layers[static_cast<std::size_t>(tensor.layer)].name, w.job.seed,
                ids[o], inputs, one);
      for (std::size_t c = 0; c < one.size(); ++c) {
        if (static_cast<std::int32_t>(matrix.unit(c)) < w.old_units) continue;
        const std::size_t k = matrix.unit(c) - static_cast<std::size_t>(w.old_units);
        list[slice.at(k, slice.number(matrix.element(c, o) - tensor.offset))] =
            static_cast<T>(one[c]);
      }
    }
    set_units<T>(w.job.hands, net.copy(0).data(), slice, list);
  }
}

/// Makes every second new unit a copy of the one before it, read with the opposite sign.
template <class T>
Net<T> pairs(const Widening<T>& w) {
  Net<T> net = w.drawn();
  draw_readers(net, w);
  std::vector<std::int32_t> first, second;
  for (std::size_t i = 0; i + 1 < w.fresh.size(); i += 2) {
    first.push_back(w.fresh[i]);
    second.push_back(w.fresh[i + 1]);
  }
  const auto oppose = [&](const GroupAxis& axis, double factor) {
    copy_units(w.job.hands, net.copy(0).data(), w.slice(net, axis, first),
               w.slice(net, axis, second), factor);
  };
  for (const GroupAxis& maker : makers(net.spec(), w.group)) oppose(maker, 1);
  for (const GroupAxis& reader : readers(net.spec(), w.group)) oppose(reader, -1);
  return net;
}

/// The root of the sum of the squares of numbers.
template <class T>
double norm_of(std::span<const T> numbers) {
  double sum = 0;
  for (const T v : numbers) sum += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(sum);
}

/// Adds to the incoming weights of new units draws with `noise` times the spread of the tensor.
template <class T>
void disturb(Net<T>& net, const Widening<T>& w, double noise) {
  const kern::Kernels<T>& kernels = w.job.hands.kernels;
  for (const GroupAxis& maker : makers(net.spec(), w.group)) {
    const UnitSlice slice = w.slice(net, maker, w.fresh);
    const ParamTensor& tensor = slice.tensor();
    if (tensor.role != ParamRole::weight) continue;
    std::vector<T> draws = drawn(net, slice, w.job.seed);
    const double count = static_cast<double>(tensor.count);
    const double share = static_cast<double>(w.fresh.size()) / w.units;
    kern::Exec exec;
    const double all = std::sqrt(
        kernels.sum_squares(exec, tensor.count, net.copy(0).data() + tensor.offset) / count);
    const double spread = norm_of<T>(draws) / std::sqrt(count * share);
    const double factor = spread > 0 ? noise * all / spread : 0;
    for (T& draw : draws) draw *= static_cast<T>(factor);
    add_to_units<T>(w.job.hands, net.copy(0).data(), slice, draws);
  }
}

template <class T>
Net<T> copies(const Widening<T>& w) {
  UnitMap map{w.group, {}};
  std::vector<double> times(static_cast<std::size_t>(w.old_units));
  for (std::int32_t i = 0; i < w.units; ++i) {
    map.source.push_back(i % w.old_units);
    ++times[static_cast<std::size_t>(i % w.old_units)];
  }
  for (const std::int32_t source : map.source) {
    map.out.push_back(1 / times[static_cast<std::size_t>(source)]);
  }
  Net<T> net = w.regrouped(map);
  const double noise = real(w.job.operation.fields, "noise");
  if (noise > 0) disturb(net, w, noise);
  return net;
}

/// Mean length of the outgoing weights of the old units.
template <class T>
double mean_length(const Fetched<T>& weights, const Reader& reader, std::int32_t old_units) {
  double sum = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(old_units); ++c) {
    double square = 0;
    for (std::size_t o = 0; o < reader.outputs(); ++o) {
      const auto weight = static_cast<double>(weights[reader.element(c, o)]);
      square += weight * weight;
    }
    sum += std::sqrt(square);
  }
  return sum / old_units;
}

template <class T>
Net<T> gradmax(const Widening<T>& w) {
  constexpr double kLength = 0.5;  // of the mean of the old outgoing weights
  constexpr double kOpen = 1e-6;   // a bias that lets the gradient through a relu
  const ReshapeContext<T>& hands = w.job.hands;
  const Bridge bridge(w.job.from.spec(), w.group);
  const auto rows = strongest(w.job, bridge);
  Net<T> net = w.drawn();
  const Reader reader = readers_of(net.spec(), w.group).front();
  const ParamTensor& weight = net.layout.tensors[reader.weight()];
  const double length =
      kLength * mean_length(Fetched<T>(*hands.kernels.memory, net.copy(0).data(), weight), reader,
                            w.old_units);
  const std::span some = std::span(w.fresh).first(std::min(rows.size(), w.fresh.size()));
  for (const GroupAxis& maker : makers(net.spec(), w.group)) {
    const UnitSlice slice = w.slice(net, maker, some);
    const bool opens = slice.tensor().role == ParamRole::bias;
    const std::vector<T> list(slice.size(), opens ? static_cast<T>(kOpen) : T(0));
    set_units<T>(hands, net.copy(0).data(), slice, list);
  }
  const UnitSlice outgoing(weight, input_axis(weight), some);
  std::vector<T> list(outgoing.size());
  for (std::size_t k = 0; k < some.size(); ++k) {
    for (std::size_t o = 0; o < reader.outputs(); ++o)
      list[outgoing.at(k, o)] = static_cast<T>(length * rows[k].along[o]);
  }
  set_units<T>(hands, net.copy(0).data(), outgoing, list);
  return net;
}

/// The absolute values of the numbers of a tensor of the old network, on average.
template <class T>
double mean_size(const Widening<T>& w, int tensor) {
  const Fetched<T> numbers(*w.job.hands.kernels.memory, w.job.from.copy(0).data(),
                           w.job.from.layout.tensors[static_cast<std::size_t>(tensor)]);
  double sum = 0;
  for (const T number : numbers.all()) sum += std::abs(static_cast<double>(number));
  return sum / static_cast<double>(numbers.all().size());
}

/// Of a matrix of that many numbers, the places of the `count` largest by absolute value, the
/// largest first.
std::vector<std::size_t> largest_places(const std::vector<double>& matrix, std::size_t count) {
  std::vector<std::size_t> places(matrix.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, std::greater<>(),
                           [&](std::size_t i) { return std::abs(matrix[i]); });
  places.resize(std::min(count, places.size()));
  return places;
}

/// NeST's birth of neurons (Dai, Yin and Jha, IEEE Transactions on Computers 2019): each new unit
/// joins an input of its layer and a sum of the next one whose product of value and gradient is the
/// next largest, by weights of the size that its layers' weights have. Its sign stands where it is
/// read, so that a relu is open where its input is positive.
template <class T>
Net<T> nest(const Widening<T>& w) {
  constexpr double kStrength = 0.3;  // of the mean size of a weight, on each side
  const ReshapeContext<T>& hands = w.job.hands;
  const Bridge bridge(w.job.from.spec(), w.group);
  const std::vector<double> gradient = bridge_gradient(w.job, bridge.layer, bridge.later);
  Net<T> net = w.drawn();
  const GroupAxis read = readers(net.spec(), w.group).front();
  const Reader later(net.layout, read);
  const std::size_t inputs = gradient.size() / later.outputs();
  const std::vector<std::size_t> places = largest_places(gradient, w.fresh.size());
  const std::span some = std::span(w.fresh).first(places.size());
  for (const GroupAxis& maker : makers(net.spec(), w.group)) {
    const UnitSlice slice = w.slice(net, maker, some);
    const ParamTensor& tensor = slice.tensor();
    std::vector<T> list(slice.size());
    if (tensor.role == ParamRole::weight) {
      const Reader layer(net.layout, {.tensor = maker.tensor, .axis = input_axis(tensor)});
      const double size = kStrength * mean_size(w, maker.tensor);
      for (std::size_t k = 0; k < places.size(); ++k) {
        const auto unit = static_cast<std::size_t>(some[k]);
        const std::size_t element = layer.element(places[k] % inputs, unit);
        list[slice.at(k, slice.number(element - tensor.offset))] = static_cast<T>(size);
      }
    }
    set_units<T>(hands, net.copy(0).data(), slice, list);
  }
  const UnitSlice outgoing = w.slice(net, read, some);
  std::vector<T> list(outgoing.size());
  const double size = kStrength * mean_size(w, read.tensor);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const double down = gradient[places[k]] > 0 ? -size : size;
    list[outgoing.at(k, places[k] / inputs)] = static_cast<T>(down);
  }
  set_units<T>(hands, net.copy(0).data(), outgoing, list);
  return net;
}

}  // namespace

bool rule_needs_gradients(const std::string& rule) { return rule == "gradmax" || rule == "nest"; }

FieldInfo rule_field() {
  return {
      .name = "rule",
      .type = FieldType::word,
      .choices = {"fresh", "pair", "replicate", "gradmax", "nest", "random"},
      .value = "fresh",
      .doc =
          "Initial weights of the new units. `fresh`: random incoming weights, outgoing weights 0. "
          "`pair`: pairs of equal units that are read with opposite signs. `replicate`: copies of "
          "old units, which share the outgoing weights with them. `gradmax`: incoming weights 0, "
          "outgoing weights along the largest gradients. `nest`: one incoming and one outgoing "
          "weight for each unit, where the gradient between them is largest. `random`: random "
          "weights on both sides. `nest` and `random` change what the network computes."};
}

FieldInfo noise_field() {
  return {.name = "noise",
          .type = FieldType::real,
          .min = 0,
          .value = 0.0,
          .doc =
              "Noise on the incoming weights of copies, with `replicate`: its spread as a share of "
              "the spread of the weights."};
}

void check_rule(const ModelSpec& spec, const Operation& operation, const std::string& group,
                std::int64_t fresh) {
  const std::string& rule = word(operation.fields, "rule");
  if (real(operation.fields, "noise") > 0 && rule != "replicate") {
    throw SpecError(-1, "noise", "noise belongs to the rule replicate, not to " + rule);
  }
  if (rule == "pair" && fresh % 2 != 0) {
    throw SpecError(-1, "by",
                    "the rule pair adds an even number of units, not " + std::to_string(fresh));
  }
  if (rule_needs_gradients(rule) && !Bridge(spec, group).stands) {
    throw SpecError(-1, "rule",
                    "the rule " + rule + " needs a dense layer with one right after it");
  }
  if (rule == "gradmax") {
    const std::string& activation =
        word(spec.layers[Bridge(spec, group).layer].fields, "activation");
    if (!is_zero_at_zero(activation)) {
      throw SpecError(-1, "rule",
                      "the rule gradmax needs an activation that is 0 at 0, not " + activation);
    }
  }
}

template <class T>
Net<T> widened(const ReshapeJob<T>& job, const std::string& group) {
  const Widening<T> w(job, group);
  const std::string& rule = word(job.operation.fields, "rule");
  if (rule == "pair") return pairs(w);
  if (rule == "replicate") return copies(w);
  if (rule == "gradmax") return gradmax(w);
  if (rule == "nest") return nest(w);
  Net<T> net = w.drawn();
  if (rule == "random") draw_readers(net, w);
  return net;
}

template Net<float> widened(const ReshapeJob<float>&, const std::string&);
template Net<double> widened(const ReshapeJob<double>&, const std::string&);

}  // namespace nn
