// Loading, training and evaluating through the runtime: the same bits however it is done, and
// nothing twice.

#include "tasks/tasks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "nn/data/load.h"
#include "nn/model/model_file.h"
#include "nn/reshape/reshape.h"
#include "runtime/runtime.h"
#include "tasks/race.h"
#include "tasks/train_pack.h"
#include "tests/nn/nets.h"
#include "tests/support/temp_folder.h"

namespace {

using Bytes = std::vector<std::byte>;

/// A table of three columns of numbers whose sign of a sum is the class.
std::string table(int rows) {
  std::ostringstream out;
  out << "a,b,c,kind\n";
  for (int i = 0; i < rows; ++i) {
    const int a = i * 37 % 101 - 50;
    const int b = i * 53 % 97 - 48;
    const int c = i * 29 % 89 - 44;
    out << a * 0.5 << "," << b << "," << c << "," << (a + b > c ? "yes" : "no") << "\n";
  }
  return out.str();
}

/// Rows of 36 numbers, the least image that every kind of layer fits on.
std::string image_table(int rows) {
  std::ostringstream out;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < 36; ++j) out << (i * 37 + j * 53) % 101 << ",";
    out << (i % 3 == 0 ? "yes" : "no") << "\n";
  }
  return out.str();
}

std::ptrdiff_t threads_of_this_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

/// A study in small: data on disk, one network, one way to train it.
class Tasks : public testing::Test {
 protected:
  Tasks() {
    tasks::setup_process();
    data_spec.path = folder / "data.csv";
    std::ofstream(data_spec.path) << table(300);
    hyper.loss = {"cross_entropy", {}};
    hyper.optimizer = {"adam", {{"lr", 0.01}}};
    hyper.batch = 16;
    seeds = tasks::derive_seeds(7, nn::content_hash(data_spec));
    hyper.shuffle = seeds.shuffle;
  }

  rt::Value<nn::ParamSlab> init() const { return tasks::init(model, hyper.optimizer, seeds.init); }
  rt::Value<nn::TrainStats> train(rt::Value<nn::ParamSlab>& net, const rt::Value<nn::Dataset>& data,
                                  std::int64_t from, std::int64_t to) const {
    return tasks::train(net, data, hyper, {from, to},
                        tasks::train_cost(model, {from, to}, 180, hyper.batch));
  }
  rt::Value<nn::Scores> evaluate(const rt::Value<nn::ParamSlab>& net,
                                 const rt::Value<nn::Dataset>& data) const {
    return tasks::evaluate(net, data, nn::Part::valid, hyper.loss, tasks::evaluate_cost(model, 60));
  }

  /// Trains over the boundaries given and returns the slab's bytes; `scores` gets one score a
  /// boundary.
  Bytes run(const std::vector<std::int64_t>& boundaries,
            std::vector<double>* scores = nullptr) const {
    const auto data = tasks::load(data_spec);
    auto net = init();
    std::int64_t from = 0;
    for (const std::int64_t to : boundaries) {
      (void)train(net, data, from, to).get();
      if (scores != nullptr) scores->push_back(evaluate(net, data).get().accuracy);
      from = to;
    }
    const auto bytes = net.get().bytes();
    return {bytes.begin(), bytes.end()};
  }

  const support::TempFolder folder;
  nn::DataSpec data_spec;
  nn::ModelSpec model = nn::complete(nn_test::mlp(3, {8}, 2));
  nn::Hyper hyper;
  tasks::Seeds seeds;
};

rt::Config sequential() { return {.workers = 1, .executor = rt::Executor::sequential}; }

TEST_F(Tasks, LearnSomething) {
  const rt::Runtime runtime(sequential());
  std::vector<double> scores;
  (void)run({10}, &scores);
  EXPECT_GT(scores.back(), 0.85);
}

TEST_F(Tasks, AScoreIsOfSoManyRows) {
  const rt::Runtime runtime(sequential());
  const auto data = tasks::load(data_spec);
  const auto net = init();
  for (const auto& [asked, scored] : {std::pair{0, 60}, {1, 1}, {2, 2}, {60, 60}, {61, 60}}) {
    const nn::Scores scores =
        tasks::score(net, data, hyper.loss, asked, tasks::evaluate_cost(model, 60)).get();
    EXPECT_EQ(scores.rows, scored) << asked;
  }
}

TEST_F(Tasks, TwoStretchesAreOne) {
  const rt::Runtime runtime(sequential());
  EXPECT_EQ(run({1, 3}), run({3}));
}

