// Trials on paper for tests: dense networks of random sizes, on machines in round figures.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "hpo/place/round_figures.h"
#include "hpo/place/timetable.h"
#include "nn/model/spec.h"
#include "tasks/device_rule.h"
#include "tasks/work.h"

namespace hpo::paper {

inline rt::Platform platform(int cores, int gpus) {
  return round_figures("paper", cores, gpus, 128'000'000'000);
}

/// Six hidden layers with about so many weights.
inline nn::ModelSpec network(double weights) {
  constexpr int kLayers = 6;
  const auto units = static_cast<std::int64_t>(std::sqrt(weights / (kLayers - 1)));
  nn::ModelSpec spec{.input = nn::Shape::features(64)};
  for (int i = 0; i < kLayers; ++i)
    spec.layers.push_back(nn::layer("dense", "", {{"units", units}}));
  return nn::with_output(spec, 10);
}

/// Networks of 1e4 to 1e8 weights, each trained for `pieces` times an epoch of 2048 rows.
inline std::vector<PaperTrial> mixed(std::uint64_t seed, std::size_t trials, int pieces,
                                     const rt::Platform& platform) {
  const nn::Hyper hyper = nn::complete(
      {.loss = {"cross_entropy", {}}, .optimizer = {"adam", {}}, .batch = 32, .shards = 0});
  base::Stream luck(seed, "paper", trials);
  std::vector<PaperTrial> out;
  for (std::size_t i = 0; i < trials; ++i) {
    const nn::ModelSpec spec = network(std::pow(10.0, 4 + 4 * luck.uniform()));
    const rt::Work work = tasks::training_work(spec, hyper, {0, 1, 1}, 2048, {});
    const Piece piece{.step_flops = tasks::step_flops(spec, hyper),
                      .cpu_seconds = rt::seconds_on(platform.cpu, work),
                      .gpu_seconds = rt::seconds_on(platform.gpu, work)};
    out.emplace_back(static_cast<std::size_t>(pieces), piece);
  }
  return out;
}

/// Seconds of a placement that gives each trial one kind.
inline double under(const std::vector<PaperTrial>& trials, const rt::Platform& platform,
                    const std::vector<bool>& on_gpu) {
  const KindOf kind = [&](std::size_t trial, const Piece&) {
    return on_gpu[trial] ? rt::Device::cuda : rt::Device::cpu;
  };
  return timetable(trials, platform, trials.size(), kind).seconds;
}

/// By moving one trial or exchanging two for as long as that helps.
inline double best_found(const std::vector<PaperTrial>& trials, const rt::Platform& platform,
                         std::vector<bool> on_gpu) {
  double best = under(trials, platform, on_gpu);
  const std::size_t n = trials.size();
  for (bool better = true; better;) {
    better = false;
    for (std::size_t move = 0; move < n * n; ++move) {
      const std::size_t i = move / n, j = move % n;
      if (i != j && on_gpu[i] == on_gpu[j]) continue;
      std::vector<bool> other = on_gpu;
      other[i] = !other[i];
      if (i != j) other[j] = !other[j];
      const double seconds = under(trials, platform, other);
      if (seconds >= best) continue;
      best = seconds;
      on_gpu = std::move(other);
      better = true;
    }
  }
  return best;
}

}  // namespace hpo::paper
