// One trial alone on the machine: what the workers that have nothing else to do take off it, before
// and after its network grew.
#include <cstdlib>
#include <stdexcept>

#include "base/clock.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/peak.h"
#include "bench/pictures.h"
#include "nn/model/init.h"
#include "nn/reshape/reshape.h"
#include "runtime/instance.h"
#include "runtime/value.h"
#include "tasks/tasks.h"

namespace bench {

namespace {

nn::ModelSpec convolutions() {
  using I = std::int64_t;
  nn::ModelSpec spec{.input = nn::Shape::image(Pictures::kSide, Pictures::kSide, 1), .layers = {}};
  spec.layers = {{"conv2d", "c1", {{"units", I{16}}, {"kernel", I{5}}}},
                 {"max_pool", "p1", {}},
                 {"conv2d", "c2", {{"units", I{32}}, {"kernel", I{5}}}},
                 {"max_pool", "p2", {}},
                 {"flatten", "flat", {}},
                 {"dense", "fc", {{"units", I{128}}}}};
  return nn::with_output(spec, Pictures::kClasses);
}

/// What a run of the trials took.
struct Run {
  double before = 0, after = 0;  ///< seconds of the epochs before and after the networks grew
  double imbalance = 0;          ///< after they grew: busy time of the busiest worker over the mean
  base::Key network;             ///< names the content of the first trial's last network
};

std::vector<double> busy(const rt::Runtime& runtime) {
  std::vector<double> seconds;
  for (const rt::WorkerSummary& worker : runtime.summary().workers) seconds.push_back(worker.busy);
  return seconds;
}

/// Trials that begin together, each a network with a seed of its own.
class Trials {
 public:
  Trials(const nn::DataSpec& source, int count) : data_(tasks::load(source)) {
    hyper_.shards = 0;
    rows_ = data_.get().header().train_rows;
    for (int i = 0; i < count; ++i)
      nets_.push_back(tasks::init(spec_, hyper_.optimizer, static_cast<std::uint64_t>(1 + i)));
  }

  /// Seconds that so many epochs of all of them take.
  double epochs(std::int64_t count) {
    const nn::Segment segment{epoch_, epoch_ + count};
    epoch_ += count;
    const base::Moment begin = base::now();
    std::vector<rt::Value<nn::TrainStats>> stats;
    for (rt::Value<nn::ParamSlab>& net : nets_) {
      stats.push_back(tasks::train(net, data_, hyper_, segment,
                                   tasks::train_cost(spec_, segment, rows_, hyper_.batch)));
    }
    for (rt::Value<nn::TrainStats>& one : stats) (void)one.get();
    return base::seconds_since(begin);
  }

  void grow() {
    const nn::Operation operation{"widen", "c2", {{"by", std::int64_t{16}}}};
    const nn::ModelSpec grown = nn::reshaped(spec_, operation);
    const nn::ParamSlab::Header after =
        nn::reshaped_header(nn::slab_header(spec_, hyper_.optimizer), grown);
    for (rt::Value<nn::ParamSlab>& net : nets_)
      net = tasks::reshape(net, data_, operation, after, 1);
    spec_ = grown;
  }

  [[nodiscard]] base::Key network() const {
    const auto weights = nets_.front().get().weights();
    return rt::key_of(std::vector<float>(weights.begin(), weights.end()));
  }

 private:
  rt::Value<nn::Dataset> data_;
  nn::Hyper hyper_{.loss = {"cross_entropy", {}}, .optimizer = {"adam", {}}, .batch = 64};
  nn::ModelSpec spec_ = convolutions();
  std::uint64_t rows_ = 0;
  std::vector<rt::Value<nn::ParamSlab>> nets_;
  std::int64_t epoch_ = 0;
};

Run train(const nn::DataSpec& source, int workers, int count = 1) {
  const rt::Runtime runtime({.workers = workers, .gpus = 0});
  Trials trials(source, count);
  (void)trials.epochs(1);
  Run run;
  run.before = trials.epochs(2);
  trials.grow();
  (void)trials.epochs(1);
  const std::vector<double> then = busy(runtime);
  run.after = trials.epochs(2);
  std::vector<double> now = busy(runtime);
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    sum += now[i] - then[i];
    most = std::max(most, now[i] - then[i]);
  }
  run.imbalance = most * static_cast<double>(now.size()) / sum;
  run.network = trials.network();
  return run;
}

Run train_slowed(const nn::DataSpec& source, int workers) {
  ::setenv("TRELLIS_SLOW_WORKER", "0:3", 1);
  const Run run = train(source, workers);
  ::unsetenv("TRELLIS_SLOW_WORKER");
  return run;
}

double peak(int threads) {
  return rate(threads, 0.3, [](int) { return multiply_add_burst(); });
}

/// The share of the time that ideal cores would save, `gain` times as fast as one.
Case share_of(std::string name, double ratio, double gain) {
  const double share = (1 - 1 / ratio) / (1 - 1 / gain);
  return {.name = std::move(name),
          .ours = share,
          .unit = "",
          .rival = "at least",
          .rival_value = 0.8,
          .ratio = share / 0.8};
}

}  // namespace

std::vector<Case> run_alone(const Options& options) {
  tasks::setup_process();
  const int workers = workers_or_cores(options.workers);
  const Pictures pictures(options.quick ? 640 : 6400);
  std::vector<double> gain, together, before, after, alone_before, alone_after, slowed;
  for (int i = 0; i < (options.quick ? 1 : 5); ++i) {
    gain.push_back(peak(workers) / peak(1));
    const Run one = train(pictures.spec(), 1), all = train(pictures.spec(), workers);
    const Run apart = train(pictures.spec(), workers, workers);
    const Run lame = train_slowed(pictures.spec(), workers);
    if (one.network != all.network || one.network != apart.network || one.network != lame.network)
      throw std::runtime_error("alone: the network depends on the number of workers");
    before.push_back(all.before);
    after.push_back(all.after);
    alone_before.push_back(one.before);
    alone_after.push_back(one.after);
    together.push_back(workers * one.after / apart.after);
    slowed.push_back(lame.imbalance);
  }
  const auto faster = [&](std::string name, const std::vector<double>& ours,
                          const std::vector<double>& rival) {
    const Sample mine = sample_of(ours), theirs = sample_of(rival);
    return Case{.name = std::move(name),
                .ours = mine.median,
                .unit = "s",
                .rival = "one worker",
                .rival_value = theirs.median,
                .ratio = theirs.median / mine.median,
                .spread = mine.spread};
  };
  const std::string on = base::cat(" on ", workers, " workers");
  Case first = faster("a lone trial" + on, before, alone_before);
  Case second = faster("the same after its network grew" + on, after, alone_after);
  const Sample arithmetic = sample_of(gain), trials = sample_of(together), lame = sample_of(slowed);
  return {
      first,
      second,
      Case{.name = "arithmetic on registers alone" + on,
           .ours = arithmetic.median,
           .unit = "x one",
           .spread = arithmetic.spread},
      Case{.name = "such trials side by side" + on,
           .ours = trials.median,
           .unit = "x one",
           .spread = trials.spread},
      share_of("time saved, as a share of what arithmetic saves", second.ratio, arithmetic.median),
      share_of("time saved, as a share of what trials side by side save", second.ratio,
               trials.median),
      Case{.name = "busiest worker over the mean, one 3 times slower, after it grew",
           .ours = lame.median,
           .unit = "",
           .rival = "at most",
           .rival_value = 1.15,
           .ratio = 1.15 / lame.median,
           .spread = lame.spread}};
}

}  // namespace bench
