// What a proposal costs: our samplers beside Optuna's and Rustuna's, on 40 floats, on a mixed space
// of ten parameters, and a grid of ints.
#include <malloc.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "bench/rival.h"
#include "hpo/samplers/registry.h"

namespace bench {

namespace {

/// One line of the table. Rivals with a count of 0 do not take part: they have no such sampler, or
/// would take hours.
struct Race {
  const char* sampler;
  const char* space;
  int trials;
  int rustuna;  ///< trials of the rival: fewer where its cost a trial does not grow
  int optuna;
  std::size_t metrics = 1;
};
constexpr std::array kRaces{Race{"tpe", "float40", 1000, 1000, 1000},
                            Race{"tpe", "mixed10", 1000, 1000, 1000},
                            Race{"tpe", "float40", 10000, 10000, 0},
                            Race{"gp", "float40", 100, 0, 100},
                            Race{"gp", "mixed10", 100, 0, 100},
                            Race{"cmaes", "float40", 1000, 1000, 1000},
                            Race{"random", "float40", 1000, 1000, 1000},
                            Race{"sobol", "float40", 1000, 0, 1000},
                            Race{"halton", "float40", 1000, 0, 0},
                            Race{"nsga2", "float40", 1000, 1000, 1000, 2},
                            Race{"nsga2", "float40", 10000, 10000, 0, 2},
                            Race{"tpe", "float40", 1000, 1000, 1000, 2},
                            Race{"grid", "int4", 1000, 0, 0},
                            Race{"grid", "int4", 10000, 0, 0}};

constexpr int kLongTrials = 100'000;

hpo::Parameter floating(std::string name, double min, hpo::Scale scale = hpo::Scale::linear) {
  return {.name = std::move(name), .domain = hpo::FloatRange{min, 1, scale, 0}};
}

hpo::Space float40() {
  std::vector<hpo::Parameter> parameters;
  for (int i = 0; i < 40; ++i) parameters.push_back(floating(base::cat("x", i), 0));
  return hpo::Space(std::move(parameters));
}

/// 3 floats, 2 on a log scale, 2 ints, 2 words and a float that exists for one word of three.
hpo::Space mixed10() {
  std::vector<hpo::Parameter> parameters;
  for (int i = 0; i < 3; ++i) parameters.push_back(floating(base::cat("f", i), 0));
  for (int i = 0; i < 2; ++i)
    parameters.push_back(floating(base::cat("l", i), 1e-5, hpo::Scale::log));
  for (int i = 0; i < 2; ++i)
    parameters.push_back({.name = base::cat("i", i), .domain = hpo::IntRange{1, 512}});
  const std::vector<hpo::ParamValue> words{std::string("a"), std::string("b"), std::string("c")};
  for (int i = 0; i < 2; ++i)
    parameters.push_back({.name = base::cat("c", i), .domain = hpo::Choice{words}});
  hpo::Parameter last = floating("m", 0);
  last.when = {{"c0", {words[0]}}};
  parameters.push_back(std::move(last));
  return hpo::Space(std::move(parameters));
}

/// 4 ints, 10,000 points.
hpo::Space int4() {
  std::vector<hpo::Parameter> parameters;
  for (int i = 0; i < 4; ++i)
    parameters.push_back({.name = base::cat("i", i), .domain = hpo::IntRange{1, 10}});
  return hpo::Space(std::move(parameters));
}

hpo::Space space_of(std::string_view name) {
  return name == "float40" ? float40() : name == "int4" ? int4() : mixed10();
}

std::unique_ptr<hpo::Sampler> sampler_of(const std::string& kind, const hpo::Space& space,
                                         std::size_t metrics = 1) {
  const hpo::SamplerKind& known = *hpo::find_sampler_kind(kind);
  return known.make(
      {.space = space, .seed = 1, .options = hpo::options_of(known.info), .metrics = metrics});
}

/// Numbers are worth most near `best`, counted in parts of their range.
double loss_of(const hpo::Params& params, double best = 0.3) {
  double loss = 0;
  for (const auto& [name, value] : params) {
    const std::optional<double> number = hpo::number_of(value);
    const double part =
        number.value_or(best) / (std::holds_alternative<std::int64_t>(value) ? 512 : 1);
    loss += (part - best) * (part - best);
  }
  return loss;
}

/// Seconds of a whole search, and of its last tenth.
struct Times {
  double all = 0, last = 0;
};

/// A second metric is best elsewhere.
hpo::Score score_of(const hpo::Params& params, std::size_t metrics) {
  hpo::Score score(loss_of(params));
  if (metrics > 1) score.others.push_back(loss_of(params, 0.7));
  return score;
}

void run_trial(hpo::Sampler& sampler, std::uint64_t i, std::size_t metrics = 1) {
  const std::optional<hpo::Params> params = sampler.propose(i);
  if (!params) throw base::Error(base::Errc::internal, "the sampler has nothing to propose");
  sampler.created(i, *params);
  sampler.reported(i, 1, score_of(*params, metrics));
  sampler.ended(i, hpo::TrialState::complete);
}

Times search(const Race& race, int trials) {
  const hpo::Space space = space_of(race.space);
  const auto sampler = sampler_of(race.sampler, space, race.metrics);
  const base::Moment begun = base::now();
  base::Moment tail = begun;
  for (int i = 0; i < trials; ++i) {
    if (i == trials - std::max(1, trials / 10)) tail = base::now();
    run_trial(*sampler, static_cast<std::uint64_t>(i), race.metrics);
  }
  return {.all = base::seconds_since(begun), .last = base::seconds_since(tail)};
}

/// Milliseconds a trial of a rival; NaN when it is not there.
double rival_ms(const std::string& python, const char* library, const Race& race, int trials) {
  if (python.empty() || trials == 0) return NAN;
  const auto done = run_rival_program(
      python, "samplers", library,
      {library, race.sampler, race.space, std::to_string(trials), std::to_string(race.metrics)});
  if (!done) return NAN;
  const auto figures = nlohmann::json::parse(done->output);
  return figures["seconds"].get<double>() / trials * 1e3;
}

std::vector<Case> cases_of(const Race& race, const std::string& python, const Options& options) {
  const int share = options.quick ? 10 : 1;
  const int trials = race.trials / share;
  const std::string name =
      base::cat(race.sampler, "/", race.space, "/", trials,
                race.metrics > 1 ? base::cat("/", race.metrics, " metrics") : "");
  show_progress(name);
  const int repetitions = options.quick || race.trials > 1000 ? 1 : 5;
  std::vector<double> all, last;
  for (int i = 0; i < repetitions; ++i) {
    const Times times = search(race, trials);
    all.push_back(times.all / trials * 1e3);
    last.push_back(times.last / std::max(1, trials / 10) * 1e3);
  }
  const Sample ours = sample_of(all);
  std::vector<Case> cases;
  for (const auto& [library, title, count] :
       {std::tuple{"rustuna", "Rustuna", race.rustuna}, {"optuna", "Optuna", race.optuna}}) {
    const double theirs = rival_ms(python, library, race, count / share);
    if (std::isnan(theirs)) continue;
    cases.push_back({.name = name,
                     .ours = ours.median,
                     .unit = "ms/trial",
                     .rival = title,
                     .rival_value = theirs,
                     .ratio = theirs / ours.median,
                     .spread = ours.spread});
  }
  if (cases.empty())
    cases.push_back({.name = name, .ours = ours.median, .unit = "ms/trial", .spread = ours.spread});
  const Sample tail = sample_of(last);
  cases.push_back({.name = name + ", last tenth",
                   .ours = tail.median,
                   .unit = "ms/trial",
                   .spread = tail.spread});
  return cases;
}

double bytes_in_use() {
#if __GLIBC_PREREQ(2, 33)  // before, numbers of 32 bits
  const auto heap = mallinfo2();
#else
  const auto heap = mallinfo();
#endif
  return static_cast<double>(heap.uordblks) + static_cast<double>(heap.hblkhd);
}

/// A history that nobody proposed, so that it is there at once; then what one more proposal costs,
/// and the memory that a value of a parameter takes.
std::vector<Case> long_history(const Options& options) {
  const int trials = options.quick ? kLongTrials / 10 : kLongTrials;
  const std::string name = base::cat("tpe/float40/", trials);
  show_progress(name);
  const hpo::Space space = float40();
  const double before = bytes_in_use();
  const auto sampler = sampler_of("tpe", space), random = sampler_of("random", space);
  for (int i = 0; i < trials; ++i) {
    const auto trial = static_cast<std::uint64_t>(i);
    const hpo::Params params = *random->propose(trial);
    sampler->created(trial, params);
    sampler->reported(trial, 1, hpo::Score(loss_of(params)));
    sampler->ended(trial, hpo::TrialState::complete);
  }
  const double bytes = bytes_in_use() - before;
  std::uint64_t next = static_cast<std::uint64_t>(trials);
  const Sample one = repeat(5, [&] {
    const base::Moment begun = base::now();
    run_trial(*sampler, next++);
    return base::seconds_since(begun) * 1e3;
  });
  return {{.name = name + ", one more", .ours = one.median, .unit = "ms", .spread = one.spread},
          {.name = name + ", memory", .ours = bytes / trials / 40, .unit = "B/value"}};
}

/// A line a case as it ends: the whole takes many minutes.
void say(const Case& one) {
  std::string line = base::cat(one.name, ": ", one.ours, " ", one.unit);
  if (!one.rival.empty())
    line += base::cat(", ", one.rival, " ", one.rival_value, ", ratio ", one.ratio);
  std::fputs((line + "\n").c_str(), stderr);
}

}  // namespace

std::vector<Case> run_samplers(const Options& options) {
  const std::string python = rivals_python();
  std::vector<Case> cases;
  const auto take = [&](std::vector<Case> some) {
    for (Case& one : some) {
      say(one);
      cases.push_back(std::move(one));
    }
  };
  for (const Race& race : kRaces) take(cases_of(race, python, options));
  take(long_history(options));
  show_progress("");
  return cases;
}

}  // namespace bench
