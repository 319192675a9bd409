#include "nn/evaluation/baseline.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nn/evaluation/few_rows.h"
#include "nn/model/layout.h"
#include "nn/training/hyper.h"
#include "nn/training/train.h"

namespace nn {

namespace {

constexpr const char* kLayer = "output";
constexpr std::int32_t kBatch = 64;

Choice usual_loss(const Dataset& data) {
  return {data.is_classification() ? "cross_entropy" : "mse", {}};
}

/// A parameter tensor of the output layer.
std::span<float> tensor(ParamSlab& net, const char* name) {
  const ParamLayout layout = param_layout(net.spec());
  const ParamTensor& found = *layout.find(std::string(kLayer) + "." + name);
  return net.weights().subspan(found.offset, found.count);
}

void fit_constant(const Dataset& data, ParamSlab& net) {
  if (!data.is_classification()) return;  // targets are standardised: their mean is 0
  std::vector<double> rows(data.classes(), 0);
  for (const std::uint32_t row : data.part(Part::train))
    ++rows[static_cast<std::size_t>(data.labels()[row])];
  // A class without a training row counts as half a row: the loss must stay a number.
  const auto bias = tensor(net, "bias");
  std::ranges::transform(rows, bias.begin(), [](double count) {
    return static_cast<float>(std::log(std::max(count, 0.5)));
  });
}

/// The inputs of training rows [begin, end) as a network sees them, and 1.
std::vector<double> scaled_rows(const Dataset& data, std::size_t begin, std::size_t end) {
  const std::size_t cols = data.cols();
  const auto rows = data.part(Part::train);
  const bool bytes = data.header().storage == Storage::u8;
  std::vector<double> out((end - begin) * (cols + 1));
  double* to = out.data();
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t from = rows[i] * cols;
    for (std::size_t c = 0; c < cols; ++c) {
      const double x = bytes ? static_cast<double>(data.x_u8()[from + c])
                             : static_cast<double>(data.x_f32()[from + c]);
      *to++ = (x - static_cast<double>(data.shift()[c])) * static_cast<double>(data.scale()[c]);
    }
    *to++ = 1;
  }
  return out;
}

/// The normal equations (X^T X + I) w = X^T y, the bias not penalised.
void fit_ridge(const kern::LinearAlgebra& algebra, const Dataset& data, ParamSlab& net) {
  constexpr std::size_t kChunk = 1024;
  const std::size_t n = data.cols() + 1;
  const auto rows = data.part(Part::train);
  const std::size_t outputs = data.outputs();
  std::vector<double> gram(n * n, 0), solution(n * outputs, 0);
  for (std::size_t begin = 0; begin < rows.size(); begin += kChunk) {
    const std::size_t end = std::min(rows.size(), begin + kChunk);
    const std::vector<double> x = scaled_rows(data, begin, end);
    algebra.add_gram(static_cast<int>(end - begin), static_cast<int>(n), x.data(), gram.data());
    for (std::size_t i = begin; i < end; ++i) {
      const auto y = data.targets().subspan(rows[i] * outputs, outputs);
      for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t o = 0; o < outputs; ++o)
          solution[c * outputs + o] += x[(i - begin) * n + c] * static_cast<double>(y[o]);
      }
    }
  }
  for (std::size_t c = 0; c + 1 < n; ++c) gram[c * n + c] += 1;
  if (!algebra.solve_positive(static_cast<int>(n), static_cast<int>(outputs), gram.data(),
                              solution.data()))
    return;
  const auto narrow = [](double w) { return static_cast<float>(w); };
  const auto biases = solution.end() - static_cast<std::ptrdiff_t>(outputs);
  std::transform(solution.begin(), biases, tensor(net, "weight").begin(), narrow);
  std::transform(biases, solution.end(), tensor(net, "bias").begin(), narrow);
}

/// Epochs for so many rows and outputs. Beyond kFewOutputs, steps become fewer as they become
/// longer.
std::int64_t epochs_of(std::int64_t rows, std::int64_t outputs) {
  constexpr std::int64_t kFewOutputs = 500, kFewestSteps = 300, kFewestEpochs = 3;
  const std::int64_t steps = (rows + kBatch - 1) / kBatch;
  const std::int64_t wanted = outputs <= kFewOutputs
                                  ? kBaselineSteps
                                  : std::max(kFewestSteps, kBaselineSteps * kFewOutputs / outputs);
  return std::max(kFewestEpochs, (wanted + steps - 1) / steps);
}

