// Short trainings through the tasks, on tables whose numbers are whole or halves.

#include <atomic>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nn/data/load.h"
#include "nn/model/model_file.h"
#include "runtime/runtime.h"
#include "tasks/tasks.h"
#include "tests/golden/values.h"
#include "tests/nn/data/files.h"
#include "tests/nn/nets.h"
#include "tests/support/temp_folder.h"

namespace golden {

namespace {

using nn_test::n;

constexpr int kTableRows = 240, kTrainRows = 144;
constexpr std::int64_t kEpochs = 4;

/// Rows of `columns` numbers and one of three classes.
std::string table(int columns) {
  std::ostringstream out;
  for (int i = 0; i < kTableRows; ++i) {
    int sum = 0;
    for (int j = 0; j < columns; ++j) {
      const int value = (i * 37 + j * 53 + i * j) % 101 - 50;
      if (j < 3) sum += value;
      out << value * 0.5 << ',';
    }
    out << (sum < -20 ? "low" : sum < 20 ? "middle" : "high") << '\n';
  }
  return out.str();
}

struct Training {
  int columns = 0;
  nn::ModelSpec model;
  nn::Hyper hyper;
};

nn::Hyper hyper(const std::string& optimizer, nn::Fields fields) {
  return {.loss = {"cross_entropy", {}},
          .optimizer = {optimizer, std::move(fields)},
          .batch = 16,
          .shuffle = 11};
}

nn::ModelSpec images(std::vector<nn::LayerSpec> layers) {
  const nn::ModelSpec spec{.input = nn::Shape::image(8, 8, 1), .layers = std::move(layers)};
  return nn::complete(nn::with_output(spec, 3));
}

Training dense() {
  Training out{3, nn_test::mlp(3, {24, 16}, 3, "gelu"), hyper("adam", {{"lr", 0.01}})};
  out.hyper.lr = nn::schedule_curve({"cosine", {}}, 0.01, kEpochs);
  return out;
}

Training conv() {
  const nn::Fields same{{"units", n(8)}, {"kernel", n(3)}, {"padding", "same"}};
  return {64,
          images({{"conv2d", "c1", same},
                  {"max_pool", "p1", {}},
                  {"conv2d", "c2", {{"units", n(16)}, {"kernel", n(3)}}},
                  {"flatten", "flat", {}},
                  {"dense", "fc", {{"units", n(16)}}}}),
          hyper("sgd", {{"lr", 0.05}, {"momentum", 0.9}})};
}

Training dropout() {
  Training out{3, nn_test::mlp(3, {32}, 3), hyper("rmsprop", {{"lr", 0.01}})};
  out.model.layers.insert(out.model.layers.end() - 1, {"dropout", "drop", {{"rate", 0.25}}});
  return out;
}

Training shards() {
  const nn::Fields layer{{"units", n(6)}, {"kernel", n(3)}, {"padding", "same"}};
  Training out{64,
               images({{"conv2d", "stem", layer},
                       {"residual_begin", "block", {}},
                       {"conv2d", "c1", layer},
                       {"residual_end", "", {{"activation", "relu"}}},
                       {"layer_norm", "ln", {{"activation", "tanh"}}},
                       {"global_pool", "features", {}}}),
               hyper("adamw", {{"lr", 0.01}})};
  out.hyper.shards = 4;
  out.hyper.clip = 1;
  return out;
}

Training bf16() {
  Training out{64, nn_test::mlp(64, {48, 32}, 3), hyper("adam", {{"lr", 0.01}})};
  out.hyper.precision = kern::Precision::bf16;
  return out;
}

/// What the trainings of a process have in common.
class Trainer {
 public:
  std::string checksum(const Training& training) const {
    const rt::Runtime runtime({.workers = 1, .executor = rt::Executor::sequential});
    const auto data = load(training.columns);
    rt::Value<nn::ParamSlab> net = begin(training);
    (void)train(net, data, training.hyper, training.model);
    return base::hash_bytes(net.get().bytes()).hex();
  }

