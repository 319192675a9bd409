#include "runtime/core/records.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "runtime/core/group_state.h"

namespace rt::inline v0::detail {

namespace {

/// TRELLIS_MISS_LOG=FILE names there the results that are asked for and not kept, just before
/// anything is done to compute them: tests follow with it what a run is at, and kill it there.
base::File open_miss_log() {
  const char* path = std::getenv("TRELLIS_MISS_LOG");
  if (path == nullptr) return base::File();
  return base::File(::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
}

/// Adds the node's key, and those under which a store has its results.
void add_keys(Span& span, const Node& node) {
  span.details.emplace_back("key", node.key.hex());
  std::string results;
  for (const Output& output : node.all_outputs()) {
    if (output.version->gather != Gather::no) continue;
    results += (results.empty() ? "" : " ") + output.version->key.hex();
  }
  if (!results.empty()) span.details.emplace_back("results", std::move(results));
}

}  // namespace

Records::Records(const Config& config) : config_(config), miss_log_(open_miss_log()) {
  if (!config.graph_file.empty()) graph_ = std::make_unique<Graph>();
  if (!config.trace_file.empty() || !config.paje_file.empty()) trace_ = std::make_unique<Trace>();
}

unsigned Records::add_lane(std::string name) {
  return trace_ ? trace_->add_lane(std::move(name)) : 0;
}

unsigned Records::add_driver_lane() { return driver_lane_ = add_lane("driver"); }

Graph::Box Records::add_group(std::string_view name, Graph::Box inside) {
  return graph_ ? graph_->add_box(std::string(name), inside) : Graph::kNoBox;
}

void Records::add_call(Node& node) {
  const GroupState* group = node.group;
  node.number = graph_->add_node(node.info->name, group != nullptr ? group->box : Graph::kNoBox);
  for (const Input& input : node.all_inputs()) {
    if (input.version->producer != nullptr)
      graph_->add_edge(input.version->producer->number, node.number);
  }
}

void Records::stored(const Node& node) {
  if (graph_) graph_->set_state(node.number, NodeState::stored);
  if (!trace_) return;
  Span span;
  span.lane = driver_lane_;
  span.kind = SpanKind::stored;
  span.start = span.end = base::now();
  span.name = node.info->name;
  if (node.group != nullptr) span.group = node.group->path();
  add_keys(span, node);
  trace_->add(std::move(span));
}

void Records::add_miss(const Version& version) const {
  const std::string line = base::cat(version.producer->info->name, ' ', version.key.hex(), '\n');
  // By one call, so that lines of several processes do not mix.
  [[maybe_unused]] const ssize_t ignored = ::write(miss_log_.fd(), line.data(), line.size());
}

void Records::run(const Node& node, base::Moment start, base::Moment end, int attempt,
                  unsigned lane, bool good, std::size_t pack) {
  if (graph_ && good) graph_->set_state(node.number, NodeState::done);
  if (!trace_) return;
  Span span;
  span.lane = lane;
  span.start = start;
  span.end = end;
  span.name = node.info->name;
  if (node.group != nullptr) span.group = node.group->path();
  if (node.keyed) add_keys(span, node);
  if (attempt > 1) span.details.emplace_back("attempt", std::to_string(attempt));
  if (pack > 0) span.details.emplace_back("pack", std::to_string(pack));
  if (!good) span.details.emplace_back("failed", "true");
  trace_->add(std::move(span));
}

void Records::no_result(const Node& node, Stage stage) {
  if (graph_)
    graph_->set_state(node.number,
                      stage == Stage::failed ? NodeState::failed : NodeState::cancelled);
}

void Records::write() noexcept {
  try {
    if (graph_) graph_->write_dot(config_.graph_file);
    if (trace_ && !config_.trace_file.empty()) trace_->write_chrome(config_.trace_file);
    if (trace_ && !config_.paje_file.empty()) trace_->write_paje(config_.paje_file);
  } catch (const std::exception& e) {
    base::warn(e.what());
  }
}

}  // namespace rt::inline v0::detail
