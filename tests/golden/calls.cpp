// Calls of every pure task, named by the runtime itself: nothing here runs a task or builds a key.

#include <iostream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "nn/layers/layer.h"
#include "nn/losses/loss.h"
#include "nn/optimizers/optimizer.h"
#include "nn/reshape/reshape.h"
#include "nn/schedules/schedule.h"
#include "runtime/core/node.h"
#include "runtime/instance.h"
#include "runtime/process.h"
#include "runtime/value.h"
#include "tasks/continued.h"
#include "tasks/judging.h"
#include "tasks/race.h"
#include "tasks/tasks.h"
#include "tests/golden/values.h"
#include "tests/nn/data/files.h"
#include "tests/nn/layer_cases.h"
#include "tests/nn/nets.h"
#include "tests/support/temp_folder.h"

namespace golden {

namespace {

constexpr std::uint64_t kSeed = 0x0123456789ABCDEF;
constexpr std::uint64_t kRows = 180;

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::byte byte : bytes) {
    out += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    out += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return out;
}

/// Prints the call that makes `value`, which nobody has asked for yet: its node still has the
/// constants that the runtime hashed into the key.
template <class T>
void print(const rt::Value<T>& value, const std::string& variant = "") {
  const rt::detail::Node& node = *value.version()->producer;
  rt::Writer constants;
  node.info->signature->encode_constants(node, constants);
  const std::string& task = node.info->name;
  std::cout << task << (variant.empty() ? "" : ": " + variant) << '\t' << task << '\t'
            << node.info->version << '\t' << hex(constants.bytes()) << '\t' << value.key().hex()
            << '\n';
}

/// A spec in which no member that counts has its default.
nn::DataSpec with_everything(nn::DataSpec spec) {
  spec.targets = {"kind", "-1"};
  spec.header = nn::HeaderRow::yes;
  spec.ignore = {"id"};
  spec.keep = {"name", "3"};
  spec.categories = {"zip"};
  spec.missing = {"?"};
  spec.classes = {"yes", "no"};
  spec.rows = 100;
  spec.task = nn::LearningTask::classification;
  spec.scale = nn::Scale::minmax;
  spec.split = {.valid = 0.25,
                .test = 0.125,
                .seed = 9,
                .group = "house",
                .time = "day",
                .folds = 4,
                .fold = 2};
  return spec;
}

/// The file is never parsed: its bytes are part of the key, so they are fixed here.
rt::Value<nn::Dataset> print_loads(const support::TempFolder& folder) {
  const auto file = [&](const std::string& name) {
    nn_test::write_file(folder / name, "a,b,c,kind\n1,2,3,yes\n4,5,6,no\n" + name);
    return (folder / name).string();
  };
  const nn::DataSpec csv{.path = file("table.csv")};
  const nn::DataSpec pair{.path = csv.path, .more = file("test.csv")};
  const nn::DataSpec npy{.kind = nn::DataKind::npy, .path = file("x.npy"), .more = file("y.npy")};
  const nn::DataSpec tensors{.kind = nn::DataKind::safetensors, .path = file("t.safetensors")};
  for (const char* part : {"train", "t10k"}) {
    (void)file(std::string(part) + "-images-idx3-ubyte");
    (void)file(std::string(part) + "-labels-idx1-ubyte");
  }
  const nn::DataSpec idx{.kind = nn::DataKind::idx, .path = folder.path().string()};
  for (const nn::DataSpec& spec : {csv, pair, npy, tensors, idx}) {
    print(tasks::load(spec));
    print(tasks::load(with_everything(spec)), "everything");
  }
  return tasks::load(csv);
}

/// The data and the network of a model that goes on.
void print_continued(const support::TempFolder& folder, const rt::Value<nn::Dataset>& data) {
  const base::Key content{1, 2};
  print(tasks::continued_data(data, nullptr, "{}", {}, content));
  print(tasks::continued_data(data, nullptr, "{}", {"yes", "no"}, content), "everything");
  print(tasks::continued_data(data, &data, "{}", {"yes"}, content));
  nn_test::write_file(folder / "model.safetensors", "a model");
  const std::string model = (folder / "model.safetensors").string();
  const nn::ParamSlab::Header header = nn::slab_header(nn_test::mlp(3, {8}, 2), {"adam", {}});
  print(tasks::continued(model, header, {}, kSeed));
  print(tasks::continued(
            model, header,
            {.inputs = {1, -1, 0}, .factor = {0.5, 2}, .shift = {1, -1}, .keeps_optimizer = true},
            kSeed, 7),
        "everything");
}

void print_inits() {
  const nn::Choice sgd{"sgd", {}};
  for (const nn::Layer* layer : nn::layers()) {
    int number = 0;
    for (const nn::LayerExample& example : layer->examples()) {
      const std::string& kind = layer->info().kind;
      const nn::ModelSpec model{
          .input = example.input,
          .layers = nn_test::with_context(example, {kind, "x", example.fields})};
      print(tasks::init(model, sgd, kSeed), "layer " + kind + " " + std::to_string(++number));
    }
  }
  const nn::ModelSpec model = nn_test::mlp(3, {8}, 2);
  for (const nn::Optimizer* optimizer : nn::optimizers()) {
    const std::string& kind = optimizer->info().kind;
    print(tasks::init(model, {kind, {}}, kSeed), "optimizer " + kind);
  }
  print(tasks::init(model, {"sgd", {{"momentum", 0.9}}}, kSeed, 7), "apart");
}

/// Calls on one network and one table.
class OnNetwork {
 public:
  explicit OnNetwork(rt::Value<nn::Dataset> data) : data_(std::move(data)) {}

