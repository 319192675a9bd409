#pragma once
// From a model's file and a table to predictions as csv.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data/dataset.h"
#include "nn/evaluation/calibration.h"
#include "nn/metrics/confusion.h"
#include "nn/model/slab.h"
#include "nn/training/hyper.h"
#include "nn/training/train.h"

namespace nn {

/// A network with all that it takes to use it.
struct TrainedModel {
  ParamSlab net;
  Dataset data;              ///< without rows: how inputs are prepared and what outputs mean
  Choice loss;               ///< that it was trained for
  std::string content = {};  ///< hexadecimal name of the bytes it was trained on; empty: not known
  std::string verdict = {};  ///< how it was judged, as its study wrote it; empty: not at all
  Calibration calibration = {};
};

/// Reads a file that write_model wrote. Throws base::Error (data) "path: what,
/// expected".
[[nodiscard]] TrainedModel read_trained_model(const std::string& path, bool with_optimizer = false);

struct PredictOptions {
  bool probabilities = false;     ///< of every class, too; classes only
  std::vector<std::string> keep;  ///< columns of the table that come before the prediction
};

/// What came of it besides the predictions.
struct Predicted {
  std::int64_t rows = 0;
  /// Of the rows that have a target which the model knows, without its calibration.
  std::optional<Scores> scores;
  std::vector<std::pair<std::string, double>> calibrated;  ///< calibration_figures() of these rows
  /// The same rows by the class that was written, of at most kMostConfused classes.
  std::optional<Confusion> confusion;
  std::vector<Mistake> mistakes;   ///< the same, of classes: the kMostMistakes made most often
  std::vector<std::string> notes;  ///< a sentence each: what was filled in or not looked at
};

/// Answers every row of the table at `path` ("-" is standard input) in the order of the file, in
/// blocks: memory does not grow with the table, but for the outputs of rows that are scored.
/// `write` gets csv, piece by piece: a line of names, then a line a row: what was asked to be kept,
/// "prediction" (a class's name, or a number in the target's unit; of several targets
/// "prediction.TARGET" for each) and, where asked for, "proba.CLASS" for each class. Classes and
/// probabilities are those of the model's calibration. A number has
/// the digits that the network knows, however far the target's numbers lie from 0; where an output
/// is no number there is no class. Scores are those of evaluate() on the same rows, bit for bit
/// where every row is scored, but for auc, which is left out of more than kMostConfused classes.
/// The calling thread has gone through kern::prepare_thread(). Throws DataError (the table),
/// base::Error (data: options that do not fit).
Predicted predict_table(const kern::Kernels<float>& kernels, const TrainedModel& model,
                        const std::string& path, const PredictOptions& options,
                        const std::function<void(std::string_view)>& write);

}  // namespace nn
