// Reshaping while training, on MNIST: what growing and shrinking cost in accuracy, each way of
// doing it against training the large network from the start, or against removing units without a
// refit.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "bench/bench.h"
#include "bench/measure.h"
#include "nn/data/load.h"
#include "nn/model/init.h"
#include "nn/reshape/reshape.h"
#include "nn/training/train.h"

namespace bench {

namespace {

constexpr std::int64_t kReshapeEpochs = 5, kGrowAfter = 2, kStepsAfterShrink = 200;
constexpr std::int64_t kSmall = 16, kLarge = 64, kShrunkFrom = 256;
constexpr std::int32_t kReshapeBatch = 128;

nn::FieldValue whole(std::int64_t value) { return value; }

nn::ModelSpec network(std::int64_t width) {
  nn::ModelSpec spec{.input = nn::Shape::features(784), .layers = {}};
  for (const char* name : {"fc1", "fc2"}) {
    spec.layers.push_back({"dense", name, {{"units", whole(width)}, {"activation", "relu"}}});
  }
  return nn::with_output(spec, 10);
}

nn::Hyper hyper_of(const std::string& optimizer, std::uint64_t seed, double lr) {
  nn::Fields fields{{"lr", lr}};
  if (optimizer == "sgd") fields["momentum"] = 0.9;
  return nn::complete(nn::Hyper{.loss = {"cross_entropy", {}},
                                .optimizer = {optimizer, fields},
                                .batch = kReshapeBatch,
                                .shards = 1,
                                .shuffle = seed});
}

double rate_of(const std::string& optimizer) { return optimizer == "sgd" ? 0.05 : 1e-3; }

/// One network with what it is trained on.
class ReshapedRun {
 public:
  ReshapedRun(const nn::Dataset& data, nn::ModelSpec spec, nn::Hyper hyper, std::uint64_t seed)
      : data_(&data),
        hyper_(std::move(hyper)),
        seed_(seed),
        net_(nn::slab_header(spec, hyper_.optimizer)) {
    nn::init_weights(net_, seed);
  }
  ReshapedRun(const ReshapedRun& other)
      : data_(other.data_), hyper_(other.hyper_), seed_(other.seed_), net_(other.net_.header()) {
    std::ranges::copy(other.net_.bytes(), net_.bytes().begin());
  }
  ReshapedRun& operator=(const ReshapedRun&) = delete;
  ~ReshapedRun() = default;

  void train(std::int64_t from_epoch, std::int64_t to_epoch) { segment({from_epoch, to_epoch}); }
  /// Steps [from, to) of an epoch's.
  void steps(std::int64_t from, std::int64_t to) {
    const auto rows = std::ssize(data_->part(nn::Part::train));
    segment({from, to, (rows + kReshapeBatch - 1) / kReshapeBatch});
  }
  void reshape(const std::string& kind, const std::string& layer, nn::Fields fields) {
    net_ = nn::reshape(kern::cpu_kernels(), workspace_, net_, {kind, layer, std::move(fields)},
                       data_->view(nn::Part::train), seed_);
  }
  void use(nn::Hyper hyper) { hyper_ = std::move(hyper); }
  [[nodiscard]] nn::Scores test() {
    return nn::evaluate(kern::cpu_kernels(), workspace_, net_, data_->view(nn::Part::test),
                        hyper_.loss);
  }
  [[nodiscard]] nn::ParamSlab& net() { return net_; }

 private:
  void segment(const nn::Segment& segment) {
    (void)nn::train_steps(kern::cpu_kernels(), workspace_, net_, data_->view(nn::Part::train),
                          hyper_, segment);
  }

