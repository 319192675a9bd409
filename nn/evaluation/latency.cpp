#include "nn/evaluation/latency.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "nn/data/block.h"
#include "nn/evaluation/answering.h"
#include "nn/network/brought_here.h"

namespace nn {
namespace {

/// A network that answers a row a time.
class OneByOne {
 public:
  OneByOne(const Answering& rows, Workspace& workspace)
      : rows_(rows),
        feed_(feed_for(rows_, workspace)),
        network_(rows_.network(workspace)),
        reader_(network_, rows_.data) {
    rows_.feed = feed_.get();
    const std::size_t pass = Block::aligned(network_.arena_bytes());
    arena_ = workspace.arena(pass + reader_.target_bytes(), *rows_.kernels.memory);
    targets_ = arena_ + pass;
  }

  /// Answers the next row; the seconds that this took.
  double next(const Clock& clock) {
    if (feed_ != nullptr && answered_ > 0) feed_->ask(rows_.rows_of(row()));
    (void)read_chunk(rows_, reader_, row(), arena_, targets_);
    ++answered_;
    // Kernels run later than they are called: what is copied has been read.
    float there = 0;
    rows_.kernels.memory->get(&there, network_.input(arena_), sizeof(there));
    const double begun = clock();
    const float* y = network_.forward(arena_, rows_.net.weights().data(), 1);
    (void)brought_here(*rows_.kernels.memory, y, static_cast<std::size_t>(network_.outputs()),
                       answer_);
    return clock() - begun;
  }

 private:
  [[nodiscard]] int row() const { return answered_ % rows_.chunks(); }

  Answering rows_;
  std::unique_ptr<TableFeed> feed_;
  const Network<float>& network_;
  BatchReader<float> reader_;
  std::byte* arena_;
  std::byte* targets_;
  std::vector<float> answer_;
  int answered_ = 0;
};

/// Seconds of some forwards, at most `most` of them and no longer than `seconds`, but at least
/// `fewest`.
std::vector<double> timed(OneByOne& network, const Clock& clock, int fewest, int most,
                          double seconds) {
  std::vector<double> took;
  const double begun = clock();
  do {
    took.push_back(network.next(clock));
  } while (static_cast<int>(took.size()) < fewest ||
           (static_cast<int>(took.size()) < most && clock() - begun < seconds));
  return took;
}

}  // namespace

double row_latency(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& net,
                   const DataView& data, const Clock& clock) {
  check_input(net.spec(), data);
  if (data.rows.empty()) return 0;
  OneByOne network({kernels, net, data, 1}, workspace);
  (void)timed(network, clock, 1, kMostTimed / 10, kTimedFor / 10);
  std::vector<double> took = timed(network, clock, kFewestTimed, kMostTimed, kTimedFor);
  const auto middle = took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2);
  std::ranges::nth_element(took, middle);
  return *middle;
}

}  // namespace nn
