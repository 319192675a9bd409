#include "runtime/core/team.h"

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "runtime/core/engine.h"
#include "runtime/core/thread.h"

namespace rt::inline v0::detail {

namespace {

constexpr std::uint64_t ticket(int first, int end) {
  return std::uint64_t{static_cast<std::uint32_t>(first)} << 32 | static_cast<std::uint32_t>(end);
}
constexpr int first_of(std::uint64_t ticket) { return static_cast<int>(ticket >> 32); }
constexpr int end_of(std::uint64_t ticket) { return static_cast<int>(ticket & 0xffffffff); }

/// Between two looks at something that another thread is about to change.
class Patience {
 public:
  void wait() {
    if (++looks_ < kSpins) return;
    std::this_thread::yield();
  }
  void renew() { looks_ = 0; }
  /// True at the first look and at every sixteenth after it: for what costs more than a look.
  [[nodiscard]] bool often() const { return looks_ % 16 == 0; }

 private:
  static constexpr int kSpins = 200;
  int looks_ = 0;
};

}  // namespace

int Teams::share() const noexcept {
  const int teams = std::max(1, open_.load());
  const int others = std::max(0, backend_.ready() - teams - helpers_.load());
  const int workers = std::max(0, backend_.cpu_workers() - others);
  return (workers + teams - 1) / teams;
}

void Teams::call(Team& team, int wanted) {
  if (team.helpers_.load(std::memory_order_relaxed) >= wanted) return;
  const int most = std::min(wanted, share() - 1);
  while (team.helpers_.load(std::memory_order_relaxed) < most &&
         backend_.ready() < backend_.cpu_workers()) {
    helpers_.fetch_add(1);
    team.send_for_helper();
  }
}

bool Teams::recall() noexcept {
  int going = going_.load(std::memory_order_relaxed);
  while (backend_.ready() - going > backend_.cpu_workers()) {
    if (going_.compare_exchange_weak(going, going + 1)) return true;
  }
  return false;
}

void Teams::went(bool recalled) noexcept {
  helpers_.fetch_sub(1);
  if (recalled) going_.fetch_sub(1);
}

Team::Team(Engine& engine, const Node& node) : engine_(engine), name_(node.info->name) {
  if (engine.records().trace() != nullptr && node.group != nullptr) group_ = node.group->path();
  engine_.teams().open();
}

void Team::close() noexcept {
  engine_.teams().close();
  closed_.store(true, std::memory_order_release);
  unref();
}

void Team::unref() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void Team::send_for_helper() {
  Helper* helper = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    helper = &launches_.emplace_back();
  }
  helper->team = this;
  helper->helps = true;
  helper->name = "help";
  helper->priority = std::numeric_limits<std::int32_t>::min() / 2;  // every task goes first
  ref();
  helpers_.fetch_add(1, std::memory_order_relaxed);
  engine_.backend().submit(*helper);
}

void Team::run(int parts, PartBody body, void* context, Worker& own) {
  body_ = body;
  context_ = context;
  done_.store(0, std::memory_order_relaxed);
  ticket_.store(ticket(0, parts), std::memory_order_release);
  // Again and again: a worker may become idle while the parts run.
  do {
    engine_.teams().call(*this, parts - 1);
  } while (take_part(own, Side::begin));
  Patience patience;
  while (done_.load(std::memory_order_acquire) != parts) patience.wait();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

bool Team::take_part(Worker& own, Side side) noexcept {
  std::uint64_t seen = ticket_.load(std::memory_order_acquire), left = 0;
  int part = 0;
  do {
    const int first = first_of(seen), end = end_of(seen);
    if (first >= end) return false;
    part = side == Side::begin ? first : end - 1;
    left = side == Side::begin ? ticket(first + 1, end) : ticket(first, end - 1);
  } while (!ticket_.compare_exchange_weak(seen, left, std::memory_order_acq_rel,
                                          std::memory_order_acquire));
  run_part(part, own);
  done_.fetch_add(1, std::memory_order_release);
  return true;
}

void Team::run_part(int part, Worker& own) noexcept {
  const base::Moment begin = base::now();
  try {
    body_(context_, part, own);
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (!error_ || part < error_part_) {
      error_ = std::current_exception();
      error_part_ = part;
    }
  }
  own.slow_down(base::now() - begin);
}

void Team::attend(Worker& own) noexcept {
  const base::Moment from = base::now();
  engine_.accounting().helps(own.number, from);
  base::Duration busy{};
  bool recalled = false;
  Patience patience;
  while (!recalled && !closed_.load(std::memory_order_acquire)) {
    const base::Moment begin = base::now();
    if (take_part(own, Side::end)) {
      busy += base::now() - begin;
      bump(own.parts, std::uint64_t{1});
      patience.renew();
      recalled = engine_.teams().recall();
    } else {
      recalled = patience.often() && engine_.teams().recall();
      patience.wait();
    }
  }
  engine_.teams().went(recalled);
  helpers_.fetch_sub(1, std::memory_order_relaxed);
  const base::Moment to = base::now();
  engine_.accounting().helped(own.number, busy, to);
  if (engine_.records().trace() != nullptr && busy > base::Duration::zero())
    record(own, from, to, recalled);
}

void Team::record(const Worker& own, base::Moment from, base::Moment to, bool recalled) const {
  Span span;
  span.lane = own.lane;
  span.start = from;
  span.end = to;
  span.name = "share of " + name_;
  span.group = group_;
  span.details.emplace_back("came because", "the worker had nothing to run");
  span.details.emplace_back("went because",
                            recalled ? "a task waited for the worker" : "the task ended");
  engine_.records().trace()->add(std::move(span));
}

void help(Launch& launch, unsigned worker) noexcept {
  Team* const team = static_cast<Team::Helper&>(launch).team;
  Worker& own = team->engine_.workers().at(worker);
  Worker* const before = std::exchange(this_thread().worker, &own);
  team->attend(own);
  this_thread().worker = before;
  team->unref();
}

}  // namespace rt::inline v0::detail
