#pragma once
// A sampler whose proposals are made beside everything else.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/file.h"
#include "hpo/samplers/sampler.h"

namespace hpo {

/// Proposes what the sampler in it proposes, but who tells of an event never waits for a proposal,
/// and who asks for one need not. Proposals that take long are made on a thread of its own, from
/// all that was told before they began; what the sampler may do ahead is done on another. Only one
/// thread calls it.
class SamplerThread final : public Sampler {
 public:
  /// Throws base::Error (storage) where the system has no descriptor left.
  explicit SamplerThread(std::unique_ptr<Sampler> sampler);
  /// Waits for what is being made.
  ~SamplerThread() override;
  SamplerThread(const SamplerThread&) = delete;
  SamplerThread& operator=(const SamplerThread&) = delete;

  void created(std::uint64_t trial, const Params& params) override;
  void reported(std::uint64_t trial, std::int64_t step, const Score& score) override;
  void paused(std::uint64_t trial) override;
  void ended(std::uint64_t trial, TrialState state) override;
  void reopened(std::uint64_t trial) override;
  void replaced(std::uint64_t trial, const Params& params) override;
  void resumed(std::uint64_t trial) override;

  /// Waits where it is not ready. Throws what the sampler threw, now or on the thread.
  [[nodiscard]] std::optional<Params> propose(std::uint64_t ordinal) override;
  [[nodiscard]] bool pauses(std::int64_t step) const override { return sampler_->pauses(step); }
  [[nodiscard]] std::vector<Resumption> decide() const override;

  /// Begins with the proposal that follows from what was told so far, unless it is there, is being
  /// made or takes next to no time.
  void prepare(std::uint64_t ordinal);
  /// The same for somebody who waits: what is told from here on need not be known to the proposal,
  /// or many who tell would never let it be made.
  void await(std::uint64_t ordinal);
  /// Nobody waits any more.
  void await_none();
  /// Whether propose() answers at once.
  [[nodiscard]] bool ready(std::uint64_t ordinal) const;
  /// Becomes readable when what was begun with is ready, until another one is begun with.
  [[nodiscard]] int fd() const { return signal_.fd(); }

 private:
  using Lock = std::unique_lock<std::mutex>;
  /// Which proposal: that many events were told before it.
  struct Which {
    std::uint64_t told = 0, ordinal = 0;
  };
  struct Prepared {
    Which which;
    std::optional<Params> params;
  };

  void tell(std::function<void(Sampler&)> event);
  [[nodiscard]] bool serves(const Which& made, std::uint64_t ordinal) const;
  [[nodiscard]] bool is_prepared(std::uint64_t ordinal) const;
  [[nodiscard]] bool is_cheap() const;
  void begin(std::uint64_t ordinal);
  void run();
  /// Makes what `making_` says and what was told meanwhile known; the lock is open meanwhile.
  void make_beside(Lock& lock);
  [[nodiscard]] std::optional<Params> make(std::uint64_t ordinal);
  void begin_work_ahead();

  std::unique_ptr<Sampler> sampler_;  ///< the thread's while it makes a proposal
  base::File signal_;
  double took_;  ///< seconds, the last proposal; the sampler's

  mutable std::mutex mutex_;  ///< of all that follows
  mutable std::condition_variable changed_;
  std::uint64_t told_ = 0;                             ///< events so far
  std::optional<std::uint64_t> wanted_;                ///< ordinal of what is to be made next
  std::optional<Which> making_;                        ///< what the thread is at
  std::vector<std::function<void(Sampler&)>> missed_;  ///< told while it was at that
  std::optional<Prepared> prepared_;
  std::optional<Which> awaited_;  ///< what is waited for; more may be told before it
  std::exception_ptr error_;
  bool ends_ = false;

  std::atomic<bool> works_ahead_{false};
  std::jthread ahead_, thread_;
};

}  // namespace hpo
