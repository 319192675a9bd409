// One trial alone on the machine: what the workers that have nothing else to do take off it, before
// and after its network grew.
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/peak.h"
#include "nn/init.h"
#include "runtime/base/file.h"
#include "runtime/base/random.h"
#include "runtime/base/text.h"
#include "runtime/runtime.h"
#include "tasks/tasks.h"

#include <unistd.h>

namespace bench {

namespace {

constexpr int kSide = 28, kClasses = 10;

/// A folder with four files in the format of MNIST, random pictures in them.
class Pictures {
 public:
  explicit Pictures(int rows)
      : folder_(std::filesystem::temp_directory_path() / rt::cat("trellis-alone-", ::getpid())) {
    rt::make_folder(folder_);
    write("train", rows);
    write("t10k", 100);
  }
  ~Pictures() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Pictures(const Pictures&) = delete;
  Pictures& operator=(const Pictures&) = delete;

  [[nodiscard]] nn::DataSpec spec() const {
    nn::DataSpec spec;
    spec.kind = nn::DataKind::idx;
    spec.path = folder_.string();
    spec.scale = nn::Scale::unit;
    spec.split.valid = 0;
    return spec;
  }

 private:
  static std::string header(unsigned char dims, std::initializer_list<int> sizes) {
    std::string text{'\0', '\0', '\x08', static_cast<char>(dims)};
    for (int size : sizes) {
      for (int shift : {24, 16, 8, 0}) text += static_cast<char>(size >> shift & 0xff);
    }
    return text;
  }

  void write(const std::string& part, int rows) const {
    rt::Stream random(1, part);
    std::string images = header(3, {rows, kSide, kSide}), labels = header(1, {rows});
    for (int i = 0; i < rows * kSide * kSide; ++i) images += static_cast<char>(random.below(256));
    for (int i = 0; i < rows; ++i) labels += static_cast<char>(random.below(kClasses));
    rt::write_file_atomic(folder_ / (part + "-images-idx3-ubyte"), images);
    rt::write_file_atomic(folder_ / (part + "-labels-idx1-ubyte"), labels);
  }

  rt::Path folder_;
};

nn::ModelSpec convolutions() {
  using I = std::int64_t;
  nn::ModelSpec spec{.input = nn::Shape::image(kSide, kSide, 1), .layers = {}};
  spec.layers = {{"conv2d", "c1", {{"units", I{16}}, {"kernel", I{5}}}},
                 {"max_pool", "p1", {}},
                 {"conv2d", "c2", {{"units", I{32}}, {"kernel", I{5}}}},
                 {"max_pool", "p2", {}},
                 {"flatten", "flat", {}},
                 {"dense", "fc", {{"units", I{128}}}}};
  return nn::with_output(spec, kClasses);
}

/// What a run of the trial took.
struct Run {
  double before = 0, after = 0;  ///< seconds of the epochs before and after the network grew
  double imbalance = 0;          ///< after it grew: busy time of the busiest worker over the mean
  rt::Key network;               ///< names the content of the last network
};

std::vector<double> busy(const rt::Runtime& runtime) {
  std::vector<double> seconds;
  for (const rt::WorkerSummary& worker : runtime.summary().workers) seconds.push_back(worker.busy);
  return seconds;
}

Run train(const nn::DataSpec& source, int workers) {
  const rt::Runtime runtime({.workers = workers, .gpus = 0});
  const rt::Value<nn::Dataset> data = tasks::load(source);
  const std::uint64_t rows = data.get().header().train_rows;
  nn::Hyper hyper{.loss = {"cross_entropy", {}}, .optimizer = {"adam", {}}, .batch = 64};
  hyper.shards = 0;
  rt::Value<nn::ParamSlab> net = tasks::init(convolutions(), hyper.optimizer, 1);
  std::int64_t epoch = 0;
  const auto epochs = [&](const nn::ModelSpec& spec, std::int64_t count) {
    const nn::Stretch stretch{epoch, epoch + count};
    epoch += count;
    const rt::Moment begin = rt::now();
    (void)tasks::train(net, data, hyper, stretch,
                       tasks::train_cost(spec, stretch, rows, hyper.batch))
        .get();
    return rt::seconds_since(begin);
  };
  (void)epochs(convolutions(), 1);
  Run run;
  run.before = epochs(convolutions(), 2);
  const nn::Operation grow{"widen", "c2", {{"by", std::int64_t{16}}}};
  net = tasks::reshape(net, data, grow, 1);
  const nn::ModelSpec wider = tasks::spec_of(net).get();
  (void)epochs(wider, 1);
  const std::vector<double> then = busy(runtime);
  run.after = epochs(wider, 2);
  std::vector<double> now = busy(runtime);
  double sum = 0, most = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    sum += now[i] - then[i];
    most = std::max(most, now[i] - then[i]);
  }
  run.imbalance = most * static_cast<double>(now.size()) / sum;
  run.network =
      rt::key_of(std::vector<float>(net.get().weights().begin(), net.get().weights().end()));
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

}  // namespace

std::vector<Case> run_alone(const Options& options) {
  tasks::setup_process();
  const int workers = workers_or_cores(options.workers);
  const Pictures pictures(options.quick ? 640 : 6400);
  std::vector<double> gain, before, after, alone_before, alone_after, slowed;
  for (int i = 0; i < (options.quick ? 1 : 3); ++i) {
    gain.push_back(peak(workers) / peak(1));
    const Run one = train(pictures.spec(), 1), all = train(pictures.spec(), workers);
    const Run lame = train_slowed(pictures.spec(), workers);
    if (one.network != all.network || one.network != lame.network)
      throw std::runtime_error("alone: the network depends on the number of workers");
    before.push_back(all.before);
    after.push_back(all.after);
    alone_before.push_back(one.before);
    alone_after.push_back(one.after);
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
  const std::string on = rt::cat(" on ", workers, " workers");
  Case first = faster("a lone trial" + on, before, alone_before);
  Case second = faster("the same after its network grew" + on, after, alone_after);
  const Sample machine = sample_of(gain), lame = sample_of(slowed);
  return {first, second,
          Case{.name = "what the cores can give" + on,
               .ours = machine.median,
               .unit = "x one",
               .spread = machine.spread},
          Case{.name = "time saved, as a share of what the cores can save",
               .ours = (1 - 1 / second.ratio) / (1 - 1 / machine.median),
               .unit = "",
               .rival = "at least",
               .rival_value = 0.8,
               .ratio = (1 - 1 / second.ratio) / (1 - 1 / machine.median) / 0.8},
          Case{.name = "busiest worker over the mean, one 3 times slower, after it grew",
               .ours = lame.median,
               .unit = "",
               .rival = "at most",
               .rival_value = 1.15,
               .ratio = 1.15 / lame.median,
               .spread = lame.spread}};
}

}  // namespace bench