TEST_F(Tasks, ASegmentHasOneNameOnEveryGrid) {
  rt::Config config = sequential();
  config.store = std::make_shared<rt::Store>();
  const rt::Runtime runtime(config);
  const auto data = tasks::load(data_spec);
  auto coarse = init();
  auto fine = init();
  const auto train_on = [&](rt::Value<nn::ParamSlab>& net, const nn::Segment& segment) {
    return tasks::train(net, data, hyper, segment,
                        tasks::train_cost(model, segment, 180, hyper.batch));
  };
  const double before = tasks::epochs_trained();
  (void)train_on(coarse, {0, 1}).get();
  (void)train_on(fine, {0, 4, 4}).get();
  EXPECT_EQ(coarse.key(), fine.key());
  EXPECT_EQ(tasks::epochs_trained() - before, 1.0);
  (void)train_on(fine, {4, 5, 4}).get();
  EXPECT_EQ(tasks::epochs_trained() - before, 1.25);
}

TEST_F(Tasks, AReshapedNetworkIsANewOneAndTrainsOn) {
  rt::Config config = sequential();
  config.store = std::make_shared<rt::Store>();
  const rt::Runtime runtime(config);
  const auto data = tasks::load(data_spec);
  auto net = init();
  (void)train(net, data, 0, 2).get();
  const Bytes before(net.get().bytes().begin(), net.get().bytes().end());
  const nn::Operation grow{"widen", "dense1", {{"by", nn_test::n(8)}}};
  const auto after = [](const nn::ParamSlab::Header& from, const nn::Operation& operation) {
    return nn::reshaped_header(from, nn::reshaped(from.spec, operation));
  };
  const nn::ParamSlab::Header from = net.get().header(), grown = after(from, grow);
  auto wide = tasks::reshape(net, data, grow, grown, seeds.init);
  const auto again = tasks::reshape(net, data, nn::complete(grow), grown, seeds.init);
  EXPECT_EQ(wide.key(), again.key());
  EXPECT_EQ(wide.get().spec(), nn::reshaped(model, grow));
  EXPECT_EQ(evaluate(wide, data).get().correct, evaluate(net, data).get().correct);
  (void)train(wide, data, 2, 4).get();
  EXPECT_EQ(wide.get().state().rows, 4 * 180);
  EXPECT_TRUE(std::ranges::equal(net.get().bytes(), before));
  const nn::Operation cut{"shrink", "dense1", {{"to", nn_test::n(4)}}};
  auto small = tasks::reshape(wide, data, cut, after(grown, cut), 0);
  EXPECT_GT(evaluate(small, data).get().accuracy, 0.5);
  const nn::Operation unknown{"widen", "dense9", {{"by", nn_test::n(8)}}};
  for (const nn::Operation& wrong : {unknown, grow}) {
    const auto none = tasks::reshape(net, data, wrong, from, 0);
    EXPECT_THROW((void)none.get(), base::Error);
  }
}

TEST_F(Tasks, WhatOnlyRunningTellsIsMeasuredFirst) {
  const rt::Runtime runtime(sequential());
  const auto data = tasks::load(data_spec);
  auto net = init();
  (void)train(net, data, 0, 1).get();
  const nn::Operation twice{
      "widen", "dense1", {{"by", nn_test::n(8)}, {"rule", std::string("replicate")}}};
  const nn::ParamSlab::Header wide =
      nn::reshaped_header(net.get().header(), nn::reshaped(model, twice));
  const auto doubled = tasks::reshape(net, data, twice, wide, 0);
  const nn::Operation tidy{"tidy", "dense1", {}};
  const nn::ModelSpec left = tasks::measured_spec(doubled, data, tidy).get();
  EXPECT_EQ(left, net.get().spec());
  const auto tidied = tasks::reshape(doubled, data, tidy, nn::reshaped_header(wide, left), 0);
  EXPECT_EQ(tidied.get().spec(), left);
  EXPECT_EQ(evaluate(tidied, data).get().correct, evaluate(net, data).get().correct);
  const auto wrong = tasks::reshape(doubled, data, tidy, wide, 0);
  EXPECT_THROW((void)wrong.get(), base::Error);
}

