#include <tbb/flow_graph.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <deque>

#include "bench/rival_tasks.h"

namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

void run_independent(const RivalTasks& what) {
  tbb::task_group group;
  for (int i = 0; i < what.tasks; ++i)
    group.run([&what] { bench::compute_for(what.microseconds); });
  group.wait();
}

void run_chains(const RivalTasks& what) {
  tbb::flow::graph graph;
  std::deque<Node> nodes;
  for (int i = 0; i < what.tasks; ++i) {
    nodes.emplace_back(graph, [&what](const tbb::flow::continue_msg&) {
      bench::compute_for(what.microseconds);
      return tbb::flow::continue_msg();
    });
    if (i >= what.chains)
      tbb::flow::make_edge(nodes[static_cast<std::size_t>(i - what.chains)], nodes.back());
  }
  for (int i = 0; i < what.chains && i < what.tasks; ++i)
    nodes[static_cast<std::size_t>(i)].try_put(tbb::flow::continue_msg());
  graph.wait_for_all();
}

}  // namespace

extern "C" double trellis_raw_tbb(const RivalTasks& what) {
  tbb::task_arena arena(what.workers);
  arena.initialize();
  const auto start = std::chrono::steady_clock::now();
  arena.execute([&what] { what.chains == 0 ? run_independent(what) : run_chains(what); });
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
