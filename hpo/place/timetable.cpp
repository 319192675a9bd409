#include "hpo/place/timetable.h"

#include <algorithm>
#include <array>
#include <queue>
#include <set>
#include <stdexcept>
#include <tuple>

namespace hpo {

namespace {

/// One kind of device: who waits for it, and how many are free.
struct Pool {
  int free = 0;
  double busy = 0;
  std::set<std::tuple<double, std::size_t>> waiting;  ///< minus the seconds, trial
};

class Clockwork {
 public:
  Clockwork(std::span<const PaperTrial> trials, const rt::Platform& platform, std::size_t slots,
            const KindOf& kind)
      : trials_(trials),
        kind_(kind),
        memory_(platform.gpu.memory),
        sharers_(platform.gpu.sharers),
        next_piece_(trials.size(), 0),
        on_gpu_(trials.size(), false),
        too_large_(trials.size(), false) {
    pools_[0].free = platform.cpu.count;
    pools_[1].free = platform.gpu.count * sharers_;
    slots_ = slots;
  }

  Timetable run() {
    begin_trials();
    assign();
    while (!due_.empty()) {
      now_ = due_.top().first;
      while (!due_.empty() && due_.top().first == now_) {
        const auto [pool, trial] = due_.top().second;
        due_.pop();
        ++pools_[pool].free;
        end_piece(trial);
      }
      begin_trials();
      assign();
    }
    return {.seconds = now_,
            .cpu_busy = pools_[0].busy,
            .gpu_busy = pools_[1].busy / sharers_,
            .gpu_trials = static_cast<std::size_t>(std::ranges::count(on_gpu_, true)),
            .too_large = static_cast<std::size_t>(std::ranges::count(too_large_, true)),
            .gpu_memory = gpu_memory_};
  }

 private:
  void begin_trials() {
    while (slots_ > 0 && begun_ < trials_.size()) {
      const std::size_t trial = begun_++;
      if (trials_[trial].empty()) continue;
      --slots_;
      wait(trial);
    }
  }

  void wait(std::size_t trial) {
    const Piece& piece = trials_[trial][next_piece_[trial]];
    const bool gpu = kind_(trial, piece) == rt::Device::cuda;
    if (gpu) note_memory(trial, piece);
    pools_[gpu].waiting.emplace(gpu ? -piece.gpu_seconds : -piece.cpu_seconds, trial);
  }

  void note_memory(std::size_t trial, const Piece& piece) {
    on_gpu_[trial] = true;
    gpu_memory_ = std::max(gpu_memory_, piece.gpu_memory);
    if (memory_ != 0 && piece.gpu_memory > memory_) too_large_[trial] = true;
  }

  void end_piece(std::size_t trial) {
    if (++next_piece_[trial] < trials_[trial].size()) return wait(trial);
    ++slots_;
  }

  void assign() {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      Pool& pool = pools_[i];
      for (; pool.free > 0 && !pool.waiting.empty(); --pool.free) {
        const auto [minus, trial] = *pool.waiting.begin();
        pool.waiting.erase(pool.waiting.begin());
        pool.busy -= minus;
        due_.emplace(now_ - minus, std::pair(i, trial));
      }
      if (!pool.waiting.empty() && pool.busy == 0)
        throw std::invalid_argument("the platform has no device of a kind that work is for");
    }
  }

  using Due = std::pair<double, std::pair<std::size_t, std::size_t>>;  ///< time, pool, trial

  std::span<const PaperTrial> trials_;
  const KindOf& kind_;
  std::uint64_t memory_, gpu_memory_ = 0;
  int sharers_;
  std::vector<std::size_t> next_piece_;
  std::vector<bool> on_gpu_, too_large_;
  std::array<Pool, 2> pools_;
  std::size_t slots_ = 0, begun_ = 0;
  double now_ = 0;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace

Timetable timetable(std::span<const PaperTrial> trials, const rt::Platform& platform,
                    std::size_t slots, const KindOf& kind) {
  return Clockwork(trials, platform, slots, kind).run();
}

}  // namespace hpo
