#include "hpo/ask/sampler_thread.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/error.h"

namespace hpo {

namespace {

/// Seconds that a proposal may take of whoever asks, about what it costs to wake another thread
/// some times.
constexpr double kCheap = 0.0005;

base::File new_signal() {
  base::File signal(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!signal) throw base::storage_error("make a signal for", "proposals", errno);
  return signal;
}

/// A request to stop is for the thread that waits for one.
void leave_signals_to_others() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

SamplerThread::SamplerThread(std::unique_ptr<Sampler> sampler)
    : sampler_(std::move(sampler)), signal_(new_signal()), took_(INFINITY) {}

SamplerThread::~SamplerThread() {
  const Lock lock(mutex_);
  ends_ = true;
  changed_.notify_all();
}

void SamplerThread::tell(std::function<void(Sampler&)> event) {
  const Lock lock(mutex_);
  ++told_;
  making_ ? missed_.push_back(std::move(event)) : event(*sampler_);
}

void SamplerThread::created(std::uint64_t trial, const Params& params) {
  tell([=](Sampler& sampler) { sampler.created(trial, params); });
}

void SamplerThread::reported(std::uint64_t trial, std::int64_t step, const Score& score) {
  tell([=](Sampler& sampler) { sampler.reported(trial, step, score); });
}

void SamplerThread::paused(std::uint64_t trial) {
  tell([=](Sampler& sampler) { sampler.paused(trial); });
}

void SamplerThread::ended(std::uint64_t trial, TrialState state) {
  tell([=](Sampler& sampler) { sampler.ended(trial, state); });
}

void SamplerThread::reopened(std::uint64_t trial) {
  tell([=](Sampler& sampler) { sampler.reopened(trial); });
}

void SamplerThread::replaced(std::uint64_t trial, const Params& params) {
  tell([=](Sampler& sampler) { sampler.replaced(trial, params); });
}

void SamplerThread::resumed(std::uint64_t trial) {
  tell([=](Sampler& sampler) { sampler.resumed(trial); });
}

std::vector<Resumption> SamplerThread::decide() const {
  Lock lock(mutex_);
  changed_.wait(lock, [this] { return !making_; });
  return sampler_->decide();
}

bool SamplerThread::serves(const Which& made, std::uint64_t ordinal) const {
  const bool awaited = awaited_ && awaited_->ordinal == ordinal;
  return made.ordinal == ordinal && made.told >= (awaited ? awaited_->told : told_);
}

bool SamplerThread::is_prepared(std::uint64_t ordinal) const {
  return prepared_ && serves(prepared_->which, ordinal);
}

bool SamplerThread::is_cheap() const { return !making_ && !wanted_ && took_ <= kCheap; }

std::optional<Params> SamplerThread::propose(std::uint64_t ordinal) {
  Lock lock(mutex_);
  if (!is_prepared(ordinal) && !error_) {
    if (is_cheap()) {
      prepared_ = Prepared{{told_, ordinal}, make(ordinal)};
    } else {
      begin(ordinal);
      changed_.wait(lock, [&] { return error_ || is_prepared(ordinal); });
    }
  }
  if (error_) std::rethrow_exception(error_);
  return prepared_->params;
}

void SamplerThread::prepare(std::uint64_t ordinal) {
  const Lock lock(mutex_);
  if (!is_prepared(ordinal) && !error_ && !is_cheap()) begin(ordinal);
}

void SamplerThread::await(std::uint64_t ordinal) {
  {
    const Lock lock(mutex_);
    if (!awaited_ || awaited_->ordinal != ordinal) awaited_ = Which{told_, ordinal};
  }
  prepare(ordinal);
}

void SamplerThread::await_none() {
  const Lock lock(mutex_);
  awaited_.reset();
}

void SamplerThread::begin(std::uint64_t ordinal) {
  if (making_ && serves(*making_, ordinal)) return;
  wanted_ = ordinal;
  std::uint64_t count = 0;
  (void)!::read(signal_.fd(), &count, sizeof count);
  if (!thread_.joinable()) thread_ = std::jthread([this] { run(); });
  changed_.notify_all();
}

void SamplerThread::run() {
  leave_signals_to_others();
  Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return wanted_ || ends_; });
    if (ends_) return;
    making_ = Which{told_, *std::exchange(wanted_, {})};
    try {
      make_beside(lock);
    } catch (...) {
      if (!lock) lock.lock();
      error_ = std::current_exception();
    }
    making_.reset();
    if (error_ || (!wanted_ && serves(prepared_->which, prepared_->which.ordinal))) {
      const std::uint64_t one = 1;
      (void)!::write(signal_.fd(), &one, sizeof one);
    }
    changed_.notify_all();
    if (error_) return;
  }
}

void SamplerThread::make_beside(Lock& lock) {
  const Which which = *making_;
  lock.unlock();
  std::optional<Params> params = make(which.ordinal);
  lock.lock();
  prepared_ = {which, std::move(params)};
  while (!missed_.empty()) {
    const auto missed = std::exchange(missed_, {});
    lock.unlock();
    for (const auto& event : missed) event(*sampler_);
    lock.lock();
  }
}

std::optional<Params> SamplerThread::make(std::uint64_t ordinal) {
  const base::Moment begun = base::now();
  begin_work_ahead();
  std::optional<Params> params = sampler_->propose(ordinal);
  took_ = base::seconds_since(begun);
  return params;
}

void SamplerThread::begin_work_ahead() {
  if (works_ahead_) return;
  std::function<void()> work = sampler_->work_ahead();
  if (!work) return;
  works_ahead_ = true;
  ahead_ = std::jthread([this, work = std::move(work)] {
    leave_signals_to_others();
    work();
    works_ahead_ = false;
  });
}

bool SamplerThread::ready(std::uint64_t ordinal) const {
  const Lock lock(mutex_);
  return is_prepared(ordinal) || error_ || is_cheap();
}

}  // namespace hpo
