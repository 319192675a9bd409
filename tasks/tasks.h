#pragma once
// The tasks that a trial is made of. Thin: each unpacks its arguments and calls nn/.
//
//   rt::Value<nn::Dataset> data = tasks::load(spec);
//   rt::Value<nn::ParamSlab> net = tasks::init(model, hyper.optimizer, seeds.init);
//   auto stats = tasks::train(net, data, hyper, {0, 3}, cost);        // net: the trained version
//   auto scores = tasks::evaluate(net, data, nn::Part::valid, hyper.loss, cost);
//
// All but row_latency and export_model are pure and versioned: equal calls run once, in this
// process or ever. So nothing that is not content may reach an argument: no trial number, no path,
// no clock. Random numbers follow from Seeds, which every trial of a study shares. Functions here
// are called on the driver thread inside a rt::Runtime, return at once, and report what is wrong
// with their arguments as base::Error (data: a file; study: network, data and hyperparameters that
// do not fit together).

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "nn/data/dataset.h"
#include "nn/evaluation/answers.h"
#include "nn/evaluation/baseline.h"
#include "nn/model/slab.h"
#include "nn/reshape/operation.h"
#include "nn/reshape/statistics.h"
#include "nn/training/hyper.h"
#include "nn/training/train.h"
#include "nn/training/unit_norms.h"
#include "runtime/context.h"
#include "runtime/key.h"
#include "runtime/resources.h"
#include "runtime/value.h"