TEST_F(Tasks, CommonPrefixesRunOnce) {
  rt::Config config = sequential();
  config.store = std::make_shared<rt::Store>();
  const rt::Runtime runtime(config);
  const auto before = tasks::datasets_loaded();
  const auto data = tasks::load(data_spec);
  auto first = init();
  auto second = init();
  const auto one = train(first, data, 0, 2);
  const auto two = train(second, data, 0, 2);
  EXPECT_EQ(one.get(), two.get());
  EXPECT_EQ(runtime.summary().tasks, 3U) << runtime.summary().text();  // load, init, train
  nn::Hyper other = hyper;
  other.optimizer.fields["lr"] = 0.02;
  (void)tasks::train(second, data, other, {2, 3}, {}).get();
  (void)train(first, data, 2, 3).get();  // its network was moved on by the other: the store has it
  EXPECT_EQ(runtime.summary().tasks, 5U) << runtime.summary().text();
  EXPECT_FALSE(std::ranges::equal(first.get().bytes(), second.get().bytes()));
  const auto again = tasks::load(data_spec);
  again.get();
  EXPECT_EQ(tasks::datasets_loaded() - before, 1U);
}

TEST_F(Tasks, TheStoreAnswersTheNextProcess) {
  const auto store = std::make_shared<rt::Store>(rt::StoreConfig{.folder = folder / "store"});
  rt::Config config = sequential();
  config.store = store;
  config.worth_keeping = [](double, std::size_t) { return true; };
  std::vector<double> first;
  std::vector<double> second;
  Bytes bytes;
  {
    const rt::Runtime runtime(config);
    bytes = run({2, 4}, &first);
  }
  config.store = std::make_shared<rt::Store>(rt::StoreConfig{.folder = folder / "store"});
  const auto before = tasks::datasets_loaded();
  const rt::Runtime runtime(config);
  EXPECT_EQ(run({2, 4}, &second), bytes);
  EXPECT_EQ(second, first);
  EXPECT_EQ(runtime.summary().tasks, 0U) << runtime.summary().text();
  EXPECT_EQ(tasks::datasets_loaded(), before);
}

TEST_F(Tasks, BitsDoNotDependOnWhoRunsThem) {
  const auto trials = [&] {
    const auto data = tasks::load(data_spec);
    std::vector<rt::Value<nn::Scores>> scores;
    std::vector<rt::Value<nn::ParamSlab>> nets;
    for (int i = 0; i < 12; ++i) {
      nn::Hyper mine = hyper;
      mine.optimizer.fields["lr"] = 0.001 * (1 + i % 6);
      mine.batch = i < 6 ? 16 : 33;
      auto net = init();
      for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
        (void)tasks::train(net, data, mine, {epoch, epoch + 1}, {});
        scores.push_back(evaluate(net, data));
      }
      nets.push_back(net);
    }
    std::vector<double> out;
    for (const auto& score : scores) out.push_back(score.get().loss);
    for (const auto& net : nets) {
      for (const float weight : net.get().weights()) out.push_back(weight);
    }
    return out;
  };
  std::vector<double> expected;
  {
    const rt::Runtime runtime(sequential());
    expected = trials();
  }
  for (const int workers : {1, 2, 4}) {
    std::unique_ptr<rt::Runtime> runtime;
    try {
      runtime = std::make_unique<rt::Runtime>(
          rt::Config{.workers = workers, .executor = rt::Executor::starpu_cpu});
    } catch (const base::Error& error) {
      GTEST_SKIP() << error.what();
    }
    EXPECT_EQ(trials(), expected) << workers << " workers";
  }
}

std::atomic<bool> let_go;
const auto hold = rt::task("hold", 1).cpu([] {
  while (!let_go) std::this_thread::yield();
});

TEST_F(Tasks, NetworksThatDifferInRatesTrainTogetherAndGiveTheSameBits) {
  constexpr int kNets = 6, kRounds = 3;
  const auto trials = [&](int workers) {
    const auto data = tasks::load(data_spec);
    data.get();
    std::vector<rt::Value<nn::ParamSlab>> nets;
    for (int i = 0; i < kNets; ++i) nets.push_back(init());
    for (const auto& net : nets) net.get();
    Bytes out;
    const auto add = [&](std::span<const std::byte> bytes) {
      out.insert(out.end(), bytes.begin(), bytes.end());
    };
    for (int round = 0; round < kRounds; ++round) {
      let_go = workers == 0;
      for (int i = 0; i < workers; ++i) hold().demand();
      std::vector<rt::Value<nn::TrainStats>> stats;
      for (int i = 0; i < kNets; ++i) {
        nn::Hyper own = hyper;
        own.optimizer.fields["lr"] = i == 3 ? 1e30 : 0.002 * (i + 1);
        auto& net = nets[static_cast<std::size_t>(i)];
        stats.push_back(tasks::train(net, data, own, {round, round + 1}, {1e6}));
        stats.back().demand();
      }
      let_go = true;
      for (const auto& one : stats) add(rt::encode(one.get()));
    }
    for (const auto& net : nets) add(net.get().bytes());
    return out;
  };
  Bytes expected;
  {
    const rt::Runtime runtime(sequential());
    expected = trials(0);
    EXPECT_EQ(runtime.summary().packed, 0U);
  }
  for (const int workers : {1, 2, 4}) {
    std::unique_ptr<rt::Runtime> runtime;
    try {
      runtime = std::make_unique<rt::Runtime>(
          rt::Config{.workers = workers, .executor = rt::Executor::starpu_cpu});
    } catch (const base::Error& error) {
      GTEST_SKIP() << error.what();
    }
    // Four have a share of two each, of which an idle one may want the second back: so several
    // times.
    for (int i = 0; i < 20 && (i == 0 || runtime->summary().packed == 0); ++i)
      EXPECT_TRUE(trials(workers) == expected) << workers << " workers";
    EXPECT_GT(runtime->summary().packed, 0U) << workers << " workers";
  }
}

