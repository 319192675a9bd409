#include "hpo/samplers/tpe.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "hpo/samplers/marks.h"
#include "hpo/samplers/parzen.h"
#include "hpo/samplers/random.h"
#include "hpo/samplers/sobol.h"
#include "hpo/samplers/standings.h"
#include "hpo/samplers/visited_points.h"
#include "hpo/space/random.h"

namespace hpo {

namespace {

constexpr double kGoodShare = 0.1;
constexpr std::size_t kMostGood = 25;
constexpr std::size_t kMostOnFronts = 100;  // with several metrics: a front is no point
constexpr double kLeastShare = 0.5;         // of the candidates, beside running trials
constexpr double kMost = 10'000;            // of any option
constexpr std::size_t kMostBad = 10'000;    // points behind the density of the rest
// Trials among which fronts are looked for: beyond twice as many the best of them are kept.
constexpr std::size_t kMostMarked = 200;

// The cost of a hypervolume grows with the number of points to the power of the metrics less one.
constexpr std::size_t kMostMeasured = 3;

std::vector<std::size_t> covering(std::span<const Losses> front, std::size_t count) {
  if (count < front.size())
    return front[0].size() <= kMostMeasured ? most_covering(front, count)
                                            : least_crowded(front, count);
  std::vector<std::size_t> all(front.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// Parameters that exist under the same conditions, and what is known of them.
class Group {
 public:
  /// `several`: whether there is more than one metric.
  Group(const Space& space, std::vector<std::size_t> parameters, bool several)
      : space_(space),
        parameters_(std::move(parameters)),
        several_(several),
        good_(axes(), !several),
        bad_(axes()) {}

  [[nodiscard]] const std::vector<std::size_t>& parameters() const { return parameters_; }

  void begin(std::uint64_t trial, const Params& params) {
    std::vector<Coordinate> point;
    for (const std::size_t i : parameters_) {
      const Parameter& p = space_.parameters()[i];
      point.push_back(coordinate_of(p.domain, *params.find(p.name)));
    }
    points_.emplace(trial, std::move(point));
  }

  /// Before its first report a trial is neither good nor bad: large networks report late, and are
  /// not bad for that.
  void report(std::uint64_t trial, std::int64_t step, const Score& score) {
    if (several_ || !points_.contains(trial)) return;
    if (standings_.report(trial, step, score)) add_bad(trial);
    settle(standings_.best(good_among(standings_.size())));
  }

  void end(const Marks& marks) {
    if (!points_.contains(marks.merit.trial)) return standings_.forget(marks.merit.trial);
    if (several_) {
      add_bad(marks.merit.trial);
      marks_.push_back(marks);
      ++ended_;
      rank_fronts();
      if (marks_.size() > 2 * kMostMarked) keep_best_marked();
      return;
    }
    if (standings_.end(marks.merit)) add_bad(marks.merit.trial);
    settle(standings_.best(good_among(standings_.size())));
  }

  /// A trial that has ended runs again.
  void go_on(std::uint64_t trial) {
    if (!points_.contains(trial)) return;
    if (several_) {
      std::erase_if(marks_, [&](const Marks& marks) { return marks.merit.trial == trial; });
      --ended_;
      (good_trials_.erase(trial) > 0 ? good_ : bad_).remove(trial);
    } else {
      standings_.go_on(trial);
      settle(standings_.best(good_among(standings_.size())));
    }
  }

  /// A trial that failed runs again.
  void reopen(std::uint64_t trial) {
    const bool has_point = points_.contains(trial);
    if (several_) {
      if (!has_point) return;
      std::erase_if(marks_, [&](const Marks& marks) { return marks.merit.trial == trial; });
      --ended_;
      (good_trials_.erase(trial) > 0 ? good_ : bad_).remove(trial);
      return rank_fronts();
    }
    if (!standings_.has_failed(trial)) return;
    const bool silent = standings_.reopen(trial);
    if (!has_point) return standings_.forget(trial);
    if (silent) (good_trials_.erase(trial) > 0 ? good_ : bad_).remove(trial);
    settle(standings_.best(good_among(standings_.size())));
  }

  /// The densities' choice among `candidates` draws, best first, each as places in the unit cube.
  [[nodiscard]] std::vector<std::vector<double>> propose(Stream& stream, std::size_t candidates) {
    candidates = spread_out(candidates);
    const std::size_t axes = parameters_.size();
    std::vector<std::vector<double>> places(candidates, std::vector<double>(axes));
    std::vector<Coordinate> points(candidates * axes);
    for (std::size_t c = 0; c < candidates; ++c) {
      if (several_ || c % 2 == 0)  // between two ends of a front lies no good point
        good_.sample(stream, places[c]);
      else
        good_.sample_between(stream, places[c]);
      for (std::size_t a = 0; a < axes; ++a)
        points[c * axes + a] = coordinate_at(parameters_[a], places[c][a]);
    }
    std::vector<double> good(candidates), bad(candidates);
    good_.score(points, good);
    bad_.score(points, bad);
    std::vector<std::size_t> order(candidates);
    for (std::size_t c = 0; c < candidates; ++c) order[c] = c;
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t c) { return good[c] - bad[c]; });
    std::vector<std::vector<double>> best;
    for (const std::size_t c : order) best.push_back(std::move(places[c]));
    return best;
  }

 private:
  /// Proposals beside trials of which nothing is known yet come from the same densities as those
  /// did. Fewer candidates keep them from all going to one place.
  [[nodiscard]] std::size_t spread_out(std::size_t candidates) const {
    const auto unknown = static_cast<double>(points_.size() - good_.size() - bad_.size());
    const double share = std::max(kLeastShare, 1 / std::sqrt(1 + unknown));
    return static_cast<std::size_t>(std::ceil(share * static_cast<double>(candidates)));
  }

  /// Good are the first fronts, and what covers the most of the one that is cut (Ozaki et al.,
  /// "Multiobjective tree-structured Parzen estimator", JAIR 73, 2022).
  void rank_fronts() {
    std::vector<std::uint64_t> good;
    for (const std::size_t i : best_marked(marks_, good_among(ended_, kMostOnFronts), covering))
      good.push_back(marks_[i].merit.trial);
    settle(good);
  }

  void keep_best_marked() {
    std::vector<Marks> kept;
    for (const std::size_t i : best_marked(marks_, kMostMarked, covering))
      kept.push_back(std::move(marks_[i]));
    marks_ = std::move(kept);
  }

  [[nodiscard]] std::vector<Axis> axes() const {
    std::vector<Axis> all;
    for (const std::size_t i : parameters_) all.push_back(axis_of(space_.parameters()[i].domain));
    return all;
  }

  [[nodiscard]] static std::size_t good_among(std::size_t ranked, std::size_t most = kMostGood) {
    const double share = std::ceil(kGoodShare * static_cast<double>(ranked));
    return std::min(static_cast<std::size_t>(share), most);
  }

  /// Moves points between the densities, so that these trials are the good ones.
  void settle(std::span<const std::uint64_t> trials) {
    std::set<std::uint64_t> good;
    for (const std::uint64_t trial : trials)
      if (points_.contains(trial)) good.insert(trial);
    for (const std::uint64_t trial : good) {
      if (good_trials_.contains(trial)) continue;
      bad_.remove(trial);
      good_.add(trial, points_.at(trial));
    }
    for (const std::uint64_t trial : good_trials_) {
      if (good.contains(trial)) continue;
      good_.remove(trial);
      add_bad(trial);
    }
    good_trials_ = std::move(good);
  }

  /// Forgets the oldest point when there are too many.
  void add_bad(std::uint64_t trial) {
    bad_.add(trial, points_.at(trial));
    if (bad_.size() <= kMostBad) return;
    const std::uint64_t oldest = bad_.oldest();
    bad_.remove(oldest);
    points_.erase(oldest);
  }

  [[nodiscard]] Coordinate coordinate_at(std::size_t parameter, double u) const {
    const Domain& domain = space_.parameters()[parameter].domain;
    if (!cardinality(domain)) return {.at = u};
    return coordinate_of(domain, from_unit(domain, u));
  }

  const Space& space_;
  std::vector<std::size_t> parameters_;
  bool several_;
  Parzen good_, bad_;
  std::map<std::uint64_t, std::vector<Coordinate>> points_;
  std::set<std::uint64_t> good_trials_;
  Standings standings_{kMostGood};
  // With several metrics, instead of the last two:
  std::vector<Marks> marks_;
  std::size_t ended_ = 0;
};

class Tpe final : public Sampler {
 public:
  explicit Tpe(const SamplerSetup& setup)
      : space_(setup.space),
        seed_(setup.seed),
        startup_(static_cast<std::size_t>(std::get<std::int64_t>(*setup.options.find("startup")))),
        candidates_(
            static_cast<std::size_t>(std::get<std::int64_t>(*setup.options.find("candidates")))),
        start_(even_start(setup)),
        random_(random_sampler().make(setup)),
        running_(setup.metrics) {
    std::vector<std::vector<std::size_t>> sets;
    for (const std::size_t i : space_.order()) {
      const auto same = std::ranges::find_if(sets, [&](const std::vector<std::size_t>& set) {
        return space_.parameters()[set.front()].when == space_.parameters()[i].when;
      });
      (same == sets.end() ? sets.emplace_back() : *same).push_back(i);
    }
    for (std::vector<std::size_t>& set : sets)
      groups_.emplace_back(space_, std::move(set), setup.metrics > 1);
  }