namespace tasks {

/// A GPU failed while a task ran on it.
class DeviceLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// To be called once before the first Runtime, by programs that train: the arithmetic's fingerprint
/// becomes part of every pure task's key, and workers are prepared for it (denormals flushed, one
/// thread for BLAS and OpenMP). Repeating it does nothing.
void setup_process();

/// The arithmetic that this process trains with, in words: build, libraries, instruction set, and
/// the precision where it is not f32.
[[nodiscard]] std::string arithmetic(kern::Precision precision = kern::Precision::f32);

/// What keeps this process from computing with an instruction set ("avx2", "avx512") and nothing
/// else, a few words; empty: nothing. A main() cures what is no lack of the processor
/// (kern::isa_variables).
[[nodiscard]] std::string isa_lacks(std::string_view isa);

/// What cores lack here to train with a precision, a few words; empty where they have all. GPUs
/// have every precision.
[[nodiscard]] std::string cores_lack(kern::Precision precision);

/// FLOPs a second that one worker reaches at this moment in a product of the size that networks
/// have. Measures for 20 ms: for forecasts, never for a decision.
[[nodiscard]] double product_rate();

/// Where random numbers come from: the study's seed and the content of the data's files, so that
/// trials share what they have in common; how the data is read (its scale, its split) changes
/// nothing. Weights are drawn by layer, unit and input under `init`, rows are shuffled by epoch
/// under `shuffle` (it belongs into Hyper::shuffle).
struct Seeds {
  std::uint64_t init = 0, shuffle = 0;
};
[[nodiscard]] Seeds derive_seeds(std::uint64_t study_seed, const base::Key& data);

/// Reads a data set; spec.path is absolute. Never kept in the store: the file itself is the copy.
[[nodiscard]] rt::Value<nn::Dataset> load(const nn::DataSpec& spec);

/// How many data sets this process has read so far: 1 for a study, whatever its trials.
[[nodiscard]] std::uint64_t datasets_loaded() noexcept;

/// Epochs that this process really trained so far, parts of one as such: those that the store or an
/// equal task answered are not counted.
[[nodiscard]] double epochs_trained() noexcept;

/// A fresh network, its optimizer's state zero. Depends on the optimizer's kind and slots alone,
/// not on its learning rate. Networks with different `apart` are equal and yet have different keys,
/// and so has all that is made of them: nothing is shared between them.
[[nodiscard]] rt::Value<nn::ParamSlab> init(const nn::ModelSpec& model, const nn::Choice& optimizer,
                                            std::uint64_t seed, std::uint64_t apart = 0);

/// The same for a header that nn::slab_header made.
[[nodiscard]] rt::Value<nn::ParamSlab> init(const nn::ParamSlab::Header& header, std::uint64_t seed,
                                            std::uint64_t apart = 0);

/// Trains `net` over a segment; `net` names the trained version afterwards. A loss that
/// is no number is a result (TrainStats::diverged), not an error. Cancelling the group stops it at
/// the next step. `cost` ranks it among ready tasks. Under rt::On for a GPU it
/// trains there; setup_gpus() (device.h) comes before.
[[nodiscard]] rt::Value<nn::TrainStats> train(rt::Value<nn::ParamSlab>& net,
                                              const rt::Value<nn::Dataset>& data,
                                              const nn::Hyper& hyper, const nn::Segment& segment,
                                              rt::Flops cost);

/// Scores of a network on one part of the data.
[[nodiscard]] rt::Value<nn::Scores> evaluate(const rt::Value<nn::ParamSlab>& net,
                                             const rt::Value<nn::Dataset>& data, nn::Part part,
                                             const nn::Choice& loss, rt::Flops cost);

/// The same of data with classes, and what the network takes for what.
[[nodiscard]] rt::Value<nn::ClassScores> evaluate_classes(const rt::Value<nn::ParamSlab>& net,
                                                          const rt::Value<nn::Dataset>& data,
                                                          nn::Part part, const nn::Choice& loss,
                                                          rt::Flops cost);

/// The answers of a network to the rows of one part (nn/evaluation/answers.h). They are not kept:
/// they are as quickly made as read.
[[nodiscard]] rt::Value<nn::Answers> answers(const rt::Value<nn::ParamSlab>& net,
                                             const rt::Value<nn::Dataset>& data, nn::Part part,
                                             const nn::Choice& loss, rt::Flops cost);

/// Seconds that it takes to answer a row of one part of the data alone (nn/evaluation/latency.h).
/// Measured anew at each call, which is no pure one; of a simulated network modelled.
[[nodiscard]] rt::Value<double> row_latency(const rt::Value<nn::ParamSlab>& net,
                                            const rt::Value<nn::Dataset>& data, nn::Part part);

/// `net` after a reshape operation (nn/reshape/reshape.h): a new network, which shares nothing with
/// the old one. `after` is its header (nn::reshaped_header), of the spec that nn::reshaped gives,
/// or measured_spec where that depends on weights or data. Calibrates on the training part. What
/// the operation can't do to a network is an error of kind `study`; nn::reshaped tells beforehand.
[[nodiscard]] rt::Value<nn::ParamSlab> reshape(const rt::Value<nn::ParamSlab>& net,
                                               const rt::Value<nn::Dataset>& data,
                                               const nn::Operation& operation,
                                               const nn::ParamSlab::Header& after,
                                               std::uint64_t seed);

/// The spec that an operation leads to whose size only running it can tell.
[[nodiscard]] rt::Value<nn::ModelSpec> measured_spec(const rt::Value<nn::ParamSlab>& net,
                                                     const rt::Value<nn::Dataset>& data,
                                                     const nn::Operation& operation);

/// How large the units are that could be removed (nn/training/unit_norms.h).
[[nodiscard]] rt::Value<std::vector<nn::UnitNorms>> unit_norms(const rt::Value<nn::ParamSlab>& net);

/// What they do on rows of the training part (nn/reshape/statistics.h); costs
/// nn::unit_statistics_flops.
[[nodiscard]] rt::Value<std::vector<nn::UnitStatistics>> unit_statistics(
    const rt::Value<nn::ParamSlab>& net, const rt::Value<nn::Dataset>& data, rt::Flops cost);

/// `net` for a training that goes on with other options of its optimizer, which may need other
/// slots (nn/training/optimizer_slots.h).
[[nodiscard]] rt::Value<nn::ParamSlab> with_slots_for(const rt::Value<nn::ParamSlab>& net,
                                                      const nn::Choice& optimizer);

/// One of the simplest predictors of the data, as a network (nn/evaluation/baseline.h).
[[nodiscard]] rt::Value<nn::ParamSlab> fit_baseline(const rt::Value<nn::Dataset>& data,
                                                    nn::Baseline kind, rt::Flops cost);

/// Counted work of training and evaluating, for `rows` rows of that part; a step of training takes
/// `batch` of them.
[[nodiscard]] rt::Flops train_cost(const nn::ModelSpec& model, const nn::Segment& segment,
                                   std::uint64_t rows, std::int32_t batch);
[[nodiscard]] rt::Flops evaluate_cost(const nn::ModelSpec& model, std::uint64_t rows);
/// The same for a network that nn::flops_per_row counts `row` of.
[[nodiscard]] rt::Flops train_cost(const nn::Flops& row, const nn::Segment& segment,
                                   std::uint64_t rows, std::int32_t batch);
[[nodiscard]] rt::Flops evaluate_cost(const nn::Flops& row, std::uint64_t rows);

/// Writes the network with its preprocessing (nn/model/model_file.h); the file appears whole or not
/// at all. `more` are further texts for its metadata; with the optimizer's state where that is
/// asked for. Not pure: it writes each time it is called.
rt::Value<void> export_model(const rt::Value<nn::ParamSlab>& net,
                             const rt::Value<nn::Dataset>& data, const std::string& path,
                             const std::map<std::string, std::string>& more = {},
                             bool with_optimizer = false);

}  // namespace tasks
