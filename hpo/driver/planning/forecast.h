#pragma once
// What a trial's training will cost, before it runs: its policy played through on the shapes alone.

#include <cstdint>
#include <memory>
#include <vector>

#include "hpo/driver/networks/network_work.h"
#include "hpo/study/trial_spec.h"
#include "nn/adapt/policy.h"
#include "nn/data/feed.h"
#include "runtime/key.h"
#include "runtime/resources.h"

namespace hpo {

/// Something that a trial asks for.
struct Work {
  base::Key key;           ///< equal for work that runs once
  double flops = 0;        ///< counted
  std::int64_t steps = 0;  ///< of an optimizer
  double epochs = 0;       ///< that the trial itself is trained by it
  double step_flops = 0;   ///< of the network that it is about
  rt::Work counted = {};
  double brought = 0;      ///< bytes that have to come to a GPU before
  std::uint64_t slab = 0;  ///< bytes of the network
  bool goes_on = false;    ///< what it makes is the trial's network from then on
};

/// One trial on paper. A timetable's shapes are known; where a policy decides by what it measures,
/// the first race is counted with all its candidates, and behind it the cheapest outcome that is
/// possible: a lower bound.
class Forecast {
 public:
  /// `past` names what the trial starts from besides its network: data and seeds.
  Forecast(TrialSpec spec, const StudyData& data, const base::Key& past);

  /// What is asked for up to the end of `epoch` - 1, its scoring at the end included.
  [[nodiscard]] std::vector<Work> advance(std::int64_t epoch);

  /// Whether advance() told all of it so far; else it was a lower bound.
  [[nodiscard]] bool exact() const { return exact_; }

  /// Bytes of the largest networks, optimizer state included, that it held at once so far.
  [[nodiscard]] std::uint64_t memory() const { return memory_; }

 private:
  void train(std::int64_t to, std::vector<Work>& out);
  void take_turn(std::vector<Work>& out);
  void apply(const nn::Operations& operations, std::vector<Work>& out);
  void race(const std::vector<nn::Operations>& candidates, std::int64_t until,
            std::vector<Work>& out);
  void guess(const std::vector<nn::Operations>& operations, std::int64_t until);
  [[nodiscard]] tasks::TrainingSetup setup() const;
  void hold(std::uint64_t weights);
  [[nodiscard]] std::uint64_t slab_bytes() const;

  TrialSpec spec_;
  std::uint64_t train_rows_, valid_rows_;
  nn::FeedShape shape_;
  std::unique_ptr<nn::Policy> policy_;  ///< null: the network keeps its size
  std::int64_t grid_ = 1;
  std::int64_t now_ = 0;  ///< boundary of the grid
  base::Key past_;        ///< what was trained so far
  bool exact_ = true;
  std::uint64_t memory_ = 0;
  double brought_ = 0;  ///< by the next training
};

}  // namespace hpo
