#include "nn/evaluation/predict_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/digits.h"
#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "nn/data/csv_line.h"
#include "nn/data/load.h"
#include "nn/data/preprocessing.h"
#include "nn/data/table_rows.h"
#include "nn/metrics/auc.h"
#include "nn/model/model_file.h"

namespace nn {

namespace {

constexpr std::size_t kBlockNumbers = std::size_t{1} << 20;  // inputs in memory at a time
constexpr std::size_t kMostRows = 8192;

/// Rows of a block: a multiple of kEvaluateRows, so that chunks are those of the whole table.
std::size_t block_rows(std::size_t inputs) {
  const std::size_t rows = std::clamp<std::size_t>(kBlockNumbers / inputs, 1, kMostRows);
  return (rows + kEvaluateRows - 1) / kEvaluateRows * kEvaluateRows;
}

/// The shortest text that reads back as the same number; one that is none has no sign.
template <class T>
std::string text_of(T number) {
  if (std::isnan(number)) return "nan";
  char buffer[64];
  const T size = std::abs(number);
  // A time in seconds or a price reads better in full.
  const bool in_full = size >= static_cast<T>(1e-3) && size < static_cast<T>(1e15);
  const auto written =
      in_full ? std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed)
              : std::to_chars(buffer, buffer + sizeof buffer, number);
  return {buffer, written.ptr};
}

/// What an output means in the target's unit, to half of a float's last bit: of this output, or of
/// 1 where it is smaller, since nothing that a network adds up is known any better.
std::string meaning_of(float output, const TargetColumn& target) {
  constexpr int kFewest = 6, kMost = 17;
  const double value = static_cast<double>(output) * target.unit + target.shift;
  const double known = std::max(1.0, std::abs(static_cast<double>(output))) *
                       std::abs(target.unit) * std::ldexp(1.0, -25);
  if (!std::isfinite(value)) return text_of(value);
  for (int digits = kFewest; digits < kMost; ++digits) {
    const double rounded = base::rounded_to_digits(value, digits);
    if (std::abs(rounded - value) <= known) return text_of(rounded);
  }
  return text_of(value);
}

class Writer {
 public:
  Writer(const TrainedModel& model, const PredictOptions& options)
      : header_(model.data.header()),
        options_(options),
        change_(logit_change(model.calibration)),
        logits_(model.data.outputs()),
        shares_(model.data.outputs()) {}

  void names(std::string& out) const {
    CsvLine line(out);
    for (const std::string& name : options_.keep) line.cell(name);
    if (header_.targets.size() == 1) {
      line.cell("prediction");
    } else {
      for (const TargetColumn& target : header_.targets) line.cell("prediction." + target.name);
    }
    if (!options_.probabilities) return;
    for (const std::string& name : header_.class_names) line.cell("proba." + name);
  }

  void row(std::string& out, std::span<const float> outputs, const std::vector<std::string>& kept) {
    CsvLine line(out);
    for (const std::string& text : kept) line.cell(text);
    if (header_.class_names.empty()) {
      for (std::size_t i = 0; i < outputs.size(); ++i)
        line.cell(meaning_of(outputs[i], header_.targets[i]));
      return;
    }
    for (std::size_t c = 0; c < outputs.size(); ++c) logits_[c] = outputs[c] * change_.factor;
    if (options_.probabilities) probabilities(logits_, shares_);
    logits_[0] += change_.shift;
    const std::int32_t given = class_of(logits_);
    line.cell(given < 0 ? "" : header_.class_names[static_cast<std::size_t>(given)]);
    if (!options_.probabilities) return;
    for (const double share : shares_) line.cell(text_of(static_cast<float>(share)));
  }

 private:
  const Dataset::Header& header_;
  const PredictOptions& options_;
  LogitChange change_;
  std::vector<float> logits_;
  std::vector<double> shares_;
};

Choice loss_of_model(const TensorMetadata& metadata, const Dataset& data) {
  Choice loss{data.is_classification() ? "cross_entropy" : "mse", {}};
  const auto found = metadata.find("loss");
  if (found != metadata.end()) loss = choice_from_json(found->second);
  loss.fields = complete(loss_kind(loss.kind), loss.fields, "loss " + loss.kind);
  return loss;
}

Calibration calibration_from(const std::string& text, const Dataset& data) {
  try {
    const Calibration calibration = calibration_from_json(text);
    const bool fits = data.is_classification() &&
                      (calibration.threshold == 0.5 || data.header().class_names.size() == 2);
    if (!fits) throw base::Error(base::Errc::data, "does not fit the target");
    return calibration;
  } catch (const base::Error& problem) {
    throw base::Error(base::Errc::data, base::cat("calibration: ", problem.what()));
  }
}

const std::string& preprocessing_of(const TensorMetadata& metadata) {
  const auto found = metadata.find("preprocessing");
  if (found == metadata.end())
    throw base::Error(base::Errc::data,
                      "has no preprocessing, expected a model that Trellis trained");
  return found->second;
}

/// Rows of a block and what the network said of them, one after the other.
struct Outputs {
  std::span<const std::uint32_t> rows;
  std::span<const float> values;

