// The digits sweep against the same search in a pool of PyTorch processes, both as whole programs.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "hpo/study/trial_spec.h"
#include "nn/data/load.h"
#include "runtime/base/error.h"
#include "runtime/base/file.h"
#include "runtime/base/text.h"

namespace bench {

namespace {

constexpr int kSeeds = 20;

/// Figures of one program over all seeds.
struct Figures {
  std::vector<double> seconds, megabytes, accuracy;
};

std::string study_file() {
  return (rt::Path(rivals_folder()).parent_path().parent_path() / "experiments" / "digits.yaml")
      .string();
}

/// The rows, scaled, and the split exactly as our own trials see them.
void write_split(const rt::Path& path) {
  hpo::StudySpec study = hpo::load_study(study_file());
  nn::Dataset data = nn::load_dataset(hpo::data_spec(study, study.space.middle()));
  nlohmann::json split;
  auto& x = split["x"] = nlohmann::json::array();
  for (std::size_t row = 0; row < data.rows(); ++row) {
    nlohmann::json values = nlohmann::json::array();
    for (std::size_t col = 0; col < data.cols(); ++col) {
      std::size_t at = row * data.cols() + col;
      float raw = data.x_u8().empty() ? data.x_f32()[at] : static_cast<float>(data.x_u8()[at]);
      values.push_back((raw - data.shift()[col]) * data.scale()[col]);
    }
    x.push_back(std::move(values));
  }
  split["y"] = std::vector<int>(data.labels().begin(), data.labels().end());
  for (auto [name, part] :
       {std::pair{"train", nn::Part::train}, {"valid", nn::Part::valid}, {"test", nn::Part::test}})
    split[name] = std::vector<unsigned>(data.part(part).begin(), data.part(part).end());
  rt::write_file_atomic(path, split.dump());
}

void run_ours(const rt::Path& folder, int seed, const Options& options, Figures& to) {
  rt::Path runs = folder / rt::cat("seed-", seed);
  std::vector<std::string> words{own_program(), "sweep",  study_file(),         "--dir",
                                 runs.string(), "--seed", std::to_string(seed), "--quiet"};
  if (options.workers > 0)
    words.insert(words.end(), {"--workers", std::to_string(options.workers)});
  Finished done = run_program(words);
  must_end_well(done, "trellis sweep");
  Finished best = run_program({own_program(), "best", "digits", "--dir", runs.string(), "--json"});
  must_end_well(best, "trellis best");
  to.seconds.push_back(done.seconds);
  to.megabytes.push_back(done.peak_megabytes);
  to.accuracy.push_back(
      nlohmann::json::parse(best.output)["metrics"]["test.accuracy"].get<double>());
  std::filesystem::remove_all(runs);
}

void run_rival(const std::string& python, const rt::Path& split, int seed, const Options& options,
               Figures& to) {
  Finished done = run_program({python, "-B", rivals_folder() + "/digits_torch_pool.py",
                               split.string(), "--seed", std::to_string(seed), "--processes",
                               std::to_string(workers_or_cores(options.workers))});
  must_end_well(done, "the pool of PyTorch processes");
  auto figures = nlohmann::json::parse(done.output);
  to.seconds.push_back(done.seconds);
  to.megabytes.push_back(figures["peak_mb"].get<double>());
  to.accuracy.push_back(figures["test"].get<double>());
}

std::vector<Case> cases_of(const Figures& ours, const Figures& theirs) {
  const std::string rival = theirs.seconds.empty() ? "" : "pool of PyTorch processes";
  auto paired = [&](std::string name, std::string unit, const std::vector<double>& a,
                    const std::vector<double>& b) {
    Sample mine = sample_of(a);
    Case one{.name = std::move(name),
             .ours = mine.median,
             .unit = std::move(unit),
             .rival = rival,
             .spread = mine.spread};
    if (!b.empty()) {
      std::vector<double> ratios;
      for (std::size_t i = 0; i < b.size(); ++i) ratios.push_back(b[i] / a[i]);
      one.rival_value = sample_of(b).median;
      one.ratio = sample_of(ratios).median;
    }
    return one;
  };
  std::vector<Case> cases{
      paired("digits sweep, 60 trials, start included", "s", ours.seconds, theirs.seconds),
      paired("peak memory", "MB", ours.megabytes, theirs.megabytes)};
  MeanError mine = mean_error(ours.accuracy);
  Case accuracy{.name = rt::cat("test accuracy, mean of ", ours.accuracy.size(), " seeds"),
                .ours = mine.mean,
                .rival = rival};
  Case errors{.name = "difference of the means in standard errors", .rival = rival};
  if (!theirs.accuracy.empty()) {
    MeanError other = mean_error(theirs.accuracy);
    accuracy.rival_value = other.mean;
    accuracy.ratio = mine.mean / other.mean;
    errors.ours = (mine.mean - other.mean) / std::hypot(mine.standard_error, other.standard_error);
    cases.push_back(accuracy);
    cases.push_back(errors);
  } else {
    cases.push_back(accuracy);
  }
  return cases;
}

}  // namespace

std::vector<Case> run_digits(const Options& options) {
  std::string python = rivals_python();
  rt::Path folder = std::filesystem::temp_directory_path() / rt::cat("trellis-bench-", ::getpid());
  rt::make_folder(folder);
  rt::Path split = folder / "split.json";
  write_split(split);
  Figures ours, theirs;
  const int seeds = options.quick ? 2 : kSeeds;
  for (int seed = 0; seed < seeds; ++seed) {
    show_progress(rt::cat("digits: seed ", seed + 1, " of ", seeds));
    run_ours(folder, seed, options, ours);
    if (!python.empty()) run_rival(python, split, seed, options, theirs);
  }
  show_progress("");
  std::filesystem::remove_all(folder);
  return cases_of(ours, theirs);
}

}  // namespace bench
