#include "nn/network/memory.h"

#include <algorithm>

#include "nn/data/block.h"
#include "nn/training/batch_reader.h"
#include "nn/training/step_plan.h"
#include "nn/training/step_resources.h"
#include "nn/training/train.h"

namespace nn {

// A view without labels counts a number for each output, which is never less than labels take.

std::size_t training_memory(const kern::Kernels<float>& kernels, const ModelSpec& spec,
                            const Hyper& hyper) {
  const int shards = shards_of(hyper, spec, *kernels.memory);
  const Network<float> network(spec, kernels, largest_part(hyper.batch, shards), Use::training);
  return training_arena(network, DataView{}, hyper, shards);
}

std::size_t scoring_memory(const kern::Kernels<float>& kernels, const ModelSpec& spec) {
  const Network<float> network(spec, kernels, evaluate_rows(*kernels.memory, spec), Use::inference);
  return Block::aligned(network.arena_bytes()) +
         Block::aligned(BatchReader<float>(network, DataView{}).target_bytes());
}

std::size_t training_feed(const FeedShape& shape, const Hyper& hyper, std::size_t rows) {
  return TableFeed::bytes_there(shape, std::min(static_cast<std::size_t>(hyper.batch), rows));
}

std::size_t scoring_feed(const kern::Memory& memory, const ModelSpec& spec,
                         const FeedShape& shape) {
  return TableFeed::bytes_there(shape, static_cast<std::size_t>(evaluate_rows(memory, spec)));
}

}  // namespace nn
