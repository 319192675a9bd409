#pragma once
// Data for a network that goes on with other rows. What it knows keeps its meaning: inputs their
// scaling, classes their numbers. What is new comes beside it.

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "nn/data/dataset.h"

namespace nn {

/// What a message begins with that is about the old rows.
inline constexpr const char* kOfReplay = "replay: ";
/// The same of one that is about the rows of chosen classes.
inline constexpr const char* kOfClasses = "classes: ";

/// Share of the old rows that are no longer trained on, to measure what is forgotten.
inline constexpr double kReplayHeldOut = 0.2;

/// `spec` for a network whose data was prepared as `model` says: columns that it knows are read as
/// it reads them, target, task, scale and words for missing values are its own, and rows of all
/// classes are read (continued_data takes those of `spec.classes`). Looks at the first line of a
/// csv. Throws DataError (the file), base::Error (study): "expected ...", what the model is for
/// and the spec is not.
[[nodiscard]] DataSpec spec_for_model(DataSpec spec, const Dataset& model);

/// The same of old rows: a folder of IDX files, a safetensors file or a csv. kReplayHeldOut of them
/// are its validation part, dealt out under `seed`.
[[nodiscard]] DataSpec replay_spec(const std::string& path, std::uint64_t seed,
                                   const Dataset& model);

/// What the network goes on with. `fresh` was read with spec_for_model, `old` with replay_spec
/// (null: no replay), `content` is that of the model's file.
///   classes  the model's, in their order, then those that only `fresh` has. `chosen`: rows of
///   these
///            alone; empty: all
///   columns  those of `fresh`, then those that only the model has: absent, missing in every row.
///            Categories are those of both
///   scaling  of inputs that the model has and did not find constant its own, of others fitted on
///            `fresh`; so it is with what fills missing numbers. Numbers to predict are in the unit
///            of `fresh`: where they spread over five times as much as in the model's training, or
///            as little, the network is taken to answer in that unit (Continuation::factor is 1),
///            old rows with it
///   parts    those of `fresh`. With `old`, whose rows of classes that the model does not know are
///            left out, every second row of an epoch is an old one (DataView::replayed)
/// Throws base::Error (study): "expected ...", what differs.
[[nodiscard]] Dataset continued_data(const Dataset& fresh, const Dataset* old, const Dataset& model,
                                     const std::vector<std::string>& chosen,
                                     const base::Key& content);

/// How the model's network becomes one for that data. Encodable.
struct Continuation {
  /// For each input of the new data the model's, -1: it is new. Empty: all are as they were.
  std::vector<std::int32_t> inputs;
  /// Of numbers to predict: an output becomes output * factor + shift. Empty: as it was.
  std::vector<double> factor, shift;
  bool keeps_optimizer = false;  ///< its state goes on, too
  bool operator==(const Continuation&) const = default;
};

/// `data` is what continued_data made for `model`.
[[nodiscard]] Continuation continuation_of(const Dataset& model, const Dataset& data);

}  // namespace nn
