#include "hpo/samplers/cmaes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "hpo/samplers/covariance.h"
#include "hpo/samplers/merit.h"
#include "hpo/samplers/random.h"
#include "hpo/samplers/visited_points.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr double kSmallestPopulation = 4;     // trials a generation
constexpr int kCmaesDraws = 16;               // of a point that no trial has
constexpr std::size_t kMostCorrelated = 100;  // axes; beyond, each is scaled by itself
constexpr std::uint64_t kMostCells = 1000;    // finer axes count as dense

bool is_axis(const Parameter& parameter) {
  return parameter.when.empty() && cardinality(parameter.domain) != 1 &&
         has_order(parameter.domain);
}

std::vector<std::size_t> axes_of(const Space& space) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (is_axis(space.parameters()[i])) axes.push_back(i);
  }
  return axes;
}

/// See Covariance.
std::vector<std::vector<double>> cells_of(const Space& space,
                                          const std::vector<std::size_t>& axes) {
  std::vector<std::vector<double>> cells;
  for (const std::size_t i : axes) {
    const Domain& domain = space.parameters()[i].domain;
    const auto values = cardinality(domain);
    std::vector<double>& edges = cells.emplace_back();
    if (!values || *values > kMostCells) continue;
    for (std::uint64_t rank = 0; rank < *values; ++rank)
      edges.push_back(unit_cell(domain, nth_value(domain, rank)).from);
    edges.push_back(1);
  }
  return cells;
}

std::size_t population_of(const Params& options, std::size_t axes) {
  const auto given = std::get<std::int64_t>(*options.find("population"));
  if (given > 0) return static_cast<std::size_t>(given);
  return 4 + static_cast<std::size_t>(3 * std::log(static_cast<double>(axes)));
}

class Cmaes final : public Sampler {
 public:
  explicit Cmaes(const SamplerSetup& setup)
      : space_(setup.space),
        seed_(setup.seed),
        axes_(axes_of(setup.space)),
        cells_(cells_of(setup.space, axes_)),
        distribution_(start(std::vector<double>(axes_.size(), 0.5),
                            population_of(setup.options, axes_.size()))),
        random_(random_sampler().make(setup)) {}

  void created(std::uint64_t trial, const Params& params) override {
    random_->created(trial, params);
    visited_.add(params);
    const std::vector<double> places = space_.to_unit(params);
    Running& running = running_[trial];
    running = {.generation = generation_, .merit = {.trial = trial}, .point = {}};
    for (const std::size_t i : axes_) running.point.push_back(places[i]);
  }

  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override {
    if (const auto at = running_.find(trial); at != running_.end())
      at->second.merit.report(step, score);
  }

  /// A generation does not wait for those that wait: what becomes of them later is not asked.
  void paused(std::uint64_t trial) override { ended(trial, TrialState::stopped); }

  void ended(std::uint64_t trial, TrialState state) override {
    const auto at = running_.find(trial);
    if (at == running_.end()) return;
    Running running = std::move(at->second);
    running_.erase(at);
    if (running.generation < born_) return;
    if (state == TrialState::failed) failed_[trial] = running;
    running.merit.end(state);
    ended_.push_back(std::move(running));
    if (ended_.size() == distribution_.population()) close_generation();
  }

  /// Counts in the generation that is open when it ends, unless the distribution began anew.
  void reopened(std::uint64_t trial) override {
    if (running_.insert(failed_.extract(trial)).inserted)
      std::erase_if(ended_, [&](const Running& other) { return other.merit.trial == trial; });
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    Stream stream = proposal_stream(seed_, ordinal);
    std::vector<double> places(space_.size());
    for (int i = 0; i < kCmaesDraws; ++i) {
      for (double& place : places) place = stream.uniform();
      const std::vector<double> point = draw(stream);
      for (std::size_t a = 0; a < axes_.size(); ++a) places[axes_[a]] = point[a];
      Params params = space_.from_unit(places);
      if (visited_.leaves(params)) return params;
    }
    return random_->propose(ordinal);
  }

 private:
  struct Running {
    std::uint64_t generation = 0;
    Merit merit;
    std::vector<double> point;
  };

  [[nodiscard]] Covariance start(std::vector<double> mean, std::size_t population) const {
    return {std::move(mean), cells_, population, axes_.size() > kMostCorrelated};
  }

  [[nodiscard]] std::vector<double> draw(Stream& stream) const {
    std::vector<double> z(axes_.size()), point;
    const auto outside = [](double x) { return x < 0 || x > 1; };
    for (std::size_t i = 0; i < 10 * axes_.size(); ++i) {
      for (double& x : z) x = stream.normal();
      point = distribution_.point(z);
      if (std::ranges::none_of(point, outside)) break;
    }
    for (double& x : point) x = std::clamp(x, 0.0, 1.0);
    return point;
  }

  void close_generation() {
    std::ranges::sort(ended_, {}, &Running::merit);
    std::vector<std::vector<double>> points;
    for (Running& running : ended_) points.push_back(std::move(running.point));
    ended_.clear();
    distribution_.learn(points);
    ++generation_;
    if (!distribution_.exhausted()) return;
    Stream stream(seed_, "cmaes restart", generation_);
    std::vector<double> mean(axes_.size());
    for (double& x : mean) x = stream.uniform();
    distribution_ = start(std::move(mean), 2 * distribution_.population());
    born_ = generation_;
  }

  const Space& space_;
  std::uint64_t seed_;
  std::vector<std::size_t> axes_;
  std::vector<std::vector<double>> cells_;
  Covariance distribution_;
  std::unique_ptr<Sampler> random_;
  VisitedPoints visited_{space_};
  std::map<std::uint64_t, Running> running_;
  std::map<std::uint64_t, Running> failed_;  ///< as they ran
  std::vector<Running> ended_;               ///< of this generation
  std::uint64_t generation_ = 0;
  std::uint64_t born_ = 0;  ///< the generation that the distribution began with
};

std::string cmaes_refusal(const Space& space, const Params& options) {
  const ParamValue* population = options.find("population");
  if (population != nullptr && number_of(*population) > 0 &&
      number_of(*population) < kSmallestPopulation)
    return "cmaes needs a population of 4 or more; 0: as the space asks for";
  if (!axes_of(space).empty()) return "";
  return "cmaes needs a float or an int that exists without conditions and has more than one "
         "value; for other spaces there are tpe and random";
}

/// What becomes of parameters that it cannot move along.
std::string cmaes_reason(const Space& space, const Prospect&) {
  std::string others;
  for (const Parameter& parameter : space.parameters()) {
    if (cardinality(parameter.domain) == 1 || is_axis(parameter)) continue;
    others += (others.empty() ? "" : ", ") + parameter.name;
  }
  if (others.empty()) return "";
  return "draws " + others +
         " at random, because it models only numbers that are always active; auto and tpe model "
         "all parameters";
}

}  // namespace

SamplerKind cmaes_sampler() {
  return {.info = {.kind = "cmaes",
                   .doc = "CMA-ES with margin and restarts: a normal distribution that moves to "
                          "good trials and adapts its shape to them. For floats and ints, and "
                          "several hundred trials or more.",
                   .fields = {base::integer_field(
                       "population", 0, 0, "trials",
                       "Trials in a generation. 0: 4 + 3 ln(parameters).", 10'000)}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return std::make_unique<Cmaes>(setup);
          },
          .refuses = &cmaes_refusal,
          .reason = cmaes_reason};
}

}  // namespace hpo