  /// Networks that differ in their rate and wait for the same worker, which trains them as one.
  std::string checksum_of_pack() const {
    constexpr int kNets = 6;
    const rt::Runtime runtime({.workers = 1, .executor = rt::Executor::starpu_cpu});
    // Small enough for train_fit() to find that reading batches together pays.
    const Training training{3, nn_test::mlp(3, {16}, 3), hyper("adam", {{"lr", 0.01}})};
    const auto data = load(training.columns);
    data.get();
    std::vector<rt::Value<nn::ParamSlab>> nets;
    for (std::uint64_t i = 0; i < kNets; ++i) {
      nets.push_back(begin(training, i));  // apart: one that shares its bytes trains alone
      nets.back().get();
    }
    static std::atomic<bool> let_go{false};
    static const auto hold = rt::task("hold", 1).cpu([] {
      while (!let_go) std::this_thread::yield();
    });
    hold().demand();
    for (int i = 0; i < kNets; ++i) {
      const nn::Hyper own = hyper("adam", {{"lr", 0.002 * (i + 1)}});
      train(nets[static_cast<std::size_t>(i)], data, own, training.model).demand();
    }
    let_go = true;
    base::Hasher hasher;
    for (const auto& net : nets) hasher.raw(net.get().bytes());
    if (runtime.summary().packed == 0)
      throw std::runtime_error("packs: no trainings ran as one, so nothing is known of packs");
    return hasher.finish().hex();
  }

 private:
  rt::Value<nn::Dataset> load(int columns) const {
    const nn::DataSpec spec{.path = (folder_ / std::to_string(columns)).string()};
    nn_test::write_file(spec.path, table(columns));
    return tasks::load(spec);
  }
  static rt::Value<nn::ParamSlab> begin(const Training& training, std::uint64_t apart = 0) {
    return tasks::init(training.model, training.hyper.optimizer, 5, apart);
  }
  static rt::Value<nn::TrainStats> train(rt::Value<nn::ParamSlab>& net,
                                         const rt::Value<nn::Dataset>& data, const nn::Hyper& hyper,
                                         const nn::ModelSpec& model) {
    const nn::Segment segment{0, kEpochs};
    return tasks::train(net, data, hyper, segment,
                        tasks::train_cost(model, segment, kTrainRows, hyper.batch));
  }

  support::TempFolder folder_;
};

}  // namespace

void print_trainings(const std::string& only) {
  tasks::setup_process();
  const Trainer trainer;
  const auto alone = [&](const Training& training) { return trainer.checksum(training); };
  const std::vector<std::pair<std::string, std::function<std::string()>>> all{
      {"batch_norm",
       [&] {
         return alone({3, nn_test::normed(3, 16, 3), hyper("adam", {{"lr", 0.01}})});
       }},
      {"bf16", [&] { return alone(bf16()); }},
      {"conv", [&] { return alone(conv()); }},
      {"dense", [&] { return alone(dense()); }},
      {"dropout", [&] { return alone(dropout()); }},
      {"packs", [&] { return trainer.checksum_of_pack(); }},
      {"shards", [&] { return alone(shards()); }},
  };
  bool found = false;
  for (const auto& [name, checksum] : all) {
    if (!only.empty() && name != only) continue;
    found = true;
    try {
      if (name == "bf16") {
        const std::string lacks = tasks::cores_lack(kern::Precision::bf16);
        if (!lacks.empty()) throw base::Error(base::Errc::no_device, lacks);
      }
      const std::string sum = checksum();
      std::cout << name << '\t' << sum << '\n';
    } catch (const base::Error& error) {
      if (error.kind() != base::Errc::no_device) throw;
      std::cout << name << "\tskip\t" << error.what() << '\n';
    }
  }
  if (!found) throw std::invalid_argument("no training is called " + only);
}

void print_model(const std::string& path) {
  const nn::Model model = nn::read_model(path);
  std::cout << base::hash_bytes(std::as_bytes(model.net.weights())).hex() << '\n';
}

}  // namespace golden
