#include "nn/training/train_checks.h"

#include <string>

#include "base/error.h"
#include "nn/losses/loss.h"
#include "nn/optimizers/stale.h"
#include "nn/training/augment.h"
#include "nn/training/batch_reader.h"
#include "nn/training/trainer.h"

namespace nn {
namespace {

void check_segment(const Segment& segment) {
  if (segment.per_epoch < 1 || segment.from < 0 || segment.to < segment.from) {
    throw base::Error(base::Errc::internal, "a segment from " + std::to_string(segment.from) +
                                                " to " + std::to_string(segment.to) + " of 1/" +
                                                std::to_string(segment.per_epoch) +
                                                " epochs is none");
  }
}

void check_slab(const ParamSlab& net, const Hyper& hyper) {
  if (net.header().optimizer != hyper.optimizer.kind ||
      net.header().slots != optimizer_slots(hyper.optimizer)) {
    throw base::Error(base::Errc::study, "the network's state is for optimizer " +
                                             net.header().optimizer + " with " +
                                             std::to_string(net.header().slots) +
                                             " slots, not for " + hyper.optimizer.kind + " with " +
                                             std::to_string(optimizer_slots(hyper.optimizer)));
  }
}

void check_thread() {
  if (!kern::is_prepared_thread())
    throw base::Error(
        base::Errc::internal,
        "a thread trains that does not flush denormals, expected kern::prepare_thread() "
        "on it before, as tasks::setup_process() has it called on every worker");
}

void check_precision(const kern::Kernels<float>& kernels, const Hyper& hyper) {
  if (kernels.precision == hyper.precision) return;
  throw base::Error(base::Errc::study, "the kernels round operands of products to " +
                                           std::string(kern::precision_name(kernels.precision)) +
                                           ", the training is for " +
                                           std::string(kern::precision_name(hyper.precision)));
}

/// Replicas meet at the ends of epochs alone.
void check_staleness(const Hyper& hyper, const Segment& segment) {
  const bool whole = segment.from % segment.per_epoch == 0 && segment.to % segment.per_epoch == 0;
  if (whole || !staleness_of(hyper.optimizer)) return;
  throw base::Error(base::Errc::study,
                    "a training with staleness has no part of an epoch; let the study count in "
                    "epochs");
}

void check_images(const DataView& data, const Hyper& hyper) {
  if (moves(hyper.augment) && !data.shape.is_image())
    throw base::Error(base::Errc::study,
                      "only images can be moved, not rows of " + data.shape.text() + " features");
}

}  // namespace

void check_training(const kern::Kernels<float>& kernels, const ParamSlab& net, const Hyper& hyper,
                    const Segment& segment) {
  check_slab(net, hyper);
  check_segment(segment);
  check_staleness(hyper, segment);
  check_precision(kernels, hyper);
  check_thread();
}

void check_gang(const kern::Memory& memory, const Hyper& hyper, GradientSums::Shards own) {
  const auto refuse = [](const std::string& why) {
    throw base::Error(base::Errc::study, "several processes can't train it together: " + why);
  };
  if (!memory.own) refuse("it is trained on a GPU");
  if (staleness_of(hyper.optimizer))
    refuse("train.staleness lets replicas part, which a step of all does not");
  if (own.size() > kShardsSideBySide)
    refuse("one has " + std::to_string(own.size()) + " shards of a batch, expected at most " +
           std::to_string(kShardsSideBySide) + "; take more processes or fewer train.shards");
}

void check_pipeline(const kern::Memory& memory, const Hyper& hyper, const ModelSpec& spec,
                    int stages) {
  const auto refuse = [&](const std::string& why) {
    throw base::Error(base::Errc::study,
                      "it can't be trained in " + std::to_string(stages) + " stages: " + why);
  };
  if (!memory.own) refuse("it is trained on a GPU");
  if (shards_of(hyper, spec, memory) < 2)
    refuse(
        "stages work on different shards of a batch, and a batch has 1; expected train.shards of "
        "several times the stages");
  const std::size_t most = stages_of(spec, stages).size();
  if (most < static_cast<std::size_t>(stages))
    refuse("only " + std::to_string(most) +
           " of its layers multiply, expected at most as many "
           "stages");
}

void check_data(const Network<float>& network, const DataView& data, const Hyper& hyper) {
  check_fit(network, data, loss_of(hyper.loss.kind));
  check_images(data, hyper);
}

}  // namespace nn