  void print_all() const {
    print_trains();
    print_scores();
    print_reshapes();
    for (const nn::Baseline kind : nn::kBaselines) {
      print(tasks::fit_baseline(data_, kind, tasks::evaluate_cost(model_, kRows)),
            kind == nn::Baseline::constant ? "constant" : "linear");
    }
  }

 private:
  void print_train(const nn::Hyper& hyper, const nn::Segment& segment,
                   const std::string& variant) const {
    rt::Value<nn::ParamSlab> net = tasks::init(model_, hyper.optimizer, kSeed);
    print(tasks::train(net, data_, hyper, segment,
                       tasks::train_cost(model_, segment, kRows, hyper.batch)),
          variant);
  }

  void print_trains() const {
    nn::Hyper hyper{.loss = {"cross_entropy", {}}, .optimizer = {"sgd", {}}, .shuffle = kSeed};
    print_train(hyper, {0, 3}, "");
    for (const nn::Optimizer* optimizer : nn::optimizers()) {
      nn::Hyper own = hyper;
      own.optimizer.kind = optimizer->info().kind;
      print_train(own, {0, 3}, "optimizer " + own.optimizer.kind);
    }
    std::map<std::string, int> cases;
    for (const nn_test::LossCase& one : nn_test::loss_cases()) {
      nn::Hyper own = hyper;
      own.loss = one.loss;
      const std::string& kind = one.loss.kind;
      print_train(own, {0, 3}, "loss " + kind + " " + std::to_string(++cases[kind]));
    }
    for (const nn::Schedule* schedule : nn::schedules()) {
      nn::Hyper own = hyper;
      own.lr = nn::schedule_curve({schedule->info().kind, {}}, 0.5, 9);
      print_train(own, {1, 4}, "schedule " + schedule->info().kind);
    }
    hyper.optimizer = {"sgd", {{"lr", 0.25}, {"momentum", 0.5}}};
    hyper.batch = 17;
    hyper.shards = 3;
    hyper.penalty = {.strength = 0.5, .until = 2};
    hyper.clip = 1.5;
    hyper.augment = {.shift = 2, .flip = nn::Flip::both};
    hyper.precision = kern::Precision::bf16;
    print_train(hyper, {3, 7, 4}, "everything");
  }

