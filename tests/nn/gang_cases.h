#pragma once
// A training by the threads of a gang, to be compared with one by one thread.

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernels/kernels.h"
#include "nn/model/init.h"
#include "nn/model/slab.h"
#include "nn/network/workspace.h"
#include "nn/training/gang.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace nn_test {

/// A network, its data and how it is trained.
struct GangCase {
  std::string name;
  nn::ModelSpec spec;
  nn::Hyper hyper;
  Table table;
};

/// Dense and convolutional networks with batch normalization and dropout, batches of so many
/// shards. The last batch of an epoch has fewer rows than shards.
inline std::vector<GangCase> gang_cases(int shards) {
  const int batch = 3 * shards;
  const auto rows = static_cast<std::uint32_t>(3 * batch + shards / 2);
  nn::ModelSpec dropping = mlp(20, {24, 17}, 3);
  dropping.layers.insert(dropping.layers.begin() + 1, {"dropout", "drop", {{"rate", 0.3}}});
  nn::Hyper clipped = hyper("adam", {{"lr", 0.01}}, batch, shards);
  clipped.clip = 0.1;
  return {
      {"mlp", dropping, hyper("sgd", {{"lr", 0.05}, {"momentum", 0.9}}, batch, shards),
       Table(rows, 20, 3)},
      {"normed", normed(36, 33, 10), clipped, Table(rows, 36, 10)},
      {"conv", assorted(3, 10), hyper("lamb", {{"lr", 0.01}}, batch, shards), Table(rows, 36, 10)}};
}

struct Trained {
  nn::ParamSlab net;
  nn::TrainStats stats;
};

/// `seed`: of the first weights, which matter for a member that has them.
inline Trained trained(const GangCase& c, const nn::Segment& segment, nn::GradientSums* gang,
                       const nn::StopPredicate& stop = {}, std::uint64_t seed = 11) {
  kern::prepare_thread();
  Trained result{nn::ParamSlab(nn::slab_header(c.spec, c.hyper.optimizer)), {}};
  nn::init_weights(result.net, seed);
  nn::Workspace workspace;
  result.stats = nn::train_steps(kern::cpu_kernels(), workspace, result.net, c.table.view(),
                                 c.hyper, segment, stop, nullptr, gang);
  return result;
}

/// Trains by as many threads as there are makers, each of which makes the sums of its thread.
/// Rethrows what the first of them threw.
using MakeSums = std::function<std::unique_ptr<nn::GradientSums>()>;
inline std::vector<Trained> trained_by_gang(const GangCase& c, const nn::Segment& segment,
                                            const std::vector<MakeSums>& makers) {
  std::vector<std::unique_ptr<Trained>> results(makers.size());
  std::vector<std::exception_ptr> failures(makers.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < makers.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        const auto sums = makers[i]();
        results[i] = std::make_unique<Trained>(trained(c, segment, sums.get()));
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<Trained> all;
  for (std::size_t i = 0; i < makers.size(); ++i) {
    if (failures[i]) std::rethrow_exception(failures[i]);
    all.push_back(std::move(*results[i]));
  }
  return all;
}

}  // namespace nn_test
