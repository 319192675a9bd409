#include "nn/reshape/widen_rules.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/init.h"
#include "nn/layers/layer.h"
#include "nn/reshape/anatomy.h"
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
    return regroup(job.from, job.to, map);
  }
  /// The same with incoming weights drawn.
  [[nodiscard]] Net<T> drawn() const {
    Net<T> net = padded();
    draw_units(net, group, fresh, job.seed);
    clear_readers(net, group, fresh);
    return net;
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
  std::vector<float> slice;
  for (const GroupAxis& reader : readers(net.spec(), w.group)) {
    const ParamTensor& tensor = net.layout.tensors[static_cast<std::size_t>(reader.tensor)];
    const auto own = static_cast<std::size_t>(tensor.out_axis);
    const AxisRole& makers_role = tensor.axes[own];
    const auto ids = ids_along(net.units, makers_role);
    const auto inputs = ids_along(net.units, tensor.axes[static_cast<std::size_t>(reader.axis)]);
    const std::int32_t known = makers_role.group == w.group ? w.old_units : makers_role.units;
    const Reader matrix(net.layout, reader);
    slice.resize(matrix.inputs());
    for (std::size_t o = 0; o < static_cast<std::size_t>(known); ++o) {
      init_unit(tensor, net.spec().layers[static_cast<std::size_t>(tensor.layer)].name, w.job.seed,
                ids[o], inputs, slice);
      for (std::size_t c = 0; c < slice.size(); ++c) {
        const bool added = static_cast<std::int32_t>(matrix.unit(c)) >= w.old_units;
        if (added) net.copy(0)[matrix.element(c, o)] = static_cast<T>(slice[c]);
      }
    }
  }
}

/// Makes new unit `to` a copy of new unit `from`, read with the opposite sign.
template <class T>
void oppose(Net<T>& net, const std::string& group, std::int32_t from, std::int32_t to) {
  const auto copy = [&](const GroupAxis& axis, T factor) {
    const ParamTensor& tensor = net.layout.tensors[static_cast<std::size_t>(axis.tensor)];
    std::vector<T> values;
    for_each_of_unit(tensor, axis.axis, from,
                     [&](std::size_t e) { values.push_back(factor * net.copy(0)[e]); });
    std::size_t next = 0;
    for_each_of_unit(tensor, axis.axis, to,
                     [&](std::size_t e) { net.copy(0)[e] = values[next++]; });
  };
  for (const GroupAxis& maker : makers(net.spec(), group)) copy(maker, 1);
  for (const GroupAxis& reader : readers(net.spec(), group)) copy(reader, -1);
}

template <class T>
Net<T> pairs(const Widening<T>& w) {
  Net<T> net = w.drawn();
  draw_readers(net, w);
  for (std::size_t i = 0; i + 1 < w.fresh.size(); i += 2) {
    oppose(net, w.group, w.fresh[i], w.fresh[i + 1]);
  }
  return net;
}