/// Networks that train together read each batch once, so all that decides about a batch must agree.
TEST_F(Tasks, OnlyNetworksWithTheSameBatchesTrainTogether) {
  const rt::Runtime runtime(sequential());
  const auto loaded = tasks::load(data_spec);
  const nn::Dataset& data = loaded.get();
  const nn::ParamSlab net(nn::slab_header(model, hyper.optimizer));
  const auto fit = [&](const nn::Hyper& own, const nn::Segment& segment = {0, 1}) {
    const rt::PackFit fit = tasks::train_fit(net, data, own, segment);
    EXPECT_GT(fit.most, 1);
    return fit.with;
  };
  const std::uint64_t expected = fit(hyper);
  const auto changed = [&](auto change) {
    nn::Hyper own = hyper;
    change(own);
    return fit(own);
  };
  EXPECT_EQ(changed([](nn::Hyper& h) { h.optimizer = {"sgd", {{"lr", 0.1}}}; }), expected);
  EXPECT_EQ(changed([](nn::Hyper& h) { h.clip = 1; }), expected);
  EXPECT_EQ(changed([](nn::Hyper& h) {
              h.lr = nn::schedule_curve({"cosine", {}}, 0.1, 9);
            }),
            expected);
  EXPECT_NE(changed([](nn::Hyper& h) { ++h.shuffle; }), expected);
  EXPECT_NE(changed([](nn::Hyper& h) { h.batch *= 2; }), expected);
  EXPECT_NE(changed([](nn::Hyper& h) { h.loss.fields["smoothing"] = 0.1; }), expected);
  EXPECT_NE(fit(hyper, {0, 2}), expected);
  EXPECT_NE(fit(hyper, {1, 2}), expected);
  data_spec.split.seed = 1;
  const auto other = tasks::load(data_spec);
  EXPECT_NE(tasks::train_fit(net, other.get(), hyper, {0, 1}).with, expected);
}

TEST_F(Tasks, ALatencyIsMeasuredEachTime) {
  rt::Config config = sequential();
  config.store = std::make_shared<rt::Store>();
  const rt::Runtime runtime(config);
  const auto data = tasks::load(data_spec);
  const auto net = init();
  for (int i = 0; i < 2; ++i) {
    const auto tasks_before = runtime.summary().tasks;
    const double seconds = tasks::row_latency(net, data, nn::Part::valid).get();
    EXPECT_GT(seconds, 0);
    EXPECT_LT(seconds, 0.1);
    EXPECT_GT(runtime.summary().tasks, tasks_before);
  }
}

TEST_F(Tasks, ALossThatIsNoNumberIsAResult) {
  const rt::Runtime runtime(sequential());
  hyper.optimizer = {"sgd", {{"lr", 1e30}}};
  const auto data = tasks::load(data_spec);
  auto net = init();
  const nn::TrainStats stats = train(net, data, 0, 3).get();
  EXPECT_TRUE(stats.diverged);
  EXPECT_EQ(runtime.summary().failed, 0U);
}

TEST_F(Tasks, KeysFollowContentNotPlace) {
  const rt::Runtime runtime(sequential());
  nn::DataSpec moved = data_spec;
  moved.path = folder / "elsewhere.csv";
  std::filesystem::copy_file(data_spec.path, moved.path);
  EXPECT_EQ(tasks::load(moved).key(), tasks::load(data_spec).key());
  nn::DataSpec split = data_spec;
  split.split.seed = 1;
  EXPECT_NE(tasks::load(split).key(), tasks::load(data_spec).key());
  std::ofstream(moved.path, std::ios::app) << "1,2,3,no\n";
  EXPECT_NE(tasks::load(moved).key(), tasks::load(data_spec).key());
}