  void created(std::uint64_t trial, const Params& params) override {
    if (start_) start_->created(trial, params);
    random_->created(trial, params);
    ++created_;
    visited_.add(params);
    for (Group& group : groups_) {
      if (params.find(space_.parameters()[group.parameters().front()].name) != nullptr)
        group.begin(trial, params);
    }
    running_.begin(trial);
  }

  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override {
    running_.report(trial, step, score);
    for (Group& group : groups_) group.report(trial, step, score);
  }

  void paused(std::uint64_t trial) override {
    waiting_.insert(trial);
    end(running_.so_far(trial));
  }

  void resumed(std::uint64_t trial) override {
    waiting_.erase(trial);
    --ended_;
    for (Group& group : groups_) group.go_on(trial);
  }

  void ended(std::uint64_t trial, TrialState state) override {
    if (waiting_.contains(trial)) resumed(trial);
    end(running_.end(trial, state));
  }

  void reopened(std::uint64_t trial) override {
    running_.reopen(trial);
    --ended_;
    for (Group& group : groups_) group.reopen(trial);
  }

  std::optional<Params> propose(std::uint64_t ordinal) override {
    if (start_) return start_->propose(ordinal);
    Stream stream = proposal_stream(seed_, ordinal);
    std::vector<double> place(space_.size(), 0.5);
    std::vector<std::vector<double>> choices;
    const Group* last = nullptr;
    for (Group& group : groups_) {
      if (!is_active(group, place)) continue;
      choices = group.propose(stream, candidates_);
      last = &group;
      fill(place, group, choices.front());
    }
    for (const std::vector<double>& choice : choices) {
      fill(place, *last, choice);
      Params params = space_.from_unit(place);
      if (visited_.leaves(params)) return params;
    }
    return random_->propose(ordinal);
  }

