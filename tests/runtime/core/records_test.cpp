// The graph's picture, the trace, the summary.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/runtime/core/support.h"

namespace {

using testing_rt::RuntimeTest;

const auto make = rt::task("make").cpu([] { return 2.0; });
const auto add = rt::task("add").cpu([](rt::in<double> a, rt::in<double> b) { return *a + *b; });
const auto burst = rt::task("burst").cpu([](rt::in<double>) { throw std::runtime_error("burst"); });

std::string content(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class Records : public RuntimeTest {
 protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "trellis-records-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    rt::Config c = testing_rt::config();
    c.graph_file = folder / "graph.dot";
    c.trace_file = folder / "trace.json";
    c.paje_file = folder / "trace.paje";
    start(c);
  }
  void TearDown() override {
    runtime.reset();
    std::filesystem::remove_all(folder);
  }
  std::filesystem::path folder;
};

TEST_F(Records, GraphAndTraceAreWrittenAtTheEnd) {
  {
    rt::Group group("trial-7");
    const auto scope = group.enter();
    const rt::Value<double> sum = add(make(), make());
    burst(sum);
    (void)sum.get();
  }
  rt::wait_all();
  runtime.reset();
  const std::string graph = content(folder / "graph.dot");
  EXPECT_NE(graph.find("trial-7"), std::string::npos) << graph;
  EXPECT_NE(graph.find("t0 -> t2"), std::string::npos) << graph;
  EXPECT_NE(graph.find("t1 -> t2"), std::string::npos) << graph;
  EXPECT_NE(graph.find("failed"), std::string::npos) << graph;
  const std::string trace = content(folder / "trace.json");
  EXPECT_NE(trace.find("\"add\""), std::string::npos);
  EXPECT_NE(trace.find("trial-7"), std::string::npos);
  EXPECT_NE(trace.find("cpu 0"), std::string::npos);
  EXPECT_NE(trace.find("\"idle: "), std::string::npos) << trace;
  EXPECT_NE(content(folder / "trace.paje").find("burst"), std::string::npos);
}

TEST_F(Records, MissesAreNamedBeforeTheyAreComputed) {
  static std::filesystem::path log;
  static std::string begun;
  log = folder / "misses";
  const auto missed = rt::task("missed", 1)
                          .cpu([](double x) {
                            begun = content(log);
                            return x * x;
                          })
                          .pure();
  rt::Config c = testing_rt::config();
  c.store = std::make_shared<rt::Store>();
  ::setenv("TRELLIS_MISS_LOG", log.c_str(), 1);
  for (int run = 0; run < 2; ++run) {
    start(c);
    EXPECT_EQ(missed(3.0).get(), 9.0);
  }
  ::unsetenv("TRELLIS_MISS_LOG");
  EXPECT_TRUE(begun.starts_with("missed ")) << begun;
  EXPECT_EQ(begun.size(), std::string("missed ").size() + 32 + 1);
  EXPECT_EQ(content(log), begun) << "the second is in the store";
}

TEST_F(Records, TheSummaryCounts) {
  for (int i = 0; i < 10; ++i) add(make(), rt::value(1.0));
  rt::wait_all();
  const rt::Summary s = runtime->summary();
  EXPECT_EQ(s.tasks, 20U);
  EXPECT_EQ(s.failed, 0U);
  EXPECT_EQ(s.workers.size(), static_cast<std::size_t>(testing_rt::workers()));
  std::uint64_t by_worker = 0;
  for (const rt::WorkerSummary& w : s.workers) by_worker += w.tasks;
  EXPECT_EQ(by_worker, 20U);
  for (const rt::WorkerSummary& w : s.workers) {
    EXPECT_NEAR(w.busy + w.moving + w.waiting, s.seconds, 1e-6);
    EXPECT_NEAR(std::accumulate(w.idle.begin(), w.idle.end(), 0.0), w.waiting, 1e-9);
  }
  EXPECT_GT(s.overhead_us_per_task, 0);
  EXPECT_NE(s.text().find("20 tasks"), std::string::npos) << s.text();
}

}  // namespace
