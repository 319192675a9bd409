#pragma once
// A network and the rows that it is to answer, in chunks: what evaluating and timing share.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "nn/data/feed.h"
#include "nn/model/slab.h"
#include "nn/training/batch_reader.h"
#include "nn/training/train.h"

namespace nn {

/// Everything referred to outlives this.
struct Answering {
  const kern::Kernels<float>& kernels;
  const ParamSlab& net;
  const DataView& data;
  int chunk_rows = evaluate_rows(*kernels.memory, net.spec());
  TableFeed* feed = nullptr;  ///< where rows come from; null: from `data`

  [[nodiscard]] std::size_t some() const { return static_cast<std::size_t>(chunk_rows); }
  [[nodiscard]] std::size_t first_row(int chunk) const {
    return static_cast<std::size_t>(chunk) * some();
  }
  [[nodiscard]] const Network<float>& network(Workspace& workspace) const {
    return workspace.network(net.spec(), kernels, chunk_rows, Use::inference);
  }
  [[nodiscard]] std::span<const std::uint32_t> rows_of(int chunk) const {
    const std::size_t begin = first_row(chunk);
    return data.rows.subspan(begin, std::min(some(), data.rows.size() - begin));
  }
  [[nodiscard]] int chunks() const {
    return static_cast<int>((data.rows.size() + some() - 1) / some());
  }
};

/// The rows of a chunk where the network reads them; a feed was asked for them.
Target read_chunk(const Answering& a, const BatchReader<float>& reader, int chunk, std::byte* arena,
                  std::byte* targets);

/// A feed in the workspace's memory, behind what chunks are answered in, which was asked for the
/// first chunk; null where kernels see the table without one.
[[nodiscard]] std::unique_ptr<TableFeed> feed_for(const Answering& a, Workspace& workspace);

}  // namespace nn
