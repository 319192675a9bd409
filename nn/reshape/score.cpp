#include "nn/reshape/score.h"

#include <cmath>

#include "base/error.h"
#include "nn/reshape/anatomy.h"
#include "nn/reshape/draw.h"
#include "nn/training/random.h"
#include "nn/training/unit_norms.h"

namespace nn {
namespace {

/// Spread of the values that one column shows a reader, squared.
template <class T>
double variance(const LayerInputs<T>& seen, std::size_t column) {
  const auto rows = static_cast<double>(seen.rows);
  const double mean = seen.sums[column] / rows;
  return std::max(0.0, seen.squares[column] / rows - mean * mean);
}

/// A tensor of the weights that a job works on.
template <class T>
Fetched<T> fetched(const ReshapeJob<T>& job, std::size_t tensor) {
  return {*job.hands.kernels.memory, job.from.copy(0).data(), job.from.layout.tensors[tensor]};
}

template <class T>
double squared_norm(const Fetched<T>& weights, const Reader& reader, std::size_t column) {
  double sum = 0;
  for (std::size_t o = 0; o < reader.outputs(); ++o) {
    const auto w = static_cast<double>(weights[reader.element(column, o)]);
    sum += w * w;
  }
  return sum;
}

/// Sums weigh(reader number, column) times the squared outgoing weights over all places where a
/// unit is read.
template <class T, class Weigh>
std::vector<double> outgoing(const ReshapeJob<T>& job, const std::vector<Reader>& readers,
                             std::size_t units, Weigh weigh) {
  std::vector<double> out(units);
  for (std::size_t r = 0; r < readers.size(); ++r) {
    const Fetched<T> weights = fetched(job, readers[r].weight());
    for (std::size_t c = 0; c < readers[r].inputs(); ++c) {
      out[readers[r].unit(c)] += weigh(r, c) * squared_norm(weights, readers[r], c);
    }
  }
  return out;
}

template <class T>
std::vector<double> incoming(const ReshapeJob<T>& job, const std::string& group,
                             std::size_t units) {
  std::vector<double> out(units);
  for (const GroupAxis& maker : makers(job.from.spec(), group)) {
    const auto index = static_cast<std::size_t>(maker.tensor);
    const ParamTensor& tensor = job.from.layout.tensors[index];
    if (tensor.role != ParamRole::weight) continue;
    const Fetched<T> weights = fetched(job, index);
    for (std::size_t u = 0; u < units; ++u) {
      for_each_of_unit(tensor, maker.axis, static_cast<std::int32_t>(u), [&](std::size_t e) {
        const auto w = static_cast<double>(weights[e]);
        out[u] += w * w;
      });
    }
  }
  return out;
}

/// Sums of the sizes of the factors that batch norms put on the units.
template <class T>
std::vector<double> scales(const ReshapeJob<T>& job, const std::string& group, std::size_t units) {
  std::vector<double> out(units);
  for (const GroupAxis& maker : makers(job.from.spec(), group)) {
    const auto index = static_cast<std::size_t>(maker.tensor);
    if (job.from.layout.tensors[index].role != ParamRole::scale) continue;
    const Fetched<T> factors = fetched(job, index);
    for (std::size_t u = 0; u < units; ++u)
      out[u] += std::abs(static_cast<double>(factors.all()[u]));
  }
  return out;
}

template <class T>
std::vector<double> group_norms(const ReshapeJob<T>& job, const std::string& group) {
  const Net<T>& net = job.from;
  for (const UnitNumbers& numbers : unit_numbers(net.spec())) {
    if (resizable_group(net.spec(), numbers.layer) == group)
      return norms_of(job.hands.kernels, numbers, net.copy(0).data());
  }
  throw base::Error(base::Errc::study, "no units of " + group + " can be removed");
}

}  // namespace

FieldInfo score_field() {
  return {
      .name = "score",
      .type = FieldType::word,
      .choices = {"activation", "weights", "norm", "taylor", "scale", "random"},
      .value = "activation",
      .doc =
          "Score of a unit; the units with the lowest scores are removed. `activation`: spread of "
          "its values times norm of its outgoing weights. `weights`: norm of its incoming times "
          "norm of its outgoing weights. `norm`: norm of all its numbers, bias and normalization "
          "included. `taylor`: change of the loss without the unit, to first order. `scale`: its "
          "factor in the batch norm after the layer. `random`: a random number."};
}

bool score_needs_inputs(const std::string& score) { return score == "activation"; }

bool score_needs_gradients(const std::string& score) { return score == "taylor"; }

void check_score(const ModelSpec& spec, const std::string& score, const std::string& group) {
  if (score != "scale") return;
  const ParamLayout layout = param_layout(spec);
  for (const GroupAxis& maker : makers(spec, group)) {
    const ParamTensor& tensor = layout.tensors[static_cast<std::size_t>(maker.tensor)];
    if (tensor.role == ParamRole::scale) return;
  }
  throw SpecError(-1, "score", "the score scale needs a batch norm behind the layer");
}

template <class T>
std::vector<double> unit_scores(const ReshapeJob<T>& job, const std::string& group,
                                const std::vector<Reader>& readers,
                                const std::vector<LayerInputs<T>>& seen) {
  const auto& ids = job.from.units.group(group)->ids;
  const std::string& score = word(job.operation.fields, "score");
  std::vector<double> out(ids.size());
  if (score == "activation") {
    out = outgoing(job, readers, ids.size(),
                   [&](std::size_t r, std::size_t c) { return variance(seen[r], c); });
  } else if (score == "weights") {
    const auto in = incoming(job, group, ids.size());
    out = outgoing(job, readers, ids.size(), [](std::size_t, std::size_t) { return 1.0; });
    for (std::size_t u = 0; u < out.size(); ++u) out[u] *= in[u];
  } else if (score == "norm") {
    out = group_norms(job, group);
  } else if (score == "taylor") {
    out = gate_gradients<T>(job, {{readers, ids.size()}}).front();
  } else if (score == "scale") {
    out = scales(job, group, ids.size());
  } else {
    const RandomKey key = RandomKey{job.seed}.derive("score").derive(group);
    for (std::size_t u = 0; u < out.size(); ++u) {
      out[u] = random_block(key, {static_cast<std::uint32_t>(ids[u]), 0, 0, 0})[0];
    }
  }
  return out;
}

template std::vector<double> unit_scores(const ReshapeJob<float>&, const std::string&,
                                         const std::vector<Reader>&,
                                         const std::vector<LayerInputs<float>>&);
template std::vector<double> unit_scores(const ReshapeJob<double>&, const std::string&,
                                         const std::vector<Reader>&,
                                         const std::vector<LayerInputs<double>>&);

}  // namespace nn
