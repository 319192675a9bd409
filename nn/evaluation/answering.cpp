#include "nn/evaluation/answering.h"

#include <array>
#include <numeric>

#include "nn/data/block.h"

namespace nn {

Target read_chunk(const Answering& a, const BatchReader<float>& reader, int chunk, std::byte* arena,
                  std::byte* targets) {
  const std::span<const std::uint32_t> rows = a.rows_of(chunk);
  if (a.feed == nullptr) return reader.read(arena, targets, rows);
  std::array<std::uint32_t, kEvaluateRowsOnDevice> places;
  std::iota(places.begin(), places.end(), 0U);
  const Target target =
      reader.read(arena, targets, a.feed->take(), std::span(places).first(rows.size()));
  a.feed->give_back();
  return target;
}

std::unique_ptr<TableFeed> feed_for(const Answering& a, Workspace& workspace) {
  const kern::Memory& memory = *a.kernels.memory;
  if (!is_fed(memory, a.data) || a.chunks() == 0) return nullptr;
  const Network<float>& network = a.network(workspace);
  const std::size_t own = Block::aligned(network.arena_bytes()) +
                          Block::aligned(BatchReader<float>(network, a.data).target_bytes());
  const FeedShape shape = feed_shape(a.data);
  std::byte* const there =
      workspace.arena(own + TableFeed::bytes_there(shape, a.some()), memory) + own;
  auto feed = std::make_unique<TableFeed>(
      memory, a.data, a.some(), there,
      workspace.arena(TableFeed::bytes_staged(shape, a.some()), *kern::feed_of(memory).staging));
  feed->ask(a.rows_of(0));
  return feed;
}

}  // namespace nn
