#include "hpo/samplers/covariance.h"

#include <algorithm>
#include <cmath>

#include "hpo/samplers/symmetric.h"
#include "hpo/space/normal.h"

namespace hpo {

namespace {

constexpr double kFirstWidth = 1.0 / 6;
constexpr double kSmallest = 1e-9, kThinnest = 1e7, kWidest = 1e4;

double squares(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return sum;
}

}  // namespace

EvolutionConstants::EvolutionConstants(std::size_t axes, std::size_t population, bool separable) {
  const auto d = static_cast<double>(axes), lambda = static_cast<double>(population);
  const std::size_t parents = population / 2;
  double sum = 0, sum2 = 0, rest = 0, rest2 = 0;
  for (std::size_t i = 0; i < population; ++i) {
    const double w = std::log((lambda + 1) / 2) - std::log(static_cast<double>(i + 1));
    weights.push_back(w);
    (i < parents ? sum : rest) += w;
    (i < parents ? sum2 : rest2) += w * w;
  }
  mu_eff = sum * sum / sum2;
  const double mu_rest = rest2 > 0 ? rest * rest / rest2 : 0;
  c_sigma = (mu_eff + 2) / (d + mu_eff + 5);
  d_sigma = 1 + 2 * std::max(0.0, std::sqrt((mu_eff - 1) / (d + 1)) - 1) + c_sigma;
  c_c = (4 + mu_eff / d) / (d + 4 + 2 * mu_eff / d);
  const double faster = separable ? (d + 2) / 3 : 1;
  c_1 = std::min(1.0, faster * 2 / ((d + 1.3) * (d + 1.3) + mu_eff));
  c_mu = std::min(1 - c_1 - 1e-8,
                  faster * 2 * (mu_eff - 2 + 1 / mu_eff) / ((d + 2) * (d + 2) + mu_eff));
  c_mu = std::max(0.0, c_mu);
  double least = 1 + 2 * mu_rest / (mu_eff + 2);
  if (c_mu > 0) least = std::min({least, 1 + c_1 / c_mu, (1 - c_1 - c_mu) / (d * c_mu)});
  for (std::size_t i = 0; i < population; ++i)
    weights[i] *= i < parents ? 1 / sum : (rest < 0 ? least / -rest : 0);
  chi = std::sqrt(d) * (1 - 1 / (4 * d) + 1 / (21 * d * d));
}

Covariance::Covariance(std::vector<double> mean, std::vector<std::vector<double>> cells,
                       std::size_t population, bool separable)
    : constants_(mean.size(), population, separable),
      separable_(separable),
      mean_(std::move(mean)),
      cells_(std::move(cells)),
      sigma_(kFirstWidth),
      matrix_(separable ? axes() : axes() * axes()),
      stretch_(axes(), 1.0),
      path_sigma_(axes()),
      path_c_(axes()) {
  for (std::size_t i = 0; i < axes(); ++i) matrix_[separable ? i : i * axes() + i] = 1;
  decompose();
  keep_margin();
}

std::vector<double> Covariance::point(std::span<const double> z) const {
  std::vector<double> scaled(axes());
  for (std::size_t i = 0; i < axes(); ++i) scaled[i] = lengths_[i] * z[i];
  if (!separable_) scaled = product(axes_, scaled);
  for (std::size_t i = 0; i < axes(); ++i) scaled[i] = mean_[i] + sigma_ * stretch_[i] * scaled[i];
  return scaled;
}

std::vector<double> Covariance::whitened(std::span<const double> step) const {
  std::vector<double> out(step.begin(), step.end());
  if (!separable_) out = transposed_product(axes_, out);
  for (std::size_t i = 0; i < axes(); ++i) out[i] /= lengths_[i];
  return separable_ ? out : product(axes_, out);
}

std::vector<double> Covariance::step_to(std::span<const double> point) const {
  std::vector<double> step(axes());
  for (std::size_t i = 0; i < axes(); ++i) step[i] = (point[i] - mean_[i]) / (sigma_ * stretch_[i]);
  const auto d = static_cast<double>(axes());
  const double longest = std::sqrt(d) + 2 * d / (d + 2);
  const double length = std::sqrt(squares(whitened(step)));
  if (length > longest) {
    for (double& x : step) x *= longest / length;
  }
  return step;
}

void Covariance::learn(const std::vector<std::vector<double>>& points) {
  std::vector<std::vector<double>> steps;
  for (const std::vector<double>& point : points) steps.push_back(step_to(point));
  std::vector<double> mean_step(axes());
  for (std::size_t i = 0; i < steps.size() / 2; ++i) {
    for (std::size_t a = 0; a < axes(); ++a) mean_step[a] += constants_.weights[i] * steps[i][a];
  }
  for (std::size_t a = 0; a < axes(); ++a) {
    mean_[a] = std::clamp(mean_[a] + sigma_ * stretch_[a] * mean_step[a], 0.0, 1.0);
  }
  move_paths(mean_step);
  move_matrix(steps);
  const double length = std::sqrt(squares(path_sigma_));
  sigma_ *= std::exp(
      std::min(1.0, constants_.c_sigma / constants_.d_sigma * (length / constants_.chi - 1)));
  ++generation_;
  decompose();
  keep_margin();
}

void Covariance::move_paths(std::span<const double> step) {
  const auto& k = constants_;
  const std::vector<double> white = whitened(step);
  const double gain = std::sqrt(k.c_sigma * (2 - k.c_sigma) * k.mu_eff);
  for (std::size_t i = 0; i < axes(); ++i)
    path_sigma_[i] = (1 - k.c_sigma) * path_sigma_[i] + gain * white[i];
  const double fading = 1 - std::pow(1 - k.c_sigma, 2.0 * static_cast<double>(generation_ + 1));
  const double bound = (1.4 + 2 / (static_cast<double>(axes()) + 1)) * k.chi;
  path_moves_ = std::sqrt(squares(path_sigma_) / fading) < bound;
  const double gain_c = path_moves_ ? std::sqrt(k.c_c * (2 - k.c_c) * k.mu_eff) : 0;
  for (std::size_t i = 0; i < axes(); ++i) path_c_[i] = (1 - k.c_c) * path_c_[i] + gain_c * step[i];
}

void Covariance::move_matrix(const std::vector<std::vector<double>>& steps) {
  const auto& k = constants_;
  const auto d = static_cast<double>(axes());
  double total = 0;
  std::vector<double> weights = k.weights;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    total += weights[i];
    if (weights[i] < 0) weights[i] *= d / (squares(whitened(steps[i])) + 1e-12);
  }
  const double lost = path_moves_ ? 0 : k.c_1 * k.c_c * (2 - k.c_c);
  const double kept = 1 + lost - k.c_1 - k.c_mu * total;
  const auto update = [&](std::size_t at, std::size_t i, std::size_t j) {
    double sum = k.c_1 * path_c_[i] * path_c_[j];
    for (std::size_t s = 0; s < steps.size(); ++s)
      sum += k.c_mu * weights[s] * steps[s][i] * steps[s][j];
    matrix_[at] = kept * matrix_[at] + sum;
  };
  for (std::size_t i = 0; i < axes(); ++i) {
    if (separable_) update(i, i, i);
    for (std::size_t j = 0; !separable_ && j < axes(); ++j) update(i * axes() + j, i, j);
  }
}

