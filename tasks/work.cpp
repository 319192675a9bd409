#include "tasks/work.h"

#include <algorithm>

#include "kernels/device.h"
#include "nn/model/layout.h"
#include "nn/network/memory.h"
#include "nn/reshape/statistics.h"

namespace tasks {

namespace {

constexpr double kFloat = 4;  // bytes

double bytes_of_row(const nn::FeedShape& shape) {
  return static_cast<double>(shape.features + shape.target);
}

}  // namespace

NetworkWork network_work_of(const nn::ModelSpec& spec) {
  NetworkWork work;
  const nn::Flops flops = nn::flops_per_row(spec);
  work.forward = static_cast<double>(flops.forward);
  work.training = static_cast<double>(flops.training);
  work.weights = kFloat * static_cast<double>(nn::weight_count(spec));
  for (const nn::ParamTensor& tensor : nn::param_layout(spec).tensors)
    work.products += tensor.role == nn::ParamRole::weight ? 1 : 0;
  work.passes = std::max(0.0, static_cast<double>(spec.layers.size()) - work.products);
  for (const nn::Shape& shape : nn::infer_shapes(spec))
    work.activations += kFloat * static_cast<double>(shape.elements());
  return work;
}

rt::Work step_work(const nn::ModelSpec& spec, const nn::Hyper& hyper) {
  const NetworkWork network = network_work_of(spec);
  const double shards = nn::shards_of(hyper, spec);
  const double slots = nn::optimizer_slots(hyper.optimizer);
  const double batch = hyper.batch;
  rt::Work work;
  work.flops = network.training * batch;
  work.launches = shards * (3 * network.products + 2 * network.passes) + 2;
  work.bytes = network.weights * (2 * shards + 3 + 2 * slots) + 4 * network.activations * batch;
  work.memory = nn::training_memory(kern::device_plans(), spec, hyper);
  return work;
}

rt::Work training_work(const nn::ModelSpec& spec, const nn::Hyper& hyper,
                       const nn::Segment& segment, std::uint64_t rows, const nn::FeedShape& shape) {
  const rt::Work step = step_work(spec, hyper);
  const auto all = static_cast<std::int64_t>(rows);
  const auto steps = static_cast<double>(nn::steps_in(segment, all, hyper.batch));
  const auto visited = static_cast<double>(nn::rows_in(segment, all, hyper.batch));
  return {.flops = network_work_of(spec).training * visited,
          .bytes = step.bytes * steps,
          .launches = step.launches * steps,
          .memory = step.memory,
          .streaming = rt::Streaming{.parameter = kTableParameter,
                                     .memory = nn::training_feed(shape, hyper, rows),
                                     .bytes = bytes_of_row(shape) * visited}};
}

rt::Work scoring_work(const nn::ModelSpec& spec, std::uint64_t rows, const nn::FeedShape& shape) {
  const NetworkWork network = network_work_of(spec);
  const kern::Memory& device = *kern::device_plans().memory;
  const double chunk = nn::evaluate_rows(device, spec);
  const double all = static_cast<double>(rows);
  const double chunks = (all + chunk - 1) / chunk;
  return {.flops = network.forward * all,
          .bytes = network.weights * chunks + 2 * network.activations * all,
          .launches = (network.products + network.passes) * chunks,
          .memory = nn::scoring_memory(kern::device_plans(), spec),
          .streaming = rt::Streaming{.parameter = kTableParameter,
                                     .memory = nn::scoring_feed(device, spec, shape),
                                     .bytes = bytes_of_row(shape) * all}};
}

rt::Work reshaping_work(const nn::ModelSpec& spec, const nn::Operation& operation,
                        std::uint64_t rows, const nn::FeedShape& shape) {
  const nn::ModelSpec after = nn::reshaped(spec, operation);
  const double from = network_work_of(spec).weights, to = network_work_of(after).weights;
  const std::uint64_t seen =
      nn::needs_data(operation) ? std::min<std::uint64_t>(rows, nn::kCalibrationRows) : 0;
  return {.flops = static_cast<double>(nn::reshape_flops(spec, operation, rows)),
          .bytes = 3 * (from + to),
          .launches = static_cast<double>(after.layers.size()),
          .memory = nn::reshaping_memory(kern::device_plans(), spec, operation),
          .streaming = rt::Streaming{
              .parameter = kTableParameter,
              .memory = seen == 0 ? 0 : nn::scoring_feed(*kern::device_plans().memory, spec, shape),
              .bytes = bytes_of_row(shape) * static_cast<double>(seen)}};
}

rt::Work norms_work(const nn::ModelSpec& spec) {
  const NetworkWork network = network_work_of(spec);
  return {.flops = 0, .bytes = network.weights, .launches = network.products, .memory = 0};
}

rt::Work statistics_work(const nn::ModelSpec& spec, std::uint64_t rows,
                         const nn::FeedShape& shape) {
  const NetworkWork network = network_work_of(spec);
  const auto seen = std::min<std::uint64_t>(rows, nn::kStatisticsRows);
  const auto passes = 1 + 2 * static_cast<double>(nn::resizable_layers(spec).size());
  return {.flops = static_cast<double>(nn::unit_statistics_flops(spec, rows)),
          .bytes = passes * network.weights,
          .launches = passes * (network.products + network.passes),
          .memory = nn::unit_statistics_memory(kern::device_plans(), spec),
          .streaming =
              rt::Streaming{.parameter = kTableParameter,
                            .memory = nn::scoring_feed(*kern::device_plans().memory, spec, shape),
                            .bytes = passes * bytes_of_row(shape) * static_cast<double>(seen)}};
}

}  // namespace tasks
