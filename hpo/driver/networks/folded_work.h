#pragma once
// Cross-validation: a trial trains a network for each fold of the data and reports their mean.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hpo/driver/networks/network_work.h"
#include "nn/evaluation/calibration.h"

namespace hpo {

/// Means over folds, which report the same metrics; of each over those in which it is a number.
[[nodiscard]] Metrics mean_of(const std::vector<Metrics>& folds);

/// The data of a study with folds when all rows outside of the test part train.
[[nodiscard]] nn::DataSpec undivided(nn::DataSpec spec);

/// Of a study with `data: {folds: N}`. Fold i is the validation part of network i, all other rows
/// outside of the test part train it; scaling and fills are fitted anew for each. A trial's folds
/// are tasks of one trial, side by side where workers rest. At a boundary they report the mean of
/// every metric and, as `spread` of the objective, the standard deviation over the folds (of a
/// sample: n - 1). The network that is written in the end is trained again, with the best trial's
/// params and for as long, on all rows outside of the test part.
///
/// Where the study adapts, each fold's network does so by itself, one after another up to each
/// boundary, and the trial is reported with the network of the middle size. The one that is written
/// in the end repeats what that one did.
class FoldedWork final : public NetworkWork {
 public:
  using NetworkWork::NetworkWork;

  [[nodiscard]] rt::Async<void> run(TrialContext& trial) override;
  [[nodiscard]] rt::Async<ExportedModel> finish(TrialRow best, Lineage lineage,
                                                const TrialTable& trials) override;
  [[nodiscard]] std::int64_t networks() const override;

 private:
  /// One fold of a trial on its way.
  struct Fold {
    const StudyData* data = nullptr;
    PlanPtr plan;
    AdaptingNetwork network;
    rt::Value<nn::Scores> scores = {};
  };
  [[nodiscard]] std::vector<Fold> begin(const Params& params, std::uint64_t trial);
  /// Calls for a fold's scores at a boundary, and how long a row takes its network.
  [[nodiscard]] static rt::Value<nn::Scores> scored(const Fold& fold, rt::Flops cost);
  [[nodiscard]] static rt::Value<double> timed(const Fold& fold);
  /// What all folds were worth at a boundary. Throws where one diverged.
  [[nodiscard]] rt::Async<std::vector<Metrics>> measured(std::vector<Fold>& folds,
                                                         std::int64_t boundary) const;
  /// Calibrates a network of classes that trains on all rows by what its folds answered to rows
  /// that they had not seen. `life` is the trial's, with the rounds of every fold.
  [[nodiscard]] rt::Async<std::optional<nn::Calibration>> calibrated(TrialRow best, Stage life);
};

/// The work of a study's trials: folded where its data has folds.
[[nodiscard]] std::unique_ptr<NetworkWork> network_work(const StudySpec& study,
                                                        const rt::Runtime& runtime,
                                                        base::Path folder, std::string model_file,
                                                        bool sharing);

}  // namespace hpo
