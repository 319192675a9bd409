#pragma once
// A trained network as one safetensors file that needs nothing else: weights, structure, and what
// was done to the data before the network saw it.
//
// Tensors have the names and shapes of param_layout ("fc1.weight" [in, out], "conv1.weight"
// [out, kernel_h, kernel_w, in], "fc1.bias" [out]), all F32. A network that was reshaped has one
// more, "trellis.units" (I64): its steps and rows, then its unit ids and births as write_units
// writes them. __metadata__ holds texts:
//   format         "trellis"
//   version        "1"
//   spec           the network: {"input": [DIMS], "layers": [{"kind", "name", field: value, ...}]}
//   preprocessing  see nn/data/preprocessing.h
// Where the optimizer's state was asked for there are also the text "optimizer" (its kind) and the
// tensors "trellis.optimizer.0", ... (F32, a slot each, as a slab lays weights out) and
// "trellis.state" (I64: steps, rows).
// and whatever else the writer adds.

#include <string>
#include <string_view>

#include "base/hash.h"
#include "nn/data/dataset.h"
#include "nn/model/safetensors.h"
#include "nn/model/slab.h"

namespace nn {

/// What a file's "version" says; a file of another version is refused.
inline constexpr std::string_view kModelVersion = "1";

/// The spec as JSON on one line; fields in the order of their names.
[[nodiscard]] std::string spec_json(const ModelSpec& spec);

/// The inverse. The result is complete. Throws base::Error (data) for anything else than a spec,
/// SpecError for one that does not fit together. Hostile texts are refused.
[[nodiscard]] ModelSpec spec_from_json(std::string_view text);

/// A kind with its fields, {"kind": "huber", "delta": 1.0}, and back; throws base::Error (data) for
/// anything else.
[[nodiscard]] std::string choice_json(const Choice& choice);
[[nodiscard]] Choice choice_from_json(std::string_view text);

/// Writes net's weights, and where asked for the state of an optimizer that has one, for data
/// prepared like `data`. Atomic, see write_safetensors. `more` may not use the names above.
void write_model(const std::string& path, const ParamSlab& net, const Dataset& data,
                 const TensorMetadata& more = {}, bool with_optimizer = false);

/// Names of the texts that hold how a model was judged, and its calibration.
inline constexpr std::string_view kVerdictText = "verdict";
inline constexpr std::string_view kCalibrationText = "calibration";

/// Names a model by the hash of its file as it would be without these two: neither what a network
/// was compared with nor how its answers are read is a part of it. Throws as read_safetensors().
[[nodiscard]] base::Key model_content(const std::string& path);

/// A model read back: a slab with the optimizer's slots where they were asked for and the file has
/// them, units as they were, and the texts of the file.
struct Model {
  ParamSlab net;
  TensorMetadata metadata;
};

/// Reads a file that write_model wrote. Throws base::Error (data) "path: what, expected"; memory
/// is allocated only after the tensors were found to be exactly those of the spec.
[[nodiscard]] Model read_model(const std::string& path, bool with_optimizer = false);

}  // namespace nn