void fit_by_steps(const kern::Kernels<float>& kernels, Workspace& workspace, const DataView& data,
                  const Choice& loss, ParamSlab& net) {
  const auto rows = static_cast<std::int64_t>(data.rows.size());
  if (rows == 0) return;
  const std::int64_t epochs = epochs_of(rows, data.outputs);
  Hyper hyper{.loss = loss,
              .optimizer = {"adam", {{"weight_decay", 1 / static_cast<double>(rows)}}},
              .batch = kBatch};
  append(hyper.lr, LrShape::cosine, static_cast<double>(epochs), 0.02, 1e-5);
  append_rest(hyper.lr, 1e-5);
  (void)train_steps(kernels, workspace, net, data, complete(hyper), {.from = 0, .to = epochs});
}

/// Whether the linear model is fitted in the span of the rows (FewRows).
bool has_few_rows(std::size_t rows, std::size_t cols) {
  constexpr std::size_t kMostRows = 1024;
  return rows > 0 && rows <= kMostRows && 2 * rows <= cols && cols > kMostColumns;
}

void fit_few_rows(const kern::Kernels<float>& kernels, Workspace& workspace, const Dataset& data,
                  ParamSlab& net) {
  const FewRows few(*kernels.algebra, data);
  if (few.width() == 0) return fit_constant(data, net);
  const ModelSpec spec =
      with_output({.input = Shape::features(static_cast<std::int64_t>(few.width())), .layers = {}},
                  static_cast<std::int64_t>(data.outputs()));
  ParamSlab small(slab_header(spec, {"adam", {}}));
  fit_by_steps(kernels, workspace, few.view(), usual_loss(data), small);
  few.turn_back(tensor(small, "weight"), tensor(net, "weight"));
  std::ranges::copy(tensor(small, "bias"), tensor(net, "bias").begin());
}

}  // namespace

std::string_view name_of(Baseline kind, LearningTask task) {
  const bool classes = task == LearningTask::classification;
  if (kind == Baseline::constant) return classes ? "majority class" : "mean";
  return classes ? "logistic regression" : "ridge regression";
}

ModelSpec baseline_spec(const Dataset& data) {
  return with_output({.input = data.header().input, .layers = {}},
                     static_cast<std::int64_t>(data.outputs()));
}

ParamSlab fit_baseline(const kern::Kernels<float>& kernels, Workspace& workspace,
                       const Dataset& data, Baseline kind) {
  ParamSlab net(slab_header(baseline_spec(data), {"adam", {}}));
  const bool solved = !data.is_classification() && data.cols() <= kMostColumns;
  if (kind == Baseline::constant) {
    fit_constant(data, net);
  } else if (solved) {
    fit_ridge(*kernels.algebra, data, net);
  } else if (has_few_rows(data.part(Part::train).size(), data.cols())) {
    fit_few_rows(kernels, workspace, data, net);
  } else {
    fit_by_steps(kernels, workspace, data.view(Part::train), usual_loss(data), net);
  }
  return net;
}

double baseline_work(const Dataset::Header& data) {
  const std::size_t rows = data.train_rows;
  const bool classes = data.task == LearningTask::classification;
  const auto count = static_cast<double>(rows), outputs = static_cast<double>(data.outputs());
  auto cols = static_cast<double>(data.cols);
  if (!classes && data.cols <= kMostColumns) return count * cols * cols + cols * cols * cols / 3;
  double work = 0;
  if (has_few_rows(rows, data.cols)) {
    work = 2 * count * count * cols + count * count * count;
    cols = count;
  }
  // Forward, backward and update of a weight; an exponential and its surroundings for an output.
  constexpr double kOfWeight = 6, kOfOutput = 40;
  const auto epochs =
      static_cast<double>(epochs_of(std::max<std::int64_t>(1, static_cast<std::int64_t>(rows)),
                                    static_cast<std::int64_t>(data.outputs())));
  return work + epochs * count * outputs * (kOfWeight * cols + kOfOutput);
}

}  // namespace nn
