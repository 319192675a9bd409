// What it brings to train networks as one task that are at the same step: several of one shape in a
// pack, which reads each batch once, beside one after the other, on one core.
#include <algorithm>
#include <array>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/workloads.h"
#include "nn/data/load.h"
#include "nn/model/init.h"
#include "nn/training/pack.h"

namespace bench {

namespace {

constexpr int kPackRows = 10'000, kQuickPackRows = 1'000, kPackRounds = 5;
constexpr double kLeastSeconds = 0.1;
constexpr std::array kNets{2, 4, 8};
constexpr std::array kPackWidths{16, 32, 64, 128, 256};

/// Networks of one shape at their births.
class Nets {
 public:
  Nets(const nn::Dataset& data, int width, int count)
      : view_(data.view(nn::Part::train)), hyper_(hyper_of({})) {
    const nn::ModelSpec spec = network_of({{width}}, data.header());
    for (int i = 0; i < count; ++i) {
      nets_.emplace_back(nn::slab_header(spec, hyper_.optimizer));
      nn::init_weights(nets_.back(), static_cast<std::uint64_t>(i));
    }
  }

  void train_each(std::int64_t epochs) {
    for (nn::ParamSlab& net : nets_)
      (void)nn::train_steps(kern::cpu_kernels(), workspace_, net, view_, hyper_, {0, epochs});
  }
  void train_pack(std::int64_t epochs) {
    std::vector<nn::PackNet> members;
    for (nn::ParamSlab& net : nets_)
      members.push_back({.net = &net,
                         .hyper = &hyper_,
                         .next = [] { return nn::PackWord::go_on; },
                         .ended = [](const nn::TrainStats&) {}});
    nn::train_pack(kern::cpu_kernels(), workspace_, view_, {0, epochs}, members);
  }

  [[nodiscard]] double steps(std::int64_t epochs) const {
    return static_cast<double>(nn::steps_per_epoch(std::ssize(view_.rows), hyper_.batch) * epochs) *
           static_cast<double>(nets_.size());
  }
  [[nodiscard]] bool same_bits(const Nets& other) const {
    for (std::size_t i = 0; i < nets_.size(); ++i)
      if (!std::ranges::equal(nets_[i].bytes(), other.nets_[i].bytes())) return false;
    return true;
  }

 private:
  nn::DataView view_;
  nn::Hyper hyper_;
  nn::Workspace workspace_;
  std::vector<nn::ParamSlab> nets_;
};

template <class F>
double seconds_of(F f) {
  const base::Moment begun = base::now();
  f();
  return base::seconds_since(begun);
}

Case measure(const nn::Dataset& data, int width, int count, bool quick) {
  std::vector<double> together, ratios, each;
  std::int64_t epochs = 1;
  while (!quick && seconds_of([&] { Nets(data, width, count).train_each(epochs); }) < kLeastSeconds)
    epochs *= 2;
  for (int round = 0; round < (quick ? 1 : kPackRounds); ++round) {
    Nets packed(data, width, count), plain(data, width, count);
    const double alone = seconds_of([&] { plain.train_each(epochs); });
    const double pack = seconds_of([&] { packed.train_pack(epochs); });
    if (!packed.same_bits(plain))
      throw base::Error(base::Errc::internal,
                        "networks differ that were trained on the same batches");
    together.push_back(pack / packed.steps(epochs) * 1e6);
    each.push_back(alone / packed.steps(epochs) * 1e6);
    ratios.push_back(alone / pack);
  }
  const Sample mine = sample_of(together);
  return {.name = base::cat("a step of ", data.header().input.elements(), "-", width, "-10, ",
                            count, " in a pack"),
          .ours = mine.median,
          .unit = "us",
          .rival = "one after another",
          .rival_value = sample_of(each).median,
          .ratio = sample_of(ratios).median,
          .spread = mine.spread};
}

}  // namespace

std::vector<Case> run_packs(const Options& options) {
  kern::prepare_thread();
  std::vector<Case> cases;
  for (const bool images : {true, false}) {
    nn::DataSpec source = data_of(Workload{.name = {}, .images = images}, false);
    if (images) source.rows = options.quick ? kQuickPackRows : kPackRows;
    const nn::Dataset data = nn::load_dataset(source);
    for (const int width : kPackWidths) {
      for (const int count : kNets) {
        show_progress(base::cat("packs: ", count, " of width ", width));
        cases.push_back(measure(data, width, count, options.quick));
      }
    }
  }
  show_progress("");
  return cases;
}

}  // namespace bench
