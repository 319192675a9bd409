// `bench overlap`: a network that two members train on a slow link, with its sums behind the
// backward pass, under way during it, and under way until the next forward pass. The members are
// threads of this process, and the link is played (slow_links.h).
#include <algorithm>
#include <barrier>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/layer_times.h"
#include "bench/measure.h"
#include "bench/pictures.h"
#include "bench/slow_links.h"
#include "bench/step_case.h"
#include "nn/model/init.h"
#include "nn/model/layout.h"
#include "runtime/instance.h"
#include "runtime/net/sums/ring_links.h"
#include "runtime/value.h"
#include "tasks/gang_sums.h"
#include "tasks/member_use.h"
#include "tasks/tasks.h"

namespace bench {

namespace {

constexpr int kMemberBatch = 1024, kMemberShards = 8, kMembers = 2;
constexpr double kLatency = 50e-6;
// The promises that the figures are held against.
constexpr double kPathLimit = 1.1, kLargerLimit = 1.35;

/// 784-1024x3-10.
nn::ModelSpec member_net() {
  nn::ModelSpec spec{.input = nn::Shape::image(Pictures::kSide, Pictures::kSide, 1), .layers = {}};
  spec.layers.push_back({"flatten", "", {}});
  for (int i = 0; i < 3; ++i) spec.layers.push_back({"dense", "", {{"units", std::int64_t{1024}}}});
  return nn::complete(nn::with_output(spec, Pictures::kClasses));
}

nn::Hyper member_hyper() {
  return nn::complete({.loss = {"cross_entropy", {}},
                       .optimizer = {"sgd", {{"lr", 0.01}}},
                       .batch = kMemberBatch,
                       .shards = kMemberShards});
}

/// When sums run.
enum class SumsRun : std::uint8_t { behind, until_the_step_ends, until_they_are_needed };

struct Measured {
  Sample step;              ///< seconds, the slower member's
  tasks::MemberUse use;     ///< of both
  std::vector<float> bits;  ///< weights
};

/// Trains by two threads, on a link of so many bytes a second.
Measured train_members(const nn::Dataset& data, SumsRun when, double bandwidth, int epochs) {
  const auto segment = rt::net::sums::Segment::make(kMembers, std::size_t{1} << 25);
  SlowWires wires = slow_wires(kMembers, bandwidth, kLatency);
  std::barrier together(kMembers);
  std::vector<std::vector<double>> seconds(kMembers);
  std::vector<std::vector<float>> bits(kMembers);
  std::vector<tasks::MemberUse> uses(kMembers);
  const auto member = [&](int own) {
    const auto at = static_cast<std::size_t>(own);
    kern::prepare_thread();
    rt::net::sums::RingLinks rings(segment, own);
    SlowLinks links(rings, wires);
    tasks::GangSums sums(links);
    if (when == SumsRun::behind) sums.follow();
    if (when == SumsRun::until_the_step_ends) sums.overlap({.defers = false});
    nn::ParamSlab net(nn::slab_header(member_net(), member_hyper().optimizer));
    nn::init_weights(net, 1);
    nn::Workspace workspace;
    for (int epoch = 0; epoch <= epochs; ++epoch) {
      together.arrive_and_wait();
      const base::Moment begin = base::now();
      const base::Duration waited = sums.waited(), under_way = sums.under_way_for();
      const nn::TrainStats stats =
          nn::train_steps(kern::cpu_kernels(), workspace, net, data.view(nn::Part::train),
                          member_hyper(), {epoch, epoch + 1}, {}, nullptr, &sums);
      if (epoch == 0) continue;  // brings everything to memory
      const double took = base::seconds_since(begin);
      seconds[at].push_back(took / static_cast<double>(stats.steps));
      uses[at].waited += base::seconds(sums.waited() - waited);
      uses[at].under_way += base::seconds(sums.under_way_for() - under_way);
      uses[at].busy += took - base::seconds(sums.waited() - waited);
    }
    bits[at].assign(net.weights().begin(), net.weights().end());
  };
  std::thread other(member, 1);
  member(0);
  other.join();
  for (std::size_t i = 0; i < seconds[0].size(); ++i)
    seconds[0][i] = std::max(seconds[0][i], seconds[1][i]);
  return {sample_of(seconds[0]), uses[0] + uses[1], bits[0]};
}

/// What a member takes for its shards of a batch, without sums.
struct Bucket {
  double forward = 0, backward = 0;  ///< seconds of its layers
  double sum = 0;  ///< seconds of half of its sum on the link: reducing, or sharing
};

std::vector<Bucket> buckets_alone(double bandwidth) {
  const nn::ModelSpec spec = member_net();
  std::vector<Bucket> buckets;
  for (const LayerSeconds& layer :
       layers_alone(spec, kMemberBatch / kMemberShards, kMemberShards / kMembers))
    buckets.push_back({.forward = layer.forward, .backward = layer.backward});
  for (const nn::ParamTensor& tensor : nn::param_layout(spec).tensors)
    buckets[static_cast<std::size_t>(tensor.layer)].sum +=
        static_cast<double>(tensor.count) * sizeof(float) / kMembers / bandwidth;
  return buckets;
}

/// Returns the seconds of a step whose sums run in the order of nn/training/overlap.h, each of them
/// as soon as it can: the longest path through computation and link.
double path_of(const std::vector<Bucket>& buckets, double update) {
  std::vector<double> shared(buckets.size(), 0);
  double cpu = 0, link = 0, begun = 0;
  for (int step = 0; step < 4; ++step) {
    begun = cpu;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      const double part = update / static_cast<double>(buckets.size());
      cpu = std::max(cpu, shared[i]) + part + buckets[i].forward;
    }
    for (std::size_t i = buckets.size(); i-- > 0;) {
      cpu += buckets[i].backward;
      if (buckets[i].sum > 0) link = std::max(link, cpu) + buckets[i].sum + kLatency;
    }
    for (std::size_t i = 0; i < buckets.size(); ++i)
      if (buckets[i].sum > 0) shared[i] = link = link + buckets[i].sum + kLatency;
  }
  return cpu - begun;
}

Case overlap_share(std::string name, double share) {
  return {.name = std::move(name), .ours = 100 * share, .unit = "%"};
}

}  // namespace