 private:
  void end(const Marks& marks) {
    ++ended_;
    for (Group& group : groups_) group.end(marks);
    if (created_ >= startup_ && 2 * ended_ >= startup_) start_.reset();
  }

  [[nodiscard]] bool is_active(const Group& group, const std::vector<double>& place) const {
    const std::size_t first = group.parameters().front();
    return space_.parameters()[first].when.empty() ||
           space_.is_active(first, space_.from_unit(place));
  }

  static void fill(std::vector<double>& place, const Group& group,
                   const std::vector<double>& choice) {
    for (std::size_t a = 0; a < choice.size(); ++a) place[group.parameters()[a]] = choice[a];
  }

  const Space& space_;
  std::uint64_t seed_;
  std::size_t startup_, candidates_;
  std::unique_ptr<Sampler> start_;  ///< until the densities have something to learn from
  std::unique_ptr<Sampler> random_;
  VisitedPoints visited_{space_};
  std::vector<Group> groups_;
  RunningMarks running_;
  std::set<std::uint64_t> waiting_;  ///< those that count as stopped meanwhile
  std::size_t created_ = 0, ended_ = 0;
};

}  // namespace

SamplerKind tpe_sampler() {
  return {.info = {.kind = "tpe",
                   .doc = "Tree-structured Parzen estimator: proposes points that are likely among "
                          "good trials and unlikely among bad trials.",
                   .fields =
                       {base::integer_field(
                            "startup", 10, 1, "trials",
                            "Number of evenly spread trials at the beginning. At least half "
                            "of this number must have ended before the model proposes.",
                            kMost),
                        base::integer_field(
                            "candidates", 24, 1, "points",
                            "Points drawn for each proposal, the best of which is taken. Fewer are "
                            "drawn while trials run that have not reported yet: half as many with "
                            "three or more such trials.",
                            kMost)}},
          .make = [](const SamplerSetup& setup) -> std::unique_ptr<Sampler> {
            return std::make_unique<Tpe>(setup);
          },
          .several = true};
}

}  // namespace hpo
