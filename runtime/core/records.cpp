// What is written down for the graph's picture, the trace and the log of misses, when they are
// asked for.
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "runtime/core/engine.h"

namespace rt::detail {

namespace {

/// The node's key, and those under which a store has its results.
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

void Engine::record_call(Node* node) {
  const GroupState* group = node->group;
  const Graph::Node number =
      graph->add_node(node->info->name, group != nullptr ? group->box : Graph::kNoBox);
  node->number = number;
  for (const Input& input : node->all_inputs()) {
    if (input.version->producer != nullptr)
      graph->add_edge(input.version->producer->number, number);
  }
}

void Engine::record_stored(Node* node) {
  if (graph) graph->set_state(node->number, NodeState::stored);
  if (!trace) return;
  Span span;
  span.lane = workers.back()->lane;
  span.kind = SpanKind::stored;
  span.start = span.end = base::now();
  span.name = node->info->name;
  if (node->group != nullptr) span.group = node->group->path();
  add_keys(span, *node);
  trace->add(std::move(span));
}

void Engine::record_miss(const Version& version) const {
  const std::string line = base::cat(version.producer->info->name, ' ', version.key.hex(), '\n');
  // By one call, so that lines of several processes do not mix.
  [[maybe_unused]] const ssize_t ignored = ::write(miss_log_.fd(), line.data(), line.size());
}

void Engine::record_run(const Node& node, base::Moment start, base::Moment end, int attempt,
                        unsigned lane, bool good, std::size_t pack) {
  if (graph && good) graph->set_state(node.number, NodeState::done);
  if (!trace) return;
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
  trace->add(std::move(span));
}

void Engine::write_records() noexcept {
  try {
    if (graph) graph->write_dot(config.graph_file);
    if (trace && !config.trace_file.empty()) trace->write_chrome(config.trace_file);
    if (trace && !config.paje_file.empty()) trace->write_paje(config.paje_file);
  } catch (const std::exception& e) {
    base::warn(e.what());
  }
}

}  // namespace rt::detail