std::vector<Case> run_overlap(const Options& options) {
  tasks::setup_process();
  const rt::Runtime runtime({.workers = 1, .gpus = 0});
  const Pictures pictures((options.quick ? 1 : 4) * kMemberBatch);
  const rt::Value<nn::Dataset> loaded = tasks::load(pictures.spec());
  const nn::Dataset& data = loaded.get();
  const int epochs = options.quick ? 1 : 5;
  std::vector<Case> cases;
  for (const double gigabits : {1.0, 2.0}) {
    const double bandwidth = gigabits * 1e9 / 8;
    const std::vector<Bucket> buckets = buckets_alone(bandwidth);
    double passes = 0, link = 0;
    for (const Bucket& bucket : buckets) {
      passes += bucket.forward + bucket.backward;
      link += 2 * (bucket.sum + (bucket.sum > 0 ? kLatency : 0));
    }
    const Measured free = train_members(data, SumsRun::behind, 1e12, epochs);
    const Measured behind = train_members(data, SumsRun::behind, bandwidth, epochs);
    const Measured step = train_members(data, SumsRun::until_the_step_ends, bandwidth, epochs);
    const Measured needed = train_members(data, SumsRun::until_they_are_needed, bandwidth, epochs);
    for (const Measured* other : {&behind, &step, &needed})
      if (other->bits != free.bits)
        throw base::Error(base::Errc::internal, "overlap: bits depend on when sums run");
    const double computed = free.step.median;
    const double larger = std::max(computed, link);
    const double path = path_of(buckets, std::max(0.0, computed - passes));
    const std::string on = base::cat(" on ", gigabits, " Gbit/s");
    cases.push_back(step_case("sums behind the backward pass" + on, behind.step,
                              "computing + summing", computed + link));
    cases.push_back(step_case("sums until the step ends" + on, step.step, "sums behind it",
                              behind.step.median));
    cases.push_back(step_case("sums until they are needed" + on, needed.step, "sums behind it",
                              behind.step.median));
    cases.push_back(
        step_case("the same", needed.step, "1.1 x its longest path", kPathLimit * path));
    cases.push_back(
        step_case("the same", needed.step, "1.35 x the larger of the two", kLargerLimit * larger));
    cases.push_back(overlap_share("share of the sums' time in which members computed" + on,
                                  tasks::overlap_of(needed.use)));
    cases.push_back(overlap_share("share of the time in which they computed" + on,
                                  tasks::compute_ratio(needed.use)));
  }
  return cases;
}

}  // namespace bench