TEST_F(Tasks, SeedsFollowTheStudyAndTheContent) {
  const base::Key content = nn::content_hash(data_spec);
  EXPECT_NE(tasks::derive_seeds(1, content).init, tasks::derive_seeds(2, content).init);
  EXPECT_NE(tasks::derive_seeds(1, content).shuffle, tasks::derive_seeds(2, content).shuffle);
  EXPECT_NE(tasks::derive_seeds(1, content).shuffle, tasks::derive_seeds(1, {1, 2}).shuffle);
}

TEST_F(Tasks, TheLearningRateIsNoPartOfAFreshNetwork) {
  const rt::Runtime runtime(sequential());
  const auto slow = tasks::init(model, {"adam", {{"lr", 0.001}}}, 1);
  EXPECT_EQ(slow.key(), tasks::init(model, {"adam", {{"lr", 0.1}}}, 1).key());
  EXPECT_NE(slow.key(), tasks::init(model, {"adam", {{"lr", 0.001}}}, 2).key());
}

TEST_F(Tasks, ErrorsSayWhoseFaultItIs) {
  const rt::Runtime runtime(sequential());
  const auto kind = [](auto call) {
    try {
      call();
    } catch (const base::Error& error) {
      return std::string(base::errc_name(error.kind()));
    }
    return std::string("none");
  };
  nn::DataSpec spec = data_spec;
  spec.targets = {"missing"};
  EXPECT_EQ(kind([&] {
              const auto bad = tasks::load(spec);
              (void)bad.get();
            }),
            "data");
  spec.kind = nn::DataKind::idx;
  spec.path = folder.path().string();
  EXPECT_EQ(kind([&] { (void)tasks::load(spec); }), "data");
  EXPECT_EQ(kind([&] { (void)tasks::init(model, {"adm", {}}, 1); }), "study");
  const auto data = tasks::load(data_spec);
  auto net = tasks::init(nn::complete(nn_test::mlp(4, {8}, 2)), hyper.optimizer, 1);
  EXPECT_EQ(kind([&] { (void)train(net, data, 0, 1).get(); }), "study");
}

TEST_F(Tasks, ExportWritesAModelThatCanBeReadBack) {
  const rt::Runtime runtime(sequential());
  const auto data = tasks::load(data_spec);
  auto net = init();
  (void)train(net, data, 0, 2);
  const std::string path = folder / "best.safetensors";
  tasks::export_model(net, data, path, {{"trial", "7"}}).get();
  const nn::Model read = nn::read_model(path);
  EXPECT_TRUE(std::ranges::equal(read.net.weights(), net.get().weights()));
  EXPECT_EQ(read.metadata.at("trial"), "7");
  const auto refused = tasks::export_model(net, data, (folder / "none/x.safetensors").string());
  try {
    refused.get();
    ADD_FAILURE() << "written into a folder that is not there";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::storage) << error.what();
  }
}

TEST_F(Tasks, TrainingStartsNoThreadsBesideTheWorkers) {
  constexpr int kWorkers = 2;
  const std::ptrdiff_t before = threads_of_this_process();
  std::unique_ptr<rt::Runtime> runtime;
  try {
    runtime = std::make_unique<rt::Runtime>(
        rt::Config{.workers = kWorkers, .executor = rt::Executor::starpu_cpu});
  } catch (const base::Error& error) {
    GTEST_SKIP() << error.what();
  }
  const std::ptrdiff_t begun = threads_of_this_process();
  EXPECT_LE(begun, before + kWorkers + 1) << "one more watches over those that are idle";
  std::ofstream(data_spec.path) << image_table(200);
  const auto data = tasks::load(data_spec);
  model = nn::complete(nn_test::assorted(8, 2));
  hyper.shards = 4;
  auto net = init();
  (void)train(net, data, 0, 2).get();
  (void)evaluate(net, data).get();
  EXPECT_EQ(threads_of_this_process(), begun);
}

TEST_F(Tasks, ACancelledTrainingStopsAtAStep) {
  std::unique_ptr<rt::Runtime> runtime;
  try {
    runtime = std::make_unique<rt::Runtime>(
        rt::Config{.workers = 1, .executor = rt::Executor::starpu_cpu});
  } catch (const base::Error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto data = tasks::load(data_spec);
  data.get();
  const rt::Group group("trial-1");
  auto net = init();
  rt::Value<nn::TrainStats> stats;
  {
    const auto scope = group.enter();
    stats = train(net, data, 0, 100'000'000);
  }
  stats.demand();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  group.cancel();
  EXPECT_THROW((void)stats.get(), base::Error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace
