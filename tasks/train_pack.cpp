#include "tasks/train_pack.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "kernels/kernels.h"
#include "nn/data/feed.h"
#include "nn/training/pack.h"
#include "runtime/codec.h"

namespace tasks {

namespace {

/// Reading a batch once is worth taking turns where it is not next to nothing beside the products,
/// and where the networks fit a core's caches together (`trellis bench packs`).
int most_together(const nn::ParamSlab& net, std::uint64_t features) {
  constexpr std::uint64_t kTogether = 2 << 20, kMost = 8;  // bytes; networks
  constexpr double kLeastShare = 1.0 / 150;                // numbers read for a multiply-add
  const std::uint64_t bytes = net.bytes().size();
  const double products = static_cast<double>(nn::flops_per_row(net.spec()).training) / 2;
  if (static_cast<double>(features) < kLeastShare * products) return 1;
  return static_cast<int>(std::min(kMost, kTogether / bytes));
}

}  // namespace

rt::PackFit train_fit(const nn::ParamSlab& net, const nn::Dataset& data, const nn::Hyper& hyper,
                      const nn::Segment& segment) {
  if (!nn::can_share_batches(net.header(), hyper)) return {};
  const int most = most_together(net, nn::feed_shape(data.header()).features);
  if (most < 2) return {};
  nn::Hyper shared = hyper;
  shared.optimizer = {};
  shared.lr = {};
  shared.clip = 0;
  const base::Key alike = base::Hasher()
                              .add(rt::encode(net.spec()))
                              .add(rt::encode(shared))
                              .add(rt::encode(segment))
                              .add(reinterpret_cast<std::uintptr_t>(&data))
                              .finish();
  return {.with = alike.lo, .most = most};
}

void train_together(rt::Context& context, rt::Pack<TrainCall>& calls,
                    void (*trained)(const nn::Segment&)) {
  std::vector<nn::PackNet> nets(static_cast<std::size_t>(calls.size()));
  const nn::Dataset* table = nullptr;
  const nn::Segment* all = nullptr;
  for (int i = 0; i < calls.size(); ++i) {
    nn::PackNet& one = nets[static_cast<std::size_t>(i)];
    calls.arguments(i, [&](rt::inout<nn::ParamSlab> net, rt::in<nn::Dataset> data,
                           const nn::Hyper& hyper, const nn::Segment& segment, double) {
      one.net = &*net;
      one.hyper = &hyper;
      table = &*data;
      all = &segment;
    });
    if (calls.progress(i).has_value()) one.tally = std::any_cast<nn::Tally>(calls.progress(i));
    one.next = [&calls, i] {
      if (calls.stop_requested(i)) return nn::PackWord::stop;
      return calls.is_wanted(i) ? nn::PackWord::leave : nn::PackWord::go_on;
    };
    one.left = [&calls, i](const nn::Tally& tally) { calls.give_back(i, tally); };
    one.ended = [&, i](const nn::TrainStats& stats) {
      if (!stats.stopped) {
        trained(*all);
        return calls.finish(i, stats);
      }
      calls.fail(i,
                 std::make_exception_ptr(base::Error(base::Errc::cancelled, "stopped on request")));
    };
  }
  nn::train_pack(kern::cpu_kernels(nets[0].hyper->precision), context.local<nn::Workspace>(),
                 table->view(nn::Part::train), *all, nets);
}

}  // namespace tasks
