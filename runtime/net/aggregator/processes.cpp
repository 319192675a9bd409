#include "runtime/net/aggregator/processes.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/new_file.h"
#include "base/process/copy.h"
#include "base/text.h"
#include "runtime/net/aggregator/udp.h"

namespace rt::net::aggregator {
namespace {

constexpr std::uint32_t kJob = 1;

/// The head of what a process says when it ends. A worker's sums follow; or, if it failed, words.
struct Account {
  std::int64_t nanos = 0;
  std::uint64_t sent = 0;
  std::uint64_t resent = 0;
  std::uint64_t lost = 0;
  bool failed = false;
  base::Errc kind = base::Errc::internal;
};

void say(const base::File& out, const Account& account, std::span<const std::byte> more) {
  (void)base::write_all(out.fd(), std::as_bytes(std::span(&account, 1)));
  (void)base::write_all(out.fd(), more);
}

volatile std::sig_atomic_t asked_to_stop = 0;

void be_switch(const Processes& processes, unsigned workers, UdpPort& port, const base::File& out) {
  std::signal(SIGTERM, [](int) { asked_to_stop = 1; });
  port.set_drop({processes.drop, processes.seed});
  Switch its(kJob, workers, processes.slots);
  serve(its, workers, port, [] { return asked_to_stop != 0; });
  Account account;
  account.lost = port.lost();
  say(out, account, {});
}

void be_worker(const Processes& processes, const Seat& seat, std::uint16_t switch_port,
               const Layout& layout, std::span<const float> term, int times,
               const base::File& out) {
  Account account;
  try {
    UdpWorker worker(seat, processes.patience, switch_port,
                     {processes.drop, processes.seed + 1 + seat.worker});
    std::vector<float> sums;
    sums.reserve(static_cast<std::size_t>(times) * layout.floats());
    const base::Moment start = base::now();
    for (int i = 0; i < times; ++i) {
      const std::vector<float> sum = worker.sum(layout, term);
      sums.insert(sums.end(), sum.begin(), sum.end());
    }
    account = {(base::now() - start).count(), worker.worker().sent(), worker.worker().resent(),
               worker.lost()};
    say(out, account, std::as_bytes(std::span(sums)));
  } catch (const base::Error& error) {
    account.failed = true;
    account.kind = error.kind();
    say(out, account, base::as_bytes(error.what()));
  }
}

/// Adds what a process said to the outcome. Returns what follows its account.
std::string_view add_account(const base::CopyResult& end, Outcome& outcome) {
  Account account;
  if (end.said.size() < sizeof account) {
    throw base::Error(base::Errc::internal, "a process of the aggregation died");
  }
  std::memcpy(&account, end.said.data(), sizeof account);
  const std::string_view more = std::string_view(end.said).substr(sizeof account);
  if (account.failed) throw base::Error(account.kind, std::string(more));
  outcome.time = std::max(outcome.time, base::Duration(account.nanos));
  outcome.sent += account.sent;
  outcome.resent += account.resent;
  outcome.lost += account.lost;
  return more;
}

}  // namespace

Outcome run_processes(const Processes& processes, const Layout& layout,
                      std::span<const std::vector<float>> terms, int times) {
  const auto workers = static_cast<unsigned>(terms.size());
  UdpPort port;  // open before any worker sends to it
  base::Copy its([&](const base::File& out) { be_switch(processes, workers, port, out); });
  std::vector<base::Copy> copies;
  for (unsigned w = 0; w < workers; ++w) {
    const Seat seat{kJob, w, workers, processes.slots};
    copies.emplace_back([&, seat](const base::File& out) {
      be_worker(processes, seat, port.number(), layout, terms[seat.worker], times, out);
    });
  }
  Outcome outcome;
  for (base::Copy& copy : copies) {
    const base::CopyResult end = copy.wait();
    const std::string_view floats = add_account(end, outcome);
    std::vector<float>& sums = outcome.sums.emplace_back(floats.size() / sizeof(float));
    if (!sums.empty()) std::memcpy(sums.data(), floats.data(), floats.size());
  }
  // Only now: until the last worker has all sums, it may need the shadow copy.
  its.signal(SIGTERM);
  const base::CopyResult end = its.wait();
  // Without any block the workers may end before the switch listens to the signal.
  if (end.outcome.end != base::ProcessEnd::killed) (void)add_account(end, outcome);
  outcome.done = true;
  return outcome;
}

}  // namespace rt::net::aggregator
