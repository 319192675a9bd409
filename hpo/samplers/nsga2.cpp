#include "hpo/samplers/nsga2.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "hpo/samplers/marks.h"
#include "hpo/samplers/random.h"
#include "hpo/samplers/visited_points.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr std::int64_t kPopulation = 50;
constexpr double kCrossover = 0.9;
constexpr double kSwap = 0.5;
constexpr int kNsgaDraws = 16;  // of a point that no trial has

/// One place in [0, 1] a parameter; NaN where it does not exist.
using Genes = std::vector<double>;

struct Individual {
  std::uint64_t trial;
  Genes genes;
  Marks marks;
};

class Nsga2 final : public Sampler {
 public:
  explicit Nsga2(const SamplerSetup& setup)
      : space_(setup.space),
        seed_(setup.seed),
        population_(
            static_cast<std::size_t>(std::get<std::int64_t>(*setup.options.find("population")))),
        random_(random_sampler().make(setup)),
        running_(setup.metrics) {
    for (std::size_t i = 0; i < space_.size(); ++i)
      free_ += cardinality(space_.parameters()[i].domain) != 1;
  }

  void created(std::uint64_t trial, const Params& params) override {
    random_->created(trial, params);
    visited_.add(params);
    Genes genes = space_.to_unit(params);
    for (std::size_t i = 0; i < genes.size(); ++i) {
      if (params.find(space_.parameters()[i].name) == nullptr) genes[i] = NAN;
    }
    genes_[trial] = std::move(genes);
    running_.begin(trial);
  }

  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override {
    running_.report(trial, step, score);
  }

  /// A generation does not wait for those that wait. Whoever goes on gets the marks of its end, if
  /// it is still among the best then.
  void paused(std::uint64_t trial) override {
    if (genes_.contains(trial)) join(trial, running_.so_far(trial));
  }

  void ended(std::uint64_t trial, TrialState state) override {
    const Marks marks = running_.end(trial, state);
    if (!genes_.contains(trial)) {
      for (std::vector<Individual>* all : {&parents_, &children_}) {
        const auto known = std::ranges::find(*all, trial, &Individual::trial);
        if (known != all->end()) known->marks = marks;
      }
    } else if (state == TrialState::failed) {
      failed_.insert(genes_.extract(trial));
      count();
    } else {
      join(trial, marks);
    }
  }

  void reopened(std::uint64_t trial) override {
    running_.reopen(trial);
    if (genes_.insert(failed_.extract(trial)).inserted) {
      --ended_;
      return;
    }
    for (std::vector<Individual>* all : {&parents_, &children_}) {
      const auto known = std::ranges::find(*all, trial, &Individual::trial);
      if (known != all->end()) known->marks = running_.so_far(trial);
    }
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    if (parents_.empty()) return random_->propose(ordinal);
    Stream stream = proposal_stream(seed_, ordinal);
    for (int i = 0; i < kNsgaDraws; ++i) {
      Params params = space_.from_unit(child(stream));
      if (visited_.leaves(params)) return params;
    }
    return random_->propose(ordinal);
  }

 private:
  void join(std::uint64_t trial, const Marks& marks) {
    children_.push_back({trial, std::move(genes_.extract(trial).mapped()), marks});
    count();
  }
  void count() {
    if (++ended_ % population_ == 0) close_generation();
  }

  /// The better of two by where they stand among the parents, which are in order.
  [[nodiscard]] const Genes& winner(Stream& stream) const {
    const std::size_t a = stream.below(parents_.size()), b = stream.below(parents_.size());
    return parents_[std::min(a, b)].genes;
  }

  [[nodiscard]] Genes child(Stream& stream) const {
    Genes genes = winner(stream);
    const Genes& other = winner(stream);
    const bool crosses = stream.uniform() < kCrossover;
    const double change = 1 / static_cast<double>(std::max<std::size_t>(free_, 1));
    for (std::size_t i = 0; i < genes.size(); ++i) {
      const bool swaps = stream.uniform() < kSwap;
      if ((crosses && swaps && !std::isnan(other[i])) || std::isnan(genes[i])) genes[i] = other[i];
      const double anew = stream.uniform();
      if (stream.uniform() < change || std::isnan(genes[i])) genes[i] = anew;
    }
    return genes;
  }

  /// Best first: fronts one after another, each from its ends to where it is crowded.
  void close_generation() {
    for (Individual& child : children_) parents_.push_back(std::move(child));
    children_.clear();
    std::vector<Marks> marks;
    for (const Individual& individual : parents_) marks.push_back(individual.marks);
    std::vector<Individual> chosen;
    for (const std::size_t i : best_marked(marks, population_, least_crowded))
      chosen.push_back(parents_[i]);
    parents_ = std::move(chosen);
  }

  const Space& space_;
  std::uint64_t seed_;
  std::size_t population_, free_ = 0;
  std::unique_ptr<Sampler> random_;
  VisitedPoints visited_{space_};
  std::map<std::uint64_t, Genes> genes_;   ///< of trials that belong to no generation yet
  std::map<std::uint64_t, Genes> failed_;  ///< of those that failed before they belonged to one
  RunningMarks running_;
  std::vector<Individual> parents_, children_;
  std::size_t ended_ = 0;
};

}  // namespace

SamplerKind nsga2_sampler() {
  return {.info = {.kind = "nsga2",
                   .doc = "NSGA-II: the best trials of a generation are the parents of new trials. "
                          "For several metrics, and several hundred trials or more.",
                   .fields = {base::integer_field("population", kPopulation, 4, "trials",
                                                  "Trials in a generation.", 10'000)}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return std::make_unique<Nsga2>(setup);
          },
          .several = true};
}

}  // namespace hpo
