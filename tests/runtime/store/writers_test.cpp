// The trace and graph writers: exact small files, and hostile names.
#include <gtest/gtest.h>

#include <string>

#include "runtime/graph.h"
#include "runtime/trace.h"
#include "tests/support/temp_folder.h"

namespace {

base::Moment g_now{};
base::Moment fake_now() noexcept { return g_now; }
void fake_sleep(base::Duration) {}

/// A clock that stands still, so that the trace starts at 0.
class FakeClock {
 public:
  FakeClock() { base::install_clock({fake_now, fake_sleep}); }
  ~FakeClock() { base::install_clock(base::machine_clock()); }
};

rt::Span span(unsigned lane, std::int64_t start, std::int64_t end, std::string name) {
  return {lane, rt::SpanKind::task, {start}, {end}, std::move(name), "", {}};
}

TEST(Trace, ChromeJson) {
  const FakeClock clock;
  rt::Trace trace;
  const unsigned cpu0 = trace.add_lane("cpu 0");
  trace.add({cpu0, rt::SpanKind::task, {1500}, {4000}, "train", "trial-7", {{"key", "ab\"c"}}});
  trace.add({cpu0, rt::SpanKind::waiting, {4000}, {5001}, "idle", "", {}});
  EXPECT_EQ(trace.chrome_json(),
            R"({"displayTimeUnit": "ms", "otherData": {"dropped_spans": "0"}, "traceEvents": [
{"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "trellis"}},
{"name": "thread_name", "ph": "M", "pid": 1, "tid": 0, "args": {"name": "cpu 0"}},
{"name": "thread_sort_index", "ph": "M", "pid": 1, "tid": 0, "args": {"sort_index": 0}},
{"name": "train", "cat": "task", "ph": "X", "ts": 1.500, "dur": 2.500, "pid": 1, "tid": 0, )"
            R"("args": {"group": "trial-7", "key": "ab\"c"}},
{"name": "idle", "cat": "waiting", "ph": "X", "ts": 4.000, "dur": 1.001, "pid": 1, "tid": 0, )"
            R"("args": {}}
]}
)");
}

TEST(Trace, PajeIsOneListInTimeOrder) {
  const FakeClock clock;
  rt::Trace trace;
  const unsigned a = trace.add_lane("cpu 0"), b = trace.add_lane("cpu \"1\"");
  trace.add(span(b, 2000, 3000, "second"));
  trace.add(span(a, 1000, 2000, "first"));
  trace.add(span(a, 2000, 2000, "instant"));
  const std::string paje = trace.paje();
  EXPECT_EQ(
      paje.substr(paje.find("1 P 0")),
      "1 P 0 \"Process\"\n1 W P \"Worker\"\n2 S W \"State\"\n"
      "3 v0 S \"first\" \"0.3 0.6 0.85\"\n3 v1 S \"instant\" \"0.95 0.6 0.25\"\n3 v2 S \"second\" "
      "\"0.4 0.75 0.4\"\n"
      "4 0.000000000 p P 0 \"trellis\"\n4 0.000000000 w0 W p \"cpu 0\"\n4 0.000000000 w1 W p \"cpu "
      "'1'\"\n"
      "6 0.000001000 S w0 v0\n7 0.000002000 S w0\n6 0.000002000 S w1 v2\n6 0.000002000 S w0 v1\n"
      "7 0.000002001 S w0\n7 0.000003000 S w1\n"
      "5 0.000003000 w0 W\n5 0.000003000 w1 W\n5 0.000003000 p P\n");
}

TEST(Trace, SpansOfALaneNeverOverlapPartly) {
  const FakeClock clock;
  rt::Trace trace;
  const unsigned a = trace.add_lane("cpu 0"), b = trace.add_lane("cpu 1");
  trace.add(span(a, 0, 5000, "late"));
  trace.add(span(a, 3000, 9000, "task"));
  trace.add(span(a, 4000, 5000, "inner"));
  trace.add(span(b, 0, 6000, "other"));
  const std::string json = trace.chrome_json(), paje = trace.paje();
  EXPECT_NE(json.find(R"("ts": 0.000, "dur": 3.000, "pid": 1, "tid": 0)"), std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("ts": 3.000, "dur": 6.000)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("ts": 4.000, "dur": 1.000)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("ts": 0.000, "dur": 6.000, "pid": 1, "tid": 1)"), std::string::npos)
      << json;
  EXPECT_NE(paje.find("7 0.000003000 S w0\n6 0.000003000 S w0 v"), std::string::npos) << paje;
}

TEST(Trace, BeyondItsLimitItCounts) {
  rt::Trace trace(2);
  const unsigned lane = trace.add_lane("cpu 0");
  for (int i = 0; i < 5; ++i) trace.add(span(lane, i, i + 1, "t"));
  EXPECT_EQ(trace.size(), 2u);
  EXPECT_NE(trace.chrome_json().find("\"dropped_spans\": \"3\""), std::string::npos);
}

TEST(Graph, DotWithNestedBoxes) {
  rt::Graph graph;
  const auto trial = graph.add_box("trial-7");
  const auto rung = graph.add_box("rung \"1\"", trial);
  const auto load = graph.add_node("load");
  const auto train = graph.add_node("train", rung);
  const auto evaluate = graph.add_node("evaluate", trial);
  graph.add_edge(load, train, "data");
  graph.add_edge(train, evaluate);
  graph.add_edge(train, evaluate);
  graph.set_state(load, rt::NodeState::stored);
  graph.set_state(train, rt::NodeState::done);
  EXPECT_EQ(graph.dot(),
            R"(digraph tasks {
  rankdir=TB;
  node [shape=box, style="filled,rounded", fontname="sans-serif"];
  t0 [label="load", fillcolor=lightblue, tooltip="stored"];
  subgraph cluster_1 {
    label="trial-7";
    t2 [label="evaluate", fillcolor=white, tooltip="waiting"];
    subgraph cluster_2 {
      label="rung \"1\"";
      t1 [label="train", fillcolor=palegreen, tooltip="done"];
    }
  }
  t0 -> t1 [label="data"];
  t1 -> t2;
}
)");
}

TEST(Graph, BeyondItsLimitItCountsAndDropsEdges) {
  rt::Graph graph(2);
  for (int i = 0; i < 4; ++i) graph.add_node("n");
  graph.add_edge(0, 3);
  graph.set_state(3, rt::NodeState::failed);
  const std::string dot = graph.dot();
  EXPECT_NE(dot.find("2 more tasks"), std::string::npos);
  EXPECT_EQ(dot.find("->"), std::string::npos);
}

TEST(Graph, WritesAFile) {
  const support::TempFolder t;
  rt::Graph graph;
  graph.add_node("a\\b\nc");
  graph.write_dot(t / "graph.dot");
  EXPECT_EQ(base::read_file(t / "graph.dot"), graph.dot());
  EXPECT_NE(graph.dot().find(R"(label="a\\b\\nc")"), std::string::npos);
}

}  // namespace
