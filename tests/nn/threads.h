#pragma once
// Threads that a test lends to a training.

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "kernels/kernels.h"
#include "nn/training/parallel.h"

namespace nn_test {

/// Lends threads: parts run in any order, each with the workspace of its thread.
class Threads final : public nn::Parallel {
 public:
  Threads(nn::Workspace& own, int threads) : own_(own), others_(std::size_t(threads - 1)) {}
  void run(int parts, Body body, void* object) override {
    std::atomic<int> next{0};
    const auto work = [&](nn::Workspace& workspace) {
      kern::prepare_thread();
      for (int part; (part = next.fetch_add(1)) < parts;) body(object, part, workspace);
    };
    std::vector<std::thread> threads;
    for (nn::Workspace& workspace : others_) threads.emplace_back([&] { work(workspace); });
    work(own_);
    for (std::thread& thread : threads) thread.join();
  }

 private:
  nn::Workspace& own_;
  std::vector<nn::Workspace> others_;
};

}  // namespace nn_test