  const nn::Dataset* data_;
  nn::Hyper hyper_;
  std::uint64_t seed_;
  nn::ParamSlab net_;
  nn::Workspace workspace_;
};

/// A way of growing both layers.
struct Growth {
  std::string name;
  nn::Fields fields;
  std::function<void(nn::ParamSlab&)> then = [](nn::ParamSlab&) {};
};

void forget_slots(nn::ParamSlab& net) {
  for (int s = 0; s < net.header().slots; ++s) std::ranges::fill(net.slot(s), 0.0F);
  nn::UnitState units = net.units();
  for (auto& axis : units.axes) std::ranges::fill(axis.births, net.state().steps);
  net.set_units(units);
}

void count_from_the_start(nn::ParamSlab& net) {
  nn::UnitState units = net.units();
  for (auto& axis : units.axes) std::ranges::fill(axis.births, 0);
  net.set_units(units);
}

std::vector<Growth> growths() {
  return {{"fresh units", {}},
          {"pairs", {{"rule", "pair"}}},
          {"fresh units, all optimizer state forgotten", {}, forget_slots},
          {"fresh units, steps counted from the network's start", {}, count_from_the_start},
          {"random outgoing weights", {{"rule", "random"}}},
          {"GradMax", {{"rule", "gradmax"}}},
          {"copies with 5% noise", {{"rule", "replicate"}, {"noise", 0.05}}},
          {"copies", {{"rule", "replicate"}}}};
}

/// Accuracies of one row of a table over the seeds, and the change of the loss at the reshape.
struct Row {
  std::vector<double> accuracy, jump;
};

Row grown(const nn::Dataset& data, const std::string& optimizer, const Growth& growth, int seeds) {
  Row row;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
    ReshapedRun run(data, network(kSmall), hyper_of(optimizer, seed, rate_of(optimizer)), seed);
    run.train(0, kGrowAfter);
    const double before = run.test().loss;
    nn::Fields fields = growth.fields;
    fields["to"] = whole(kLarge);
    for (const char* layer : {"fc1", "fc2"}) run.reshape("widen", layer, fields);
    growth.then(run.net());
    row.jump.push_back(run.test().loss - before);
    run.train(kGrowAfter, kReshapeEpochs);
    row.accuracy.push_back(run.test().accuracy);
  }
  return row;
}

Row fixed(const nn::Dataset& data, const std::string& optimizer, std::int64_t width,
          std::int64_t epochs, int seeds) {
  Row row;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
    ReshapedRun run(data, network(width), hyper_of(optimizer, seed, rate_of(optimizer)), seed);
    run.train(0, epochs);
    row.accuracy.push_back(run.test().accuracy);
  }
  return row;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

Case accuracy_case(const std::string& name, const std::vector<double>& ours, std::string rival,
                   double rival_value) {
  return {.name = name,
          .ours = mean(ours),
          .unit = "accuracy",
          .rival = std::move(rival),
          .rival_value = rival_value,
          .ratio = mean(ours) / rival_value,
          .spread = sample_of(ours).spread};
}

void grow_cases(const nn::Dataset& data, const std::string& optimizer, int seeds,
                std::vector<Case>& cases) {
  const std::string how = ", " + optimizer;
  std::fprintf(stderr, "reshape: growing with %s\n", optimizer.c_str());
  const Row scratch = fixed(data, optimizer, kLarge, kReshapeEpochs, seeds);
  const double rival = mean(scratch.accuracy);
  const std::string who = "64x64 from the start";
  const auto plain = [&](const std::string& name, const Row& row) {
    cases.push_back(accuracy_case(name + how, row.accuracy, who, rival));
  };
  plain("16x16 throughout", fixed(data, optimizer, kSmall, kReshapeEpochs, seeds));
  plain("64x64 for 3 of 5 epochs",
        fixed(data, optimizer, kLarge, kReshapeEpochs - kGrowAfter, seeds));
  for (const Growth& growth : growths()) {
    if (optimizer == "sgd" && growth.name.find("steps counted") != std::string::npos) continue;
    const Row row = grown(data, optimizer, growth, seeds);
    plain("grown from 16x16 after 2 epochs: " + growth.name, row);
    cases.push_back({.name = "  change of the loss there", .ours = mean(row.jump), .unit = "nats"});
  }
}

/// Accuracy right after the removal and some steps later.
struct Shrunk {
  double at_once = 0, later = 0;
};

Shrunk shrunk(const ReshapedRun& trained, std::int64_t removed, const nn::Fields& fields,
              std::uint64_t seed) {
  ReshapedRun run(trained);
  nn::Fields all = fields;
  all["by"] = whole(removed);
  for (const char* layer : {"fc1", "fc2"}) run.reshape("shrink", layer, all);
  Shrunk out{.at_once = run.test().accuracy};
  run.use(hyper_of("sgd", seed, 0.01));
  run.steps(0, kStepsAfterShrink);
  out.later = run.test().accuracy;
  return out;
}

void shrink_cases(const nn::Dataset& data, int seeds, std::vector<Case>& cases) {
  const std::vector<std::pair<std::string, nn::Fields>> ways{
      {"activation, refitted", {}},
      {"activation", {{"refit", false}}},
      {"random", {{"score", "random"}, {"refit", false}}}};
  std::vector<double> whole_net;
  std::map<std::pair<std::int64_t, std::string>,
           std::pair<std::vector<double>, std::vector<double>>>
      results;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
    std::fprintf(stderr, "reshape: shrinking, seed %d\n", static_cast<int>(seed));
    ReshapedRun trained(data, network(kShrunkFrom), hyper_of("sgd", seed, rate_of("sgd")), seed);
    trained.train(0, kReshapeEpochs);
    whole_net.push_back(trained.test().accuracy);
    for (const std::int64_t eighths : {2, 4, 6, 7}) {
      for (const auto& [name, fields] : ways) {
        const Shrunk one = shrunk(trained, kShrunkFrom * eighths / 8, fields, seed);
        results[{eighths, name}].first.push_back(one.at_once);
        results[{eighths, name}].second.push_back(one.later);
      }
    }
  }
  const double all = mean(whole_net);
  for (const auto& [key, accuracies] : results) {
    const std::string name = std::to_string(key.first) + "/8 of 256x256 removed, " + key.second;
    cases.push_back(accuracy_case(name + ": at once", accuracies.first, "256x256", all));
    cases.push_back(accuracy_case(name + ": 200 steps later", accuracies.second, "256x256", all));
  }
}

}  // namespace

std::vector<Case> run_reshape(const Options& options) {
  kern::prepare_thread();
  nn::DataSpec source;
  source.kind = nn::DataKind::idx;
  source.path = nn::locate_data("mnist", ".");
  source.scale = nn::Scale::unit;
  source.split.valid = 0;
  source.rows = options.quick ? 6000 : 0;
  const nn::Dataset data = nn::load_dataset(source);
  std::vector<Case> cases;
  for (const char* optimizer : {"sgd", "adam"}) {
    grow_cases(data, optimizer, options.quick ? 1 : 3, cases);
  }
  shrink_cases(data, options.quick ? 1 : 2, cases);
  return cases;
}

}  // namespace bench
