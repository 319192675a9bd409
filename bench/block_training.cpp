#include "bench/block_training.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bench/workloads.h"
#include "nn/model/init.h"
#include "nn/training/train.h"
#include "runtime/net/block_integers.h"

namespace bench {
namespace {

/// Terms of a sum that a training adds in pairs. The sum is made when the last pair is there: two
/// sums of two terms would be rounded twice.
class Gathered {
 public:
  explicit Gathered(std::size_t terms) : terms_(terms) {}

  void pair(std::size_t count, const float* from, float* to) {
    std::vector<const float*> taken = take(from), kept = take(to);
    kept.insert(kept.end(), taken.begin(), taken.end());
    if (kept.size() == terms_) return add(count, kept, to);
    groups_[to] = std::move(kept);
  }
  /// True if no sum is unfinished.
  [[nodiscard]] bool complete() const { return groups_.empty(); }

 private:
  std::vector<const float*> take(const float* of) {
    const auto found = groups_.find(of);
    if (found == groups_.end()) return {of};
    std::vector<const float*> group = std::move(found->second);
    groups_.erase(found);
    return group;
  }

  void add(std::size_t count, const std::vector<const float*>& terms, float* to) {
    exponents_.assign(rt::net::block_count(count), 0);
    sum_.assign(count, 0);
    std::vector<rt::net::BlockExponent> own(exponents_.size());
    for (const float* const term : terms) {
      rt::net::block_exponents({term, count}, own);
      rt::net::raise_exponents(exponents_, own);
    }
    std::vector<std::int32_t> integers(count);
    for (const float* const term : terms) {
      rt::net::to_integers({term, count}, exponents_, terms.size(), integers);
      rt::net::add_integers(sum_, integers);
    }
    rt::net::to_floats(sum_, exponents_, terms.size(), {to, count});
  }

  std::size_t terms_;
  std::map<const float*, std::vector<const float*>> groups_;  ///< terms, by where their sum goes
  std::vector<rt::net::BlockExponent> exponents_;
  std::vector<std::int32_t> sum_;
};

thread_local Gathered* gathered = nullptr;

void accumulate_gathered(kern::Exec&, std::size_t count, const float* from, float* to) {
  gathered->pair(count, from, to);
}

nn::Scores scores_after(const kern::Kernels<float>& kernels, const nn::Dataset& data,
                        const nn::Hyper& hyper, int epochs, std::uint64_t seed) {
  const nn::ModelSpec spec = network_of({{256}, {128}}, data.header());
  nn::ParamSlab net(nn::slab_header(spec, hyper.optimizer));
  nn::init_weights(net, seed);
  nn::Workspace workspace;
  (void)nn::train_steps(kernels, workspace, net, data.view(nn::Part::train), hyper, {0, epochs});
  return nn::evaluate(kern::cpu_kernels(), workspace, net, data.view(nn::Part::test), hyper.loss);
}

}  // namespace

SummedTraining train_summed(const nn::Dataset& data, int shards, int epochs, std::uint64_t seed) {
  kern::prepare_thread();
  nn::Hyper hyper = hyper_of({});
  hyper.shards = shards;
  hyper.shuffle = seed;
  kern::Kernels<float> exact = kern::cpu_kernels();
  exact.accumulate = accumulate_gathered;
  Gathered sums(static_cast<std::size_t>(shards));
  gathered = &sums;
  nn::Scores integers = scores_after(exact, data, hyper, epochs, seed);
  gathered = nullptr;
  if (!sums.complete()) {
    throw base::Error(base::Errc::internal, "bench aggregator: a sum of gradients lacks terms");
  }
  return {scores_after(kern::cpu_kernels(), data, hyper, epochs, seed), std::move(integers)};
}

}  // namespace bench
