#include "tasks/simulated.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nn/metrics/metric.h"

namespace tasks {

namespace {

constexpr float kLossAtBirth = 2.3F;
constexpr double kBestRate = -2.5;  // its decimal logarithm

double rate_of(const nn::Hyper& hyper) {
  if (!hyper.lr.empty()) return hyper.lr.front().first;
  return nn::real(hyper.optimizer.fields, "lr");
}

/// What training comes near to.
double lowest_loss(const nn::ModelSpec& spec, double rate) {
  const double away = std::log10(std::max(rate, 1e-12)) - kBestRate;
  const double weights = std::log10(static_cast<double>(nn::weight_count(spec)) + 10);
  return std::min(2.3, 0.05 + 0.25 * away * away + 1.0 / (weights * weights));
}

}  // namespace

nn::ParamSlab simulated_birth(nn::ParamSlab::Header header) {
  nn::ParamSlab net(std::move(header));
  net.weights()[0] = kLossAtBirth;
  return net;
}

nn::TrainStats simulated_training(nn::ParamSlab& net, const nn::Hyper& hyper,
                                  const nn::Segment& segment, std::uint64_t rows) {
  constexpr double kForgotten = 0.7;  // of the distance, in an epoch
  const double rate = rate_of(hyper);
  const auto all = static_cast<std::int64_t>(rows);
  nn::TrainStats stats;
  stats.rows = nn::rows_in(segment, all, hyper.batch);
  stats.steps = nn::steps_in(segment, all, hyper.batch);
  stats.diverged = rate >= 1;
  const double lowest = lowest_loss(net.spec(), rate);
  const double left = std::pow(kForgotten, nn::epochs_in(segment));
  const double loss = lowest + (static_cast<double>(net.weights()[0]) - lowest) * left;
  net.weights()[0] = static_cast<float>(loss);
  net.state().steps += stats.steps;
  net.state().rows += stats.rows;
  stats.loss = loss;
  stats.correct = std::llround(std::exp(-loss) * static_cast<double>(stats.rows));
  return stats;
}

nn::Scores simulated_scores(const nn::ParamSlab& net, const nn::Choice& loss,
                            const nn::Dataset::Header& data, std::uint64_t rows) {
  constexpr double kGap = 1.05;  // between what was trained on and what was not
  nn::Scores scores;
  scores.loss = kGap * static_cast<double>(net.weights()[0]);
  scores.rows = static_cast<std::int64_t>(rows);
  const double share = std::exp(-scores.loss);
  const nn::TargetKind target = nn::target_kind(loss.kind);
  if (target == nn::TargetKind::labels) {
    scores.correct = std::llround(share * static_cast<double>(rows));
    scores.accuracy = share;
  }
  for (std::string& name : nn::measured_names(target, data.targets)) {
    const nn::Metric* metric = nn::find_metric(std::string_view(name).substr(0, name.find('.')));
    scores.metrics.emplace_back(std::move(name), metric->maximize ? share : scores.loss);
  }
  return scores;
}

void simulated_reshape(const nn::ParamSlab& net, nn::ParamSlab& to) {
  // Of a large buffer there is the first and the last page alone (rt::Task::simulated).
  const std::size_t page = std::min<std::size_t>(4096, to.bytes().size());
  std::ranges::fill(to.bytes().first(page), std::byte{0});
  std::ranges::fill(to.bytes().last(page), std::byte{0});
  to.weights()[0] = net.weights()[0];
  to.state() = net.state();
}

std::vector<nn::UnitNorms> simulated_norms(const nn::ModelSpec& spec) {
  std::vector<nn::UnitNorms> out;
  for (const nn::UnitNumbers& numbers : nn::unit_numbers(spec))
    out.push_back({numbers.layer, std::vector<double>(numbers.units, 1)});
  return out;
}

std::vector<nn::UnitStatistics> simulated_statistics(const nn::ModelSpec& spec) {
  std::vector<nn::UnitStatistics> out;
  for (const nn::UnitNumbers& numbers : nn::unit_numbers(spec)) {
    const std::vector<double> alike(numbers.units, 1);
    nn::UnitStatistics one{
        .layer = numbers.layer, .mean = alike, .spread = alike, .gradient = alike, .room = {}};
    for (std::size_t u = 0; u < numbers.units; ++u)
      one.gradient[u] = static_cast<double>(u + 1) / static_cast<double>(numbers.units);
    one.room.assign(nn::most_directions(spec, numbers.layer), 1);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace tasks