void Covariance::decompose() {
  if (separable_) {
    lengths_ = matrix_;
  } else {
    EigenPairs pairs = eigen_pairs(matrix_, axes());
    lengths_ = std::move(pairs.values);
    axes_ = std::move(pairs.vectors);
  }
  for (double& length : lengths_) length = std::sqrt(std::max(length, 1e-300));
}

/// Keeps every axis of cells from freezing in one of them: Hamano et al., "CMA-ES with margin:
/// lower-bounding marginal probability for mixed-integer black-box optimization" (GECCO 2022), as a
/// bound on the spread: the cell of the mean is left with a probability of at least 1 / (axes *
/// population).
void Covariance::keep_margin() {
  const double rare = 1 / static_cast<double>(axes() * population());
  for (std::size_t i = 0; i < axes(); ++i) {
    const std::vector<double>& edges = cells_[i];
    if (edges.empty()) continue;
    double variance = separable_ ? matrix_[i] : matrix_[i * axes() + i];
    variance = std::max(variance, 1e-300);
    const auto behind = std::upper_bound(edges.begin() + 1, edges.end() - 1, mean_[i]);
    // The nearer edge that has a neighbour behind it.
    double near = 1;
    if (behind - 1 != edges.begin()) near = std::min(near, mean_[i] - *(behind - 1));
    if (behind + 1 != edges.end()) near = std::min(near, *behind - mean_[i]);
    const double spread = near / normal_quantile(1 - std::min(rare, 0.4));
    stretch_[i] = std::max(1.0, spread / (sigma_ * std::sqrt(variance)));
  }
}

bool Covariance::exhausted() const {
  const auto [least, most] = std::ranges::minmax(lengths_);
  bool small = true;
  for (std::size_t i = 0; i < axes(); ++i)
    small = small && (is_held(i) || sigma_ * most < kSmallest * kFirstWidth);
  return small || !(most < kThinnest * least) || !(sigma_ * most < kWidest);
}

}  // namespace hpo