/// Adds to the incoming weights of new units draws with `noise` times the spread of the tensor.
template <class T>
void disturb(Net<T>& net, const Widening<T>& w, double noise) {
  Net<T> draws = Net<T>::empty(net.header);
  draws.units = net.units;
  draw_units(draws, w.group, w.fresh, w.job.seed);
  for (const GroupAxis& maker : makers(net.spec(), w.group)) {
    const ParamTensor& tensor = net.layout.tensors[static_cast<std::size_t>(maker.tensor)];
    if (tensor.role != ParamRole::weight) continue;
    const auto spread = [&](std::span<const T> values) {
      double sum = 0;
      for (const T v : values) sum += static_cast<double>(v) * static_cast<double>(v);
      return std::sqrt(sum);
    };
    double drawn = 0;
    for (const std::int32_t unit : w.fresh) {
      std::vector<T> values;
      for_each_of_unit(tensor, maker.axis, unit,
                       [&](std::size_t e) { values.push_back(draws.copy(0)[e]); });
      drawn = std::hypot(drawn, spread(values));
    }
    const double count = static_cast<double>(tensor.count);
    const double share = static_cast<double>(w.fresh.size()) / w.units;
    const double all = spread(net.copy(0).subspan(tensor.offset, tensor.count)) / std::sqrt(count);
    const double factor = drawn > 0 ? noise * all / (drawn / std::sqrt(count * share)) : 0;
    for (const std::int32_t unit : w.fresh) {
      for_each_of_unit(tensor, maker.axis, unit, [&](std::size_t e) {
        net.copy(0)[e] += static_cast<T>(factor) * draws.copy(0)[e];
      });
    }
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
  Net<T> net = regroup(w.job.from, w.job.to, map);
  const double noise = real(w.job.operation.fields, "noise");
  if (noise > 0) disturb(net, w, noise);
  return net;
}

/// The layers between which GradMax works.
struct Bridge {
  Bridge(const ModelSpec& spec, const std::string& group) {
    const ParamLayout layout = param_layout(spec);
    for (const GroupAxis& maker : makers(spec, group)) {
      const ParamTensor& tensor = layout.tensors[static_cast<std::size_t>(maker.tensor)];
      layer = static_cast<std::size_t>(tensor.layer);
    }
    for (const Reader& reader : readers_of(spec, group)) later = reader.layer();
    const auto dense = [&](std::size_t i) { return spec.layers[i].kind == "dense"; };
    stands = dense(layer) && dense(later) && later == layer + 1;
  }
  std::size_t layer = 0, later = 0;
  bool stands = false;
};

/// Rows: the directions of the later layer's sums that the gradient asks for most, the strongest
/// first, of length 1; as many as it has.
template <class T>
std::vector<std::vector<double>> directions(const ReshapeJob<T>& job, const Bridge& bridge) {
  const std::vector<double> m = bridge_gradient(job, bridge.layer, bridge.later);
  const auto units =
      static_cast<std::size_t>(infer_flows(job.from.spec())[bridge.later + 1].shape.elements());
  const std::size_t inputs = m.size() / units;
  std::vector<double> square(units * units), values(units);
  for (std::size_t i = 0; i < units; ++i) {
    for (std::size_t j = 0; j < units; ++j) {
      square[i * units + j] =
          std::inner_product(&m[i * inputs], &m[i * inputs] + inputs, &m[j * inputs], 0.0);
    }
  }
  job.kernels.algebra->eigen_symmetric(static_cast<int>(units), square.data(), values.data());
  std::vector<std::vector<double>> out;
  for (std::size_t i = units; i-- > 0 && values[i] > 1e-12 * values.back();) {
    std::vector<double> row(&square[i * units], &square[i * units] + units);
    const auto large = std::ranges::max(row, {}, [](double x) { return std::abs(x); });
    if (large < 0) {
      for (double& x : row) x = -x;
    }
    out.push_back(std::move(row));
  }
  return out;
}

/// Mean length of the outgoing weights of the old units.
template <class T>
double mean_length(const Net<T>& net, const Reader& reader, std::int32_t old_units) {
  double sum = 0;
  for (std::size_t c = 0; c < static_cast<std::size_t>(old_units); ++c) {
    double square = 0;
    for (std::size_t o = 0; o < reader.outputs(); ++o) {
      const auto weight = static_cast<double>(net.copy(0)[reader.element(c, o)]);
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
  const Bridge bridge(w.job.from.spec(), w.group);
  const auto rows = directions(w.job, bridge);
  Net<T> net = w.drawn();
  const Reader reader = readers_of(net.spec(), w.group).front();
  const double length = kLength * mean_length(net, reader, w.old_units);
  for (const GroupAxis& maker : makers(net.spec(), w.group)) {
    const ParamTensor& tensor = net.layout.tensors[static_cast<std::size_t>(maker.tensor)];
    const T value = tensor.role == ParamRole::bias ? static_cast<T>(kOpen) : T(0);
    for (std::size_t i = 0; i < std::min(rows.size(), w.fresh.size()); ++i) {
      for_each_of_unit(tensor, maker.axis, w.fresh[i],
                       [&](std::size_t e) { net.copy(0)[e] = value; });
    }
  }
  for (std::size_t i = 0; i < std::min(rows.size(), w.fresh.size()); ++i) {
    for (std::size_t o = 0; o < reader.outputs(); ++o) {
      net.copy(0)[reader.element(static_cast<std::size_t>(w.fresh[i]), o)] =
          static_cast<T>(length * rows[i][o]);
    }
  }
  return net;
}

}  // namespace

FieldInfo rule_field() {
  return {.name = "rule",
          .type = FieldType::word,
          .choices = {"fresh", "pair", "replicate", "gradmax", "random"},
          .value = "fresh",
          .doc =
              "What new units start with; fresh: drawn incoming weights, outgoing weights 0; pair: "
              "two by two alike, read with opposite signs; replicate: copies of old units, which "
              "share what was read; gradmax: incoming weights 0, outgoing along the largest "
              "gradients; random: drawn on both sides (changes what the network computes)."};
}

FieldInfo noise_field() {
  return {.name = "noise",
          .type = FieldType::real,
          .min = 0,
          .value = 0.0,
          .doc =
              "With replicate: spread of what is added to the copies' incoming weights, as a "
              "share of the weights' own."};
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
  if (rule == "gradmax" && !Bridge(spec, group).stands) {
    throw SpecError(-1, "rule", "the rule gradmax needs a dense layer with one right after it");
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
  Net<T> net = w.drawn();
  if (rule == "random") draw_readers(net, w);
  return net;
}

template Net<float> widened(const ReshapeJob<float>&, const std::string&);
template Net<double> widened(const ReshapeJob<double>&, const std::string&);

}  // namespace nn