  [[nodiscard]] bool is_next(std::uint32_t row) const {
    return !rows.empty() && rows.front() == row;
  }
  std::span<const float> take(std::size_t width) {
    const auto first = values.first(width);
    rows = rows.subspan(1);
    values = values.subspan(width);
    return first;
  }
};

Outputs answer(Evaluation& evaluation, Workspace& workspace, DataView view,
               std::span<const std::uint32_t> rows) {
  const std::size_t before = evaluation.judged().outputs.size();
  view.rows = rows;
  if (!rows.empty()) evaluation.add(workspace, view);
  return {rows, std::span(evaluation.judged().outputs).subspan(before)};
}

DataView without_truth(DataView view) {
  view.labels = nullptr;
  view.targets = nullptr;
  return view;
}

/// Of many classes auc alone takes longer than all the answers.
Scores scores_of(const Evaluation& evaluation) {
  const Judged& judged = evaluation.judged();
  if (judged.labels.empty() || judged.width <= kMostConfused) return evaluation.scores();
  Scores scores = evaluation.scores(Measured::loss);
  for (const Metric* metric : metrics()) {
    if (metric->target == TargetKind::labels && metric != &auc_metric())
      scores.metrics.emplace_back(metric->name, metric->value(judged));
  }
  return scores;
}

void score(const Evaluation& evaluation, const Calibration& calibration, Predicted& done) {
  done.scores = scores_of(evaluation);
  if (evaluation.judged().labels.empty()) return;
  done.calibrated = calibration_figures(evaluation.judged(), calibration);
  const Judged judged = with_threshold(evaluation.judged(), calibration);
  if (judged.width <= kMostConfused)
    done.confusion = count_confusion(judged.outputs, judged.labels, judged.width);
  done.mistakes = worst_mistakes(judged.outputs, judged.labels, judged.width);
}

std::string text_of_threshold(const TrainedModel& model) {
  const std::string name = base::printable(model.data.header().class_names[1], 40);
  return base::cat("a row is '", name, "' if the probability of it is at least ",
                   text_of(model.calibration.threshold),
                   ": the study chose this threshold on its validation rows");
}

/// Whether the rows of a table are those that the network was made from.
bool is_of_training(const std::string& path, const TrainedModel& model) {
  const LoadLimits limits;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error || bytes > limits.file_bytes || model.content.empty()) return false;
  return content_hash({.path = path}, limits).hex() == model.content;
}

}  // namespace

TrainedModel read_trained_model(const std::string& path, bool with_optimizer) {
  Model model = read_model(path, with_optimizer);
  try {
    Dataset data = preprocessing_from_json(preprocessing_of(model.metadata));
    if (data.header().input != model.net.spec().input)
      throw base::Error(base::Errc::data,
                        "preprocessing: the input is " + data.header().input.text() +
                            ", expected the network's " + model.net.spec().input.text());
    Choice loss = loss_of_model(model.metadata, data);
    if ((target_kind(loss.kind) == TargetKind::labels) != data.is_classification())
      throw base::Error(base::Errc::data, "loss: " + loss.kind + " does not fit the target");
    const std::int64_t outputs = output_shape(model.net.spec()).elements();
    if (outputs != outputs_for(loss.kind, static_cast<std::int64_t>(data.outputs())))
      throw base::Error(base::Errc::data,
                        "preprocessing: the target has " + std::to_string(data.outputs()) +
                            " outputs, expected the network's " + std::to_string(outputs));
    const auto text = model.metadata.find(std::string(kCalibrationText));
    const Calibration calibration =
        text == model.metadata.end() ? Calibration{} : calibration_from(text->second, data);
    return {std::move(model.net),
            std::move(data),
            std::move(loss),
            model.metadata["content"],
            model.metadata[std::string(kVerdictText)],
            calibration};
  } catch (const base::Error& problem) {
    throw base::Error(base::Errc::data, path + ": " + problem.what());
  }
}

Predicted predict_table(const kern::Kernels<float>& kernels, const TrainedModel& model,
                        const std::string& path, const PredictOptions& options,
                        const std::function<void(std::string_view)>& write) {
  if (options.probabilities && !model.data.is_classification())
    throw base::Error(
        base::Errc::data,
        "the model predicts a number, which has no probabilities; expected a model of classes");
  TableRows table(path, model.data, options.keep);
  Workspace workspace;
  Evaluation scored(kernels, model.net, model.loss), others(kernels, model.net, model.loss);
  Writer writer(model, options);
  Predicted done;
  std::string csv;
  writer.names(csv);
  const std::size_t width = model.data.outputs();
  while (table.next(block_rows(model.data.cols()))) {
    Outputs known = answer(scored, workspace, table.view(), table.scored());
    others.drop_rows();
    Outputs unknown = answer(others, workspace, without_truth(table.view()), table.others());
    for (std::uint32_t row = 0; row < table.rows(); ++row) {
      Outputs& from = known.is_next(row) ? known : unknown;
      writer.row(csv, from.take(width), table.kept(row));
    }
    done.rows += static_cast<std::int64_t>(table.rows());
    write(csv);
    csv.clear();
  }
  write(csv);
  if (scored.judged().rows() > 0) score(scored, model.calibration, done);
  done.notes = table.notes();
  if (model.calibration.threshold != 0.5) done.notes.push_back(text_of_threshold(model));
  if (is_of_training(path, model)) {
    done.notes.emplace_back(
        "this is the very file that the network was trained on: most of its rows are not new to "
        "it");
  }
  return done;
}

}  // namespace nn