  void print_scores() const {
    const rt::Flops cost = tasks::evaluate_cost(model_, kRows);
    const nn::Choice loss{"cross_entropy", {}};
    for (const auto& [part, name] : {std::pair{nn::Part::train, "train"},
                                     {nn::Part::valid, "valid"},
                                     {nn::Part::test, "test"},
                                     {nn::Part::replay, "replay"}}) {
      print(tasks::evaluate(net_, data_, part, loss, cost), name);
      print(tasks::evaluate_classes(net_, data_, part, loss, cost), name);
    }
    const auto answers = tasks::answers(net_, data_, nn::Part::test, loss, cost);
    const auto trees =
        tasks::fit_trees(data_, {.rounds = 120, .rows = 5000}, cost, "xgboost 1.7.4");
    const auto others = tasks::answers(trees, data_, nn::Part::test);
    print(answers, "test");
    print(trees, "120 rounds");
    print(others, "test");
    print(tasks::score_answers(others, data_, nn::Part::test, loss), "test");
    print(tasks::compare(answers, others, data_, nn::Part::test, "accuracy", loss), "accuracy");
    print(tasks::estimate(answers, data_, nn::Part::test, "auc", loss), "auc");
    const auto labelled = tasks::labelled(answers, data_, nn::Part::test);
    print(labelled, "test");
    print(tasks::joined(labelled, labelled), "twice");
    print(tasks::calibrate(labelled, "auc"), "auc");
    print(tasks::calibration_figures(answers, data_, nn::Part::test,
                                     {.temperature = 1.5, .threshold = 0.25}),
          "temperature and threshold");
    print(tasks::score_rows(net_, data_, loss, 0, cost), "all rows");
    print(tasks::score(net_, data_, loss, 0, cost), "all rows");
    print(tasks::score(net_, data_, {"huber", {{"delta", 2.0}}}, 50, cost), "50 rows");
  }

  void print_reshapes() const {
    const nn::Fields by{{"by", nn_test::n(2)}}, to{{"to", nn_test::n(4)}};
    // A kind without fields of its own here runs by its defaults.
    const std::map<std::string, nn::Fields> needed{{"widen", by}, {"shrink", to}};
    for (const nn::KindInfo& kind : nn::operation_kinds()) {
      const auto fields = needed.find(kind.kind);
      const nn::Operation operation{kind.kind, "dense2",
                                    fields == needed.end() ? nn::Fields{} : fields->second};
      const nn::ParamSlab::Header after =
          nn::reshaped_header(header_, nn::reshaped(header_.spec, operation));
      print(tasks::reshape(net_, data_, operation, after, kSeed), kind.kind);
      print(tasks::measured_spec(net_, data_, operation), kind.kind);
    }
    for (const nn::Optimizer* optimizer : nn::optimizers()) {
      const std::string& kind = optimizer->info().kind;
      print(tasks::with_slots_for(net_, {kind, {}}), kind);
    }
    print(tasks::unit_norms(net_));
    print(tasks::unit_statistics(net_, data_, rt::Flops{0}));
  }

  const rt::Value<nn::Dataset> data_;
  const nn::ModelSpec model_ = nn::complete(nn_test::mlp(3, {8, 8}, 2));
  const nn::ParamSlab::Header header_ = nn::slab_header(model_, {"adam", {}});
  const rt::Value<nn::ParamSlab> net_ = tasks::init(header_, kSeed);
};

}  // namespace

void print_calls() {
  rt::set_fingerprint("golden");
  const rt::Runtime runtime({.workers = 1, .executor = rt::Executor::sequential});
  const support::TempFolder folder;
  print_inits();
  const rt::Value<nn::Dataset> data = print_loads(folder);
  print_continued(folder, data);
  OnNetwork(data).print_all();
}

}  // namespace golden
