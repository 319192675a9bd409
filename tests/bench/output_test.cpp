// What `bench --json` prints is a contract with other programs.
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/error.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/peak.h"
#include "bench/platform.h"
#include "hpo/study/platform.h"
#include "runtime/matrix.h"

namespace {

const std::vector<bench::Case> kCases = {
    {"chain \"RW\"", 2.5, "us/task", "StarPU alone", 2, 0.8, 0.125},
    {"FMA peak", 191, "GF/s"},
};

TEST(Output, JsonIsTheContract) {
  EXPECT_EQ(
      bench::json_of(kCases, "a machine"),
      "[\n"
      " {\"case\": \"chain \\\"RW\\\"\", \"ours\": 2.5, \"unit\": \"us/task\", \"rival\": \"StarPU "
      "alone\", "
      "\"rival_value\": 2, \"ratio\": 0.8, \"spread\": 0.125, \"machine\": \"a machine\"},\n"
      " {\"case\": \"FMA peak\", \"ours\": 191, \"unit\": \"GF/s\", \"rival\": null, "
      "\"rival_value\": null, \"ratio\": null, \"spread\": 0, \"machine\": \"a machine\"}\n]\n");
  EXPECT_EQ(bench::json_of({}, "m"), "[\n]\n");
}

TEST(Output, TableIsAligned) {
  EXPECT_EQ(bench::table_of(kCases, "a machine"),
            "a machine\n"
            "case         ours  unit     rival         rival's  ratio  spread\n"
            "chain \"RW\"  2.500  us/task  StarPU alone    2.000  0.800  12.50%\n"
            "FMA peak    191.0  GF/s     -                   -      -  0.000%\n");
}

TEST(Platform, FilesSayWhatWasMeasured) {
  rt::Platform measured{.name = "4 nodes like here",
                        .cpu = {.count = 16,
                                .peak = 5.123456e10,
                                .half = 20480,
                                .bandwidth = 1.24e10,
                                .memory = std::uint64_t{64} << 30},
                        .gpu = {}};
  measured.nodes = {.count = 4, .link = {7.09e-5, 1.17e7}, .levels = {}};
  measured.runtime.parcel = 1.23e-4;
  const rt::Platform read = hpo::parse_platform(bench::platform_text(measured), "p.yaml");
  EXPECT_EQ(read.name, measured.name);
  EXPECT_EQ(read.cpu.count, 16);
  EXPECT_EQ(read.cpu.peak, 5.12e10);
  EXPECT_EQ(read.cpu.half, 20500);
  EXPECT_EQ(read.cpu.memory, measured.cpu.memory);
  EXPECT_EQ(read.nodes, measured.nodes);
  EXPECT_EQ(read.runtime.parcel, measured.runtime.parcel);
  EXPECT_GT(read.runtime.start, 0) << "what is not measured has its default";
}

TEST(Measure, MedianAndSpread) {
  const bench::Sample odd = bench::sample_of({3, 1, 2});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.spread, 1);
  EXPECT_EQ(bench::sample_of({4, 1, 2, 3}).median, 2.5);
  EXPECT_EQ(bench::sample_of({}).median, 0);
}

TEST(Measure, RateCountsTheWorkOfAllThreads) {
  // Each unit takes at least a millisecond, so that one thread can do at most a thousand a second.
  const double one = bench::rate(1, 0.03, [](int) {
    base::sleep_for(std::chrono::milliseconds(1));
    return 1.0;
  });
  EXPECT_LE(one, 1000);
  EXPECT_GT(one, 10);
}

TEST(Peak, LoopsCountWhatTheyDo) {
  const auto filled = [](float with) {
    return rt::Matrix<float>::generate(1, 1024, [=](auto, auto) { return with; });
  };
  float sink = 0;
  auto a = filled(1), b = filled(2), c = filled(3);
  EXPECT_EQ(bench::read_all(a.span(), sink), 4096);
  EXPECT_GT(sink, 0);
  EXPECT_EQ(bench::triad(a.span(), b.span(), c.span(), 2), 3 * 4096);
  for (const float x : a.span()) EXPECT_EQ(x, 8);
  EXPECT_GT(bench::multiply_add_burst(), 1e6);
}

TEST(Registry, UnknownNamesGetTheNearest) {
  try {
    static_cast<void>(bench::find_benchmark("machin"));
    FAIL();
  } catch (const base::Error& e) {
    EXPECT_EQ(e.kind(), base::Errc::usage);
    EXPECT_NE(std::string(e.what()).find("did you mean 'machine'?"), std::string::npos) << e.what();
  }
  EXPECT_EQ(bench::find_benchmark("machine").name, "machine");
}

}  // namespace
