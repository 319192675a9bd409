// What it would bring to train networks that are at the same step as one task: several of one shape
// step by step on batches that are read once, beside one after the other, on one core.
#include <algorithm>
#include <array>
#include <vector>

#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/workloads.h"
#include "nn/data/block.h"
#include "nn/data/load.h"
#include "nn/init.h"
#include "nn/random.h"
#include "nn/trainer.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace bench {

namespace {

constexpr int kQuickRows = 1'000, kNets = 4, kRounds = 3;
constexpr std::array kWidths{16, 32, 64, 128, 256};

/// Networks of one shape at their births, and all that a step of one needs.
class Nets {
 public:
  Nets(const nn::Dataset& data, int width)
      : view_(data.view(nn::Part::train)),
        hyper_(hyper_of({})),
        spec_(network_of({{width}}, data.header())),
        network_(spec_, kern::cpu_kernels(), hyper_.batch, nn::Use::training),
        reader_(network_, view_),
        loss_(nn::loss_function<float>(hyper_.loss, view_)),
        update_(nn::optimizer_of(hyper_.optimizer.kind).bind(hyper_.optimizer.fields, float{})),
        pass_(nn::Block::aligned(network_.arena_bytes())),
        targets_(nn::Block::aligned(reader_.target_bytes())),
        memory_(pass_ + targets_ + network_.layout().count * sizeof(float)),
        rows_(view_.rows.begin(), view_.rows.end()) {
    for (int i = 0; i < kNets; ++i) {
      nets_.emplace_back(nn::slab_header(spec_, hyper_.optimizer));
      nn::init_weights(nets_.back(), static_cast<std::uint64_t>(i));
    }
  }

  /// Seconds of an epoch of all of them.
  double one_after_another() {
    const rt::Moment begun = rt::now();
    for (nn::ParamSlab& net : nets_)
      for (std::size_t at = 0; at < rows_.size(); at += batch()) step(net, at, read(at));
    return rt::seconds_since(begun);
  }
  double step_by_step() {
    const rt::Moment begun = rt::now();
    for (std::size_t at = 0; at < rows_.size(); at += batch()) {
      const nn::Target target = read(at);
      for (nn::ParamSlab& net : nets_) step(net, at, target);
    }
    return rt::seconds_since(begun);
  }

  [[nodiscard]] std::size_t steps() const {
    return kNets * ((rows_.size() + batch() - 1) / batch());
  }
  [[nodiscard]] bool same_bits(const Nets& other) const {
    for (std::size_t i = 0; i < nets_.size(); ++i)
      if (!std::ranges::equal(nets_[i].bytes(), other.nets_[i].bytes())) return false;
    return true;
  }

 private:
  [[nodiscard]] std::size_t batch() const { return static_cast<std::size_t>(hyper_.batch); }
  [[nodiscard]] std::span<const std::uint32_t> chosen(std::size_t at) const {
    return std::span(rows_).subspan(at, std::min(batch(), rows_.size() - at));
  }
  nn::Target read(std::size_t at) {
    return reader_.read(memory_.bytes().data(), memory_.bytes().data() + pass_, chosen(at));
  }
  void step(nn::ParamSlab& net, std::size_t at, const nn::Target& target) {
    std::byte* arena = memory_.bytes().data();
    float* gradient = memory_.array<float>(pass_ + targets_, network_.layout().count).data();
    const int rows = static_cast<int>(chosen(at).size());
    (void)network_.loss_and_gradient(arena, net.weights().data(), rows, *loss_, target,
                                     1.0f / static_cast<float>(rows), gradient);
    kern::Exec exec = network_.exec(arena);
    update_->run(network_.kernels(), exec, network_.layout().trained, net.count(),
                 net.weights().data(), gradient, net.slot(0).data(), ++net.state().steps,
                 nn::real(hyper_.optimizer.fields, "lr"));
  }

  nn::DataView view_;
  nn::Hyper hyper_;
  nn::ModelSpec spec_;
  nn::Network<float> network_;
  nn::BatchReader<float> reader_;
  std::unique_ptr<nn::LossFunction<float>> loss_;
  std::unique_ptr<nn::Update<float>> update_;
  std::size_t pass_, targets_;
  nn::Block memory_;
  std::vector<std::uint32_t> rows_;
  std::vector<nn::ParamSlab> nets_;
};

Case measure(const nn::Dataset& data, int width, bool quick) {
  std::vector<double> together, apart, ratios;
  for (int round = 0; round < (quick ? 1 : kRounds); ++round) {
    Nets packed(data, width), plain(data, width);
    const double steps = static_cast<double>(packed.steps());
    together.push_back(packed.step_by_step() / steps * 1e6);
    apart.push_back(plain.one_after_another() / steps * 1e6);
    ratios.push_back(apart.back() / together.back());
    if (!packed.same_bits(plain))
      throw rt::Error(rt::Errc::internal, "networks differ that were trained on the same batches");
  }
  const Sample mine = sample_of(together);
  return {.name = rt::cat("a step of ", kNets, " networks 784-", width, "-10, step by step"),
          .ours = mine.median,
          .unit = "us",
          .rival = "one after another",
          .rival_value = sample_of(apart).median,
          .ratio = sample_of(ratios).median,
          .spread = mine.spread};
}

}  // namespace

std::vector<Case> run_packs(const Options& options) {
  kern::prepare_thread();
  nn::DataSpec source = data_of(Workload{}, false);
  if (options.quick) source.rows = kQuickRows;
  const nn::Dataset data = nn::load_dataset(source);
  std::vector<Case> cases;
  for (const int width : kWidths) {
    show_progress(rt::cat("packs: 784-", width, "-10"));
    cases.push_back(measure(data, width, options.quick));
  }
  show_progress("");
  return cases;
}

}  // namespace bench
