#pragma once
// From a study and one trial's params to what is trained: `$name` replaced, inactive keys left out,
// kinds chosen.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpo/space/params.h"
#include "hpo/study/spec.h"
#include "nn/adapt/policy.h"
#include "nn/data/data_spec.h"
#include "nn/data/dataset.h"
#include "nn/model/slab.h"
#include "nn/model/spec.h"
#include "nn/training/hyper.h"

namespace hpo {

/// What one trial needs while it runs.
struct TrialResources {
  std::int64_t cpus = 1;
  double gpus = 0;                      ///< none with `any_gpu`
  bool any_gpu = false;                 ///< one that others may have too, if there is one
  std::optional<double> gpu_from;       ///< with `any_gpu`: FLOPs of a step; none: not chosen yet
  std::optional<std::uint64_t> memory;  ///< bytes; none: not asked for
  bool operator==(const TrialResources&) const = default;
};

/// What a network must know of its data. Encodable.
struct DataInfo {
  nn::Shape input;           ///< of one row
  std::int64_t outputs = 1;  ///< classes, or numbers to predict
  nn::LearningTask task = nn::LearningTask::classification;
  std::vector<std::string> class_names{};  ///< empty where they are not known, and for numbers
  std::int64_t rows = 0;                   ///< outside of the test part
  std::string rarest{};                    ///< class of the fewest training rows; of numbers empty
  double rarest_share = 1;                 ///< of the training rows, from 0 to 1
  /// Of a model that goes on with it: its spec, whether it was reshaped, and the optimizer whose
  /// state it has.
  std::optional<nn::ParamSlab::Header> model{};
  std::int64_t model_outputs = 0;  ///< the `outputs` of its own data
  bool operator==(const DataInfo&) const = default;
};

[[nodiscard]] DataInfo data_info(const nn::Dataset::Header& header);

/// Everything that decides what a trial computes, besides seed and data. Two params that agree on
/// all of this are the same work, and the runtime's keys find that out.
struct TrialSpec {
  nn::ModelSpec model;  ///< complete, output layer included
  nn::Hyper hyper;      ///< complete; `shuffle` is left 0 for the caller, who knows seed and data
  std::int64_t epochs = 0;
  std::optional<nn::Adaptation> adapt;  ///< complete; none: the network keeps its size
  TrialResources resources;
  bool operator==(const TrialSpec&) const = default;
};

/// The data of a trial; its path is absolute. Params may change `rows` and `scale` only, so most
/// studies have one DataSpec for all trials. Throws base::Error (study) with the place in the file.
[[nodiscard]] nn::DataSpec data_spec(const StudySpec& study, const Params& params);

/// What trial `params` needs.
[[nodiscard]] TrialResources trial_resources(const StudySpec& study, const Params& params);

/// The study with what only the data could decide filled in: task, loss, metric, folds. Idempotent.
/// Throws base::Error (study) when file and data contradict each other, e.g. `metric:
/// valid.accuracy` for numbers.
[[nodiscard]] StudySpec settle(const StudySpec& study, const DataInfo& data);

/// Of a study whose network is a model's: the one that the file gives beside it, with so many
/// outputs; nothing where it gives none.
[[nodiscard]] std::optional<nn::ModelSpec> written_network(const StudySpec& study,
                                                           const Params& params,
                                                           const DataInfo& data,
                                                           std::int64_t outputs);

/// What trial `params` trains. `params` must lie in study.space; a study that was not settled is
/// settled on the fly. Throws base::Error (study) with the place in the file when the network does
/// not fit together. `like`: an earlier answer for this study and data; what it has and no
/// parameter changes is not made again.
[[nodiscard]] TrialSpec materialise(const StudySpec& study, const Params& params,
                                    const DataInfo& data, const TrialSpec* like = nullptr);

}  // namespace hpo
