// `bench aggregator`: sums through a switch (runtime/net/aggregator/): simulated, against the
// links' rate and a ring of the same links; and in real processes over UDP, which lose packets.
#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/block_training.h"
#include "bench/measure.h"
#include "bench/workloads.h"
#include "nn/data/load.h"
#include "runtime/net/aggregator/processes.h"
#include "runtime/net/aggregator/simulation.h"

namespace bench {
namespace {

namespace agg = rt::net::aggregator;
using Floats = std::vector<float>;

agg::Layout layout_of(std::size_t blocks) {
  return agg::Layout({{"gradient", blocks * rt::net::kBlockFloats}});
}

std::vector<Floats> gradients(const agg::Layout& layout, unsigned workers) {
  base::Stream dice(1, "aggregator");
  std::vector<Floats> all(workers, Floats(layout.floats()));
  for (Floats& one : all) {
    for (float& x : one) x = static_cast<float>(dice.uniform(-1e-2, 1e-2));
  }
  return all;
}

/// Nothing is measured of sums that differ.
const agg::Outcome& checked(const agg::Outcome& outcome) {
  const bool equal = std::all_of(outcome.sums.begin(), outcome.sums.end(),
                                 [&](const Floats& sum) { return sum == outcome.sums.front(); });
  if (!outcome.done || !equal) {
    throw base::Error(base::Errc::internal, "bench aggregator: the workers' sums differ");
  }
  return outcome;
}

agg::Outcome simulated(const agg::Simulated& how, unsigned workers, std::size_t blocks) {
  const agg::Layout layout = layout_of(blocks);
  return checked(agg::simulate(how, layout, gradients(layout, workers)));
}

std::string size_of(std::size_t blocks) {
  return base::format_bytes(blocks * rt::net::kBlockFloats * sizeof(float));
}

/// Links on which a packet takes 100 ns, and a packet and its answer together 10 us.
agg::Simulated hundred_packets() {
  agg::Simulated how;
  how.fabric.bytes_per_second =
      static_cast<double>(agg::kMostPacketBytes + how.fabric.overhead) / 100e-9;
  how.fabric.latency = std::chrono::nanoseconds(4900);
  return how;
}

void add_slots(std::vector<Case>& cases, std::size_t blocks) {
  agg::Simulated how = hundred_packets();
  for (const std::uint32_t slots : {8U, 16U, 64U, 128U, 256U}) {
    how.slots = slots;
    const double time = base::seconds(simulated(how, 8, blocks).time) * 1e6;
    const double least = 0.1 * static_cast<double>(blocks);
    cases.push_back(
        {.name = base::cat("simulated, 8 workers, ", size_of(blocks), ", ", slots, " slots"),
         .ours = time,
         .unit = "us",
         .rival = "the link's rate",
         .rival_value = least,
         .ratio = least / time});
  }
}

/// Links of 10 Gbit/s.
void add_workers(std::vector<Case>& cases, std::size_t blocks) {
  const agg::Simulated how;
  for (const unsigned workers : {2U, 4U, 8U, 16U, 32U}) {
    const double time = base::seconds(simulated(how, workers, blocks).time) * 1e6;
    const std::size_t floats = blocks * rt::net::kBlockFloats;
    const double ring = base::seconds(agg::simulate_ring(how.fabric, workers, floats)) * 1e6;
    cases.push_back(
        {.name = base::cat("simulated, ", workers, " workers at 10 Gbit/s, ", size_of(blocks)),
         .ours = time,
         .unit = "us",
         .rival = "a ring",
         .rival_value = ring,
         .ratio = ring / time});
  }
}

void add_losses(std::vector<Case>& cases, std::size_t blocks) {
  agg::Simulated how = hundred_packets();
  how.patience.first = std::chrono::microseconds(100);
  const double whole = base::seconds(simulated(how, 8, blocks).time) * 1e6;
  for (const double lose : {1e-4, 1e-3, 1e-2}) {
    how.fabric.lose = lose;
    const agg::Outcome outcome = simulated(how, 8, blocks);
    const double time = base::seconds(outcome.time) * 1e6;
    const std::string name = base::cat("simulated, ", lose * 100, "% lost on each link");
    cases.push_back({.name = name,
                     .ours = time,
                     .unit = "us",
                     .rival = "nothing lost",
                     .rival_value = whole,
                     .ratio = whole / time});
    cases.push_back(
        {.name = name + ": sent again",
         .ours = 100.0 * static_cast<double>(outcome.resent) / static_cast<double>(outcome.sent),
         .unit = "% of packets"});
  }
}

void add_processes(std::vector<Case>& cases, std::size_t blocks, int times) {
  const agg::Layout layout = layout_of(blocks);
  for (const unsigned workers : {2U, 4U, 8U}) {
    const std::vector<Floats> terms = gradients(layout, workers);
    for (const double drop : {0.0, 0.01}) {
      show_progress(base::cat("aggregator: ", workers, " processes"));
      agg::Processes processes;
      processes.drop = drop;
      const agg::Outcome outcome = checked(agg::run_processes(processes, layout, terms, times));
      cases.push_back({.name = base::cat(workers, " processes over UDP, ", size_of(blocks), ", ",
                                         drop * 100, "% lost"),
                       .ours = base::seconds(outcome.time) * 1e3 / times,
                       .unit = "ms"});
    }
  }
}

/// MNIST under $TRELLIS_DATA; the digits of the source tree for a quick look.
nn::Dataset digits_or_mnist(bool quick) {
  if (quick) return nn::load_dataset(data_of(Workload{.name = {}, .images = false}, false));
  nn::DataSpec source{.kind = nn::DataKind::idx, .path = nn::locate_data("mnist", ".")};
  source.scale = nn::Scale::unit;
  source.split.valid = 0;
  return nn::load_dataset(source);
}

void add_accuracy(std::vector<Case>& cases, const Options& options) {
  constexpr int kShards = 8, kTrainings = 3, kEpochs = 3;
  const nn::Dataset data = digits_or_mnist(options.quick);
  const int trainings = options.quick ? 1 : options.seeds > 0 ? options.seeds : kTrainings;
  nn::Scores floats, integers;
  const auto add = [&](nn::Scores& mean, const nn::Scores& one) {
    mean.accuracy += one.accuracy / trainings;
    mean.loss += one.loss / trainings;
  };
  for (int seed = 1; seed <= trainings; ++seed) {
    show_progress(base::cat("aggregator: training ", seed));
    const SummedTraining one =
        train_summed(data, kShards, kEpochs, static_cast<std::uint64_t>(seed));
    add(floats, one.floats);
    add(integers, one.integers);
  }
  const std::string name =
      base::cat("MNIST, gradients of ", kShards, " shards as block integers: ");
  cases.push_back({.name = base::cat(name, "test accuracy, mean of ", trainings),
                   .ours = integers.accuracy,
                   .rival = "as floats",
                   .rival_value = floats.accuracy,
                   .ratio = integers.accuracy / floats.accuracy});
  cases.push_back({.name = name + "test loss",
                   .ours = integers.loss,
                   .rival = "as floats",
                   .rival_value = floats.loss,
                   .ratio = floats.loss / integers.loss});
}

}  // namespace

std::vector<Case> run_aggregator(const Options& options) {
  const std::size_t blocks = options.quick ? 512 : 4096;
  std::vector<Case> cases;
  show_progress("aggregator: simulated");
  add_slots(cases, blocks);
  add_workers(cases, blocks);
  add_losses(cases, blocks);
  add_processes(cases, options.quick ? 64 : 1024, options.quick ? 2 : 5);
  add_accuracy(cases, options);
  show_progress("");
  return cases;
}

}  // namespace bench
