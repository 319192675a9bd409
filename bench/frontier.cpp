// The adaptive network of experiments/adaptive-fashion.yaml against the frontier of fixed networks
// trained by the same recipe: accuracy against training FLOPs, everything counted.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"

namespace bench {

namespace {

constexpr std::array kFrontierWidths{64, 128, 256, 512};
constexpr int kFrontierSeeds = 5;
constexpr double kStudent =
    2.776;  // 97.5% of Student's distribution with kFrontierSeeds - 1 degrees

/// What one training gave.
struct Point {
  double train_flops = 0, inference_flops = 0, accuracy = 0;
};

base::Path study_file() {
  return base::Path(rivals_folder()).parent_path().parent_path() / "experiments" /
         "adaptive-fashion.yaml";
}

/// The study without its adaptation, of layers that are `width` wide.
std::string fixed_study(std::string text, int width) {
  text.resize(text.find("\nadapt:") + 1);
  for (std::size_t at = 0; (at = text.find("units: ", at)) != std::string::npos;) {
    at += 7;
    text.replace(at, text.find(',', at) - at, std::to_string(width));
  }
  return text;
}

Point train(const base::Path& study, const base::Path& runs, int seed, const Options& options) {
  std::vector<std::string> words{own_program(), "train",  study.string(),       "--dir",
                                 runs.string(), "--seed", std::to_string(seed), "--json",
                                 "--quiet"};
  if (options.workers > 0)
    words.insert(words.end(), {"--workers", std::to_string(options.workers)});
  const Finished done = run_program(words);
  std::filesystem::remove_all(runs);
  must_end_well(done, "trellis train");
  const auto result = nlohmann::json::parse(done.output);
  return {.train_flops = result["flops"]["train"].get<double>(),
          .inference_flops = result["flops"]["inference"].get<double>(),
          .accuracy = result["metrics"]["test.accuracy"].get<double>()};
}

/// Where `x` is on the line through points of ascending x; beyond the ends, the end's y.
double on_line(const std::vector<std::pair<double, double>>& points, double x) {
  const auto right = std::ranges::find_if(points, [&](const auto& p) { return p.first >= x; });
  if (right == points.begin()) return points.front().second;
  if (right == points.end()) return points.back().second;
  const auto& [x0, y0] = *std::prev(right);
  const auto& [x1, y1] = *right;
  return y0 + (x - x0) / (x1 - x0) * (y1 - y0);
}

/// The accuracy of a frontier, linear in the logarithm of training FLOPs.
double accuracy_at(const std::vector<Point>& frontier, double train_flops) {
  std::vector<std::pair<double, double>> line;
  for (const Point& p : frontier) line.emplace_back(std::log(p.train_flops), p.accuracy);
  return on_line(line, std::log(train_flops));
}

/// FLOPs of one row of the network of that accuracy, by the same rule.
double row_at(const std::vector<Point>& frontier, double accuracy) {
  std::vector<std::pair<double, double>> line;
  for (const Point& p : frontier) line.emplace_back(p.accuracy, std::log(p.inference_flops));
  return std::exp(on_line(line, accuracy));
}

Point mean_of(const std::vector<Point>& points) {
  Point sum;
  for (const Point& p : points) {
    sum.train_flops += p.train_flops;
    sum.inference_flops += p.inference_flops;
    sum.accuracy += p.accuracy;
  }
  const auto n = static_cast<double>(points.size());
  return {sum.train_flops / n, sum.inference_flops / n, sum.accuracy / n};
}

std::vector<Case> cases_of(const std::vector<Point>& ours,
                           const std::vector<std::vector<Point>>& fixed) {
  const auto seeds = ours.size();
  std::vector<double> margins;
  std::vector<Point> frontier;
  for (const std::vector<Point>& width : fixed) frontier.push_back(mean_of(width));
  for (std::size_t s = 0; s < seeds; ++s) {
    std::vector<Point> of_seed;
    for (const std::vector<Point>& width : fixed) of_seed.push_back(width[s]);
    margins.push_back(ours[s].accuracy - accuracy_at(of_seed, ours[s].train_flops));
  }
  const auto [margin, error] = mean_error(margins);
  const Point mean = mean_of(ours);
  const double at_equal_flops = accuracy_at(frontier, mean.train_flops);
  const double equal_inference = row_at(frontier, mean.accuracy);
  const Point& widest = frontier.back();
  std::vector<Case> cases{
      {.name = base::cat("test accuracy, mean of ", seeds, " seeds"),
       .ours = 100 * mean.accuracy,
       .unit = "%",
       .rival = "fixed, equal training FLOPs",
       .rival_value = 100 * at_equal_flops,
       .ratio = mean.accuracy / at_equal_flops},
      {.name = "above the frontier, paired mean", .ours = 100 * margin, .unit = "points"},
      {.name = "above the frontier, 95% from",
       .ours = 100 * (margin - kStudent * error),
       .unit = "points"},
      {.name = "above the frontier, 95% to",
       .ours = 100 * (margin + kStudent * error),
       .unit = "points"},
      {.name = "training, candidates counted",
       .ours = mean.train_flops / 1e9,
       .unit = "GFLOP",
       .rival = base::cat("fixed, ", kFrontierWidths.back(), " wide"),
       .rival_value = widest.train_flops / 1e9,
       .ratio = widest.train_flops / mean.train_flops},
      {.name = "one row",
       .ours = mean.inference_flops / 1e3,
       .unit = "kFLOP",
       .rival = "fixed, equal accuracy",
       .rival_value = equal_inference / 1e3,
       .ratio = equal_inference / mean.inference_flops}};
  for (std::size_t w = 0; w < frontier.size(); ++w) {
    cases.push_back({.name = base::cat("fixed, ", kFrontierWidths[w], " wide: accuracy"),
                     .ours = 100 * frontier[w].accuracy,
                     .unit = "%"});
    cases.push_back({.name = base::cat("fixed, ", kFrontierWidths[w], " wide: training"),
                     .ours = frontier[w].train_flops / 1e9,
                     .unit = "GFLOP"});
  }
  return cases;
}

}  // namespace

std::vector<Case> run_frontier(const Options& options) {
  const base::TemporaryFolder scratch("trellis-frontier-");
  const base::Path& folder = scratch.path();
  std::string text = base::read_file(study_file());
  if (options.quick) text.replace(text.find("epochs: 11"), 10, "epochs: 3");
  base::write_file_atomic(folder / "adaptive.yaml", text);
  for (int width : kFrontierWidths)
    base::write_file_atomic(folder / base::cat("fixed-", width, ".yaml"), fixed_study(text, width));
  const int seeds = options.quick ? 1 : kFrontierSeeds;
  std::vector<Point> ours;
  std::vector<std::vector<Point>> fixed(kFrontierWidths.size());
  for (int seed = 1; seed <= seeds; ++seed) {
    show_progress(base::cat("frontier: seed ", seed, " of ", seeds));
    ours.push_back(train(folder / "adaptive.yaml", folder / "runs", seed, options));
    for (std::size_t w = 0; w < kFrontierWidths.size(); ++w) {
      fixed[w].push_back(train(folder / base::cat("fixed-", kFrontierWidths[w], ".yaml"),
                               folder / "runs", seed, options));
    }
  }
  show_progress("");
  return cases_of(ours, fixed);
}

}  // namespace bench
