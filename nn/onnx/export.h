#pragma once
// A trained network as an ONNX file.

#include <map>
#include <string>
#include <vector>

#include "nn/evaluation/predict_table.h"

namespace nn::onnx {

/// The bytes of the file. One input, "input": rows of features [rows, inputs] or images [rows,
/// height, width, channels], as floats and not scaled: that is part of the network; as doubles
/// where a column has an offset, which is then part of the network, too. A column of texts is one
/// input for each of its categories, 1 for the row's and 0 for the others; a missing number is its
/// column's fill and offset (the metadata `preprocessing` names columns, categories and fills).
/// Outputs: of classes "logits" and "probabilities" [rows, classes] and "class" [rows], the number
/// of the class by the model's calibration as integers; of numbers "prediction" [rows, 1] in the
/// target's unit. `metadata` travels along. Throws base::Error (data): a layer without a
/// translation, a network beyond the 2 GiB that such a file may have.
[[nodiscard]] std::string model_file(const TrainedModel& model,
                                     const std::map<std::string, std::string>& metadata);

/// A sentence on what such a file holds worse than the model does.
[[nodiscard]] std::vector<std::string> export_notes(const TrainedModel& model);

}  // namespace nn::onnx
