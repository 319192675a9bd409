#include "bench/fidelity_curves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/rival.h"

namespace bench {

namespace {

constexpr std::array kAxes{"rate", "size", "decay"};
using Place = std::array<double, kAxes.size()>;

double place(const hpo::Params& params, const char* name) {
  return std::get<double>(*params.find(name));
}

double apart(const hpo::Params& params, const Place& point) {
  double sum = 0;
  for (std::size_t a = 0; a < kAxes.size(); ++a)
    sum += std::pow(point[a] - place(params, kAxes[a]), 2);
  return std::sqrt(sum);
}

/// Final losses are a valley with ripples; what is slow in the beginning is better in the end.
double crossing(const hpo::Params& p, std::int64_t epoch) {
  const double rate = place(p, "rate"), size = place(p, "size"), decay = place(p, "decay");
  const double valley = 2 * (rate - 0.3) * (rate - 0.3) + (size - 0.7) * (size - 0.7) +
                        0.5 * (decay - 0.4) * (decay - 0.4);
  const double ripples = 0.02 * (1 - std::cos(12 * (size - 0.7)));
  const double final_loss = 0.1 + std::min(0.8, valley + ripples);
  const double speed = 0.35 + 1.1 * rate + 0.3 * (1 - size);
  return final_loss + (1 - final_loss) * std::pow(static_cast<double>(epoch), -speed);
}

/// Whoever is fast ends high: up to a dozen epochs the order is nearly the other way round.
double turned_round(const hpo::Params& p, std::int64_t epoch) {
  const double slow = place(p, "rate"), size = place(p, "size"), decay = place(p, "decay");
  const double final_loss = 0.05 + 0.3 * (1 - slow) + 0.4 * (size - 0.6) * (size - 0.6) +
                            0.3 * (decay - 0.4) * (decay - 0.4);
  const double lasts = 1.5 * std::pow(40.0, slow);
  return final_loss + (1 - final_loss) * std::exp(-static_cast<double>(epoch) / lasts);
}

double lowest_loss(const Curve& loss) {
  double lowest = 1;
  constexpr int kSteps = 60;
  for (int i = 0; i <= kSteps; ++i) {
    for (int j = 0; j <= kSteps; ++j) {
      const hpo::Params p{{"rate", i / static_cast<double>(kSteps)},
                          {"size", j / static_cast<double>(kSteps)},
                          {"decay", 0.4}};
      lowest = std::min(lowest, loss(p, kCurveEpochs));
    }
  }
  return lowest;
}

Curves made_up(std::string name, Curve loss) {
  constexpr double kNoise = 0.01;
  const double lowest = lowest_loss(loss);
  return {.name = std::move(name), .loss = std::move(loss), .lowest = lowest, .noise = kNoise};
}

/// Points whose curves a trial's curve is made of.
constexpr std::size_t kNearest = 4;

/// Points of the cube, and the losses after each epoch there.
struct CurveTable {
  std::vector<Place> points;
  std::vector<std::vector<double>> losses;

  /// The mean of the curves of the nearest points, weighted as in Franke and Nielson, "Smooth
  /// interpolation of large sets of scattered data" (1980): 0 from the first point on that is left
  /// out, and a point has its own curve.
  [[nodiscard]] double at(const hpo::Params& params, std::int64_t epoch) const {
    std::vector<std::pair<double, std::size_t>> near;
    for (std::size_t i = 0; i < points.size(); ++i) near.emplace_back(apart(params, points[i]), i);
    std::ranges::partial_sort(near, near.begin() + kNearest + 1);
    const double reach = near[kNearest].first;
    double sum = 0, weights = 0;
    for (const auto& [distance, point] : std::span(near).first(kNearest)) {
      const double loss = losses[point][static_cast<std::size_t>(epoch - 1)];
      if (distance == 0) return loss;
      const double weight = std::pow((reach - distance) / (reach * distance), 2);
      sum += weight * loss;
      weights += weight;
    }
    return sum / weights;
  }
};

Curves read_curves(const base::Path& path) {
  CurveTable table;
  try {
    const nlohmann::json json = nlohmann::json::parse(base::read_file(path));
    table.points = json.at("points").get<std::vector<Place>>();
    table.losses = json.at("losses").get<std::vector<std::vector<double>>>();
  } catch (const nlohmann::json::exception& error) {
    throw base::Error(base::Errc::storage, base::cat(path.string(), ": ", error.what()));
  }
  const auto whole = [](const auto& curve) { return curve.size() == kCurveEpochs; };
  if (table.points.size() <= kNearest || table.points.size() != table.losses.size() ||
      !std::ranges::all_of(table.losses, whole))
    throw base::Error(base::Errc::storage,
                      base::cat(path.string(), ": expected more than ", kNearest,
                                " points and as many curves, ", kCurveEpochs, " losses each"));
  double lowest = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& curve : table.losses)
    lowest = std::min(lowest, std::ranges::min(curve));
  return {.name = path.stem().string(),
          .loss = [table = std::move(table)](const hpo::Params& p,
                                             std::int64_t epoch) { return table.at(p, epoch); },
          .lowest = lowest};
}

}  // namespace

hpo::Space curves_space() {
  std::vector<hpo::Parameter> parameters;
  for (const char* name : kAxes)
    parameters.push_back({.name = name, .domain = hpo::FloatRange{.min = 0, .max = 1}});
  return hpo::Space(std::move(parameters));
}

Curves crossing_curves() { return made_up("crossing", crossing); }

Curves turned_curves() { return made_up("turned round", turned_round); }

std::vector<Curves> measured_curves() {
  std::vector<base::Path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(rivals_folder() + "/../curves"))
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Curves> all;
  for (const base::Path& path : paths) all.push_back(read_curves(path));
  return all;
}

}  // namespace bench
