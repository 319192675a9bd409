// Figures: equal results give equal bytes, texts are texts, and the marks stand where the numbers
// say.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "hpo/report/figures/axis.h"
#include "hpo/report/figures/best_so_far.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figure.h"
#include "hpo/report/figures/svg.h"
#include "hpo/report/figures/write.h"
#include "tests/hpo/report/studies.h"
#include "tests/support/temp_folder.h"

namespace hpo::figures {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::string> texts_of(const std::vector<Tick>& ticks) {
  std::vector<std::string> texts;
  for (const Tick& tick : ticks)
    texts.push_back(tick.exponent.empty() ? tick.text : tick.text + "^" + tick.exponent);
  return texts;
}

using Texts = std::vector<std::string>;

TEST(FigureAxis, MarksRoundNumbers) {
  EXPECT_EQ(texts_of(Axis(AxisKind::linear, 0, 1).ticks(5)),
            (Texts{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(texts_of(Axis(AxisKind::linear, 13, 97).ticks(5)), (Texts{"20", "40", "60", "80"}));
  EXPECT_EQ(texts_of(Axis(AxisKind::log, 1e-4, 0.1).ticks(4)),
            (Texts{"10^−4", "10^−3", "10^−2", "10^−1"}));
  EXPECT_EQ(texts_of(Axis(AxisKind::log, 16, 256).ticks(4)), (Texts{"20", "50", "100", "200"}));
  EXPECT_EQ(texts_of(Axis::counted(AxisKind::linear, 0, 2).ticks(6)), (Texts{"0", "1", "2"}));
  EXPECT_EQ(texts_of(Axis::of_words({"adam", "sgd"}).ticks(1)), (Texts{"adam", "sgd"}));
}

TEST(FigureAxis, PlacesValues) {
  const Axis log(AxisKind::log, 1, 100);
  EXPECT_DOUBLE_EQ(log.at(10), 0.5);
  EXPECT_DOUBLE_EQ(log.inside(1000), 1);
  EXPECT_GT(log.at(1000), 1);
  const Axis share(AxisKind::share, 0, 0.99, 0.005);
  EXPECT_NEAR(share.at(0.9), 0.5, 1e-12);
  EXPECT_DOUBLE_EQ(Axis(AxisKind::linear, 3, 3).at(3), 0.5);
  EXPECT_DOUBLE_EQ(Axis::of_words({"a", "b"}).at(1), 0.75);
  EXPECT_DOUBLE_EQ(log.inside(kNan), 0);
}

TEST(FigureAxis, OfAMetricLeavesTheWorstTwentiethOutside) {
  std::vector<double> losses;
  for (int i = 1; i <= 100; ++i) losses.push_back(0.01 * i);
  losses.push_back(1e6);
  losses.push_back(kNan);
  const Axis axis = metric_axis(losses, false);
  EXPECT_EQ(axis.kind(), AxisKind::log);
  EXPECT_DOUBLE_EQ(axis.at(0.01), 0);
  EXPECT_GT(axis.at(1e6), 1);
  EXPECT_EQ(metric_axis({0.5, 0.9, 0.98}, true).kind(), AxisKind::share);
  EXPECT_EQ(metric_axis({-5, 3, 20}, true).kind(), AxisKind::linear);
  EXPECT_DOUBLE_EQ(metric_axis({kNan}, true).at(0.5), 0.5);
}

TEST(FigureSvg, ShowsAnyTextAsText) {
  Svg svg(100, 50, "<b>", "a & b");
  svg.text({1.005, 2}, "</text><script>alert(1)</script>\x01\xff", {.color = kInk});
  svg.power({3, 4}, "10", "−4", {.color = kInk, .size = 8});
  const std::string text = std::move(svg).text();
  EXPECT_NE(text.find("<title>&lt;b&gt;</title>\n<desc>a &amp; b</desc>"), std::string::npos);
  EXPECT_NE(
      text.find(">&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;\\x01\xEF\xBF\xBD</text>"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(">10<tspan dy=\"-2.8\" font-size=\"6\">−4</tspan></text>"),
            std::string::npos);
  EXPECT_TRUE(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"35.28mm\""))
      << text;
}

TEST(FigureSvg, DrawsAPlaceOnce) {
  Svg svg(10, 10, "", "");
  svg.dots(std::vector<Point>{{1, 1}, {1.01, 1.02}, {2, 1}}, 1, kData);
  const std::string text = std::move(svg).text();
  EXPECT_NE(text.find("d=\"M1 1h0M2 1h0\""), std::string::npos) << text;
}

TEST(FigureSvg, CutsTextsToTheirRoom) {
  EXPECT_DOUBLE_EQ(text_width("100%", 10), 25.57);
  EXPECT_EQ(fitted("width", 100, 8), "width");
  const std::string cut = fitted("a long name of a parameter", 40, 8);
  EXPECT_TRUE(cut.ends_with("…")) << cut;
  EXPECT_LE(text_width(cut.substr(0, cut.size() - 3), 8) + 8, 40);
}

class Figures : public testing::Test {
 protected:
  /// A study of 60 trials that began so many seconds later.
  StudyReader sixty(const base::Path& folder, std::int64_t later = 0) {
    made::Made made(folder);
    made.wait(later);
    made::add_sixty(made);
    made::judge(made, 22);
    made.note("active_seconds", std::to_string(62 + later));
    made.use();
    return made.reader();
  }

  support::TempFolder folder_;
};

TEST_F(Figures, EqualResultsGiveEqualBytes) {
  const StudyReader one = sixty(folder_.path() / "one"),
                    other = sixty(folder_.path() / "two", 1000);
  const WrittenFigures of_one = write_figures(one, folder_.path() / "a", {});
  const WrittenFigures of_other = write_figures(other, folder_.path() / "b", {});
  std::set<std::string> names;
  ASSERT_EQ(of_one.written.size(), of_other.written.size());
  for (std::size_t i = 0; i < of_one.written.size(); ++i) {
    names.insert(of_one.written[i].name);
    if (figure_of(of_one.written[i].name).has_times) continue;
    EXPECT_EQ(base::read_file(of_one.written[i].picture),
              base::read_file(of_other.written[i].picture))
        << of_one.written[i].name;
    EXPECT_EQ(base::read_file(of_one.written[i].data), base::read_file(of_other.written[i].data));
  }
  EXPECT_EQ(names, (std::set<std::string>{"confusion", "curves", "devices", "edf", "history",
                                          "importance", "pair", "parallel", "slices", "timeline"}));
}

TEST_F(Figures, DataSaysWhatThePictureShows) {
  const StudyReader study = sixty(folder_.path() / "one");
  const WrittenFigures all =
      write_figures(study, folder_.path() / "out", {.names = {"history", "confusion"}});
  ASSERT_EQ(all.written.size(), 2U);
  const std::string history = base::read_file(all.written[0].data);
  EXPECT_TRUE(history.starts_with("trial,state,valid.accuracy,best_so_far\n0,stopped,")) << history;
  EXPECT_EQ(std::ranges::count(history, '\n'), 61);
  EXPECT_EQ(base::read_file(all.written[1].data),
            "truth,answer,rows\nno,no,180\nno,yes,2\nyes,no,3\nyes,yes,174\n");
}

TEST_F(Figures, BestSoFarIsOfCompleteTrials) {
  const StudyReader study = sixty(folder_.path() / "one");
  const report::Gathered gathered = report::gather(study, {});
  const std::vector<double> best = best_so_far(gathered);
  ASSERT_EQ(best.size(), 60U);
  EXPECT_TRUE(std::isnan(best[1]));
  EXPECT_EQ(best[2], *gathered.trials[2].value);
  EXPECT_EQ(best[59], *gathered.best->value);
}

TEST_F(Figures, OfPopulationsAndNetworksThatAdapt) {
  made::Made made(folder_.path() / "adaptive");
  made.create(0, made::params_of(0));
  Adapted adapted{.from = 0, .until = 2, .rows = 100, .candidates = {}};
  for (int k = 0; k < 3; ++k)
    adapted.candidates.push_back({.operations = "[]",
                                  .change = "widen",
                                  .shape = base::cat("64-", 16 + k, "-10"),
                                  .inference_flops = 1000.0 * (1 + k),
                                  .accuracy = 0.8 + 0.05 * k,
                                  .accepted = k == 1});
  made.add(0, adapted);
  made.report(0, 2, 0.9);
  made.create(1, made::params_of(1));
  made.report(1, 2, 0.8, {}, Decision::pause);
  made.add(1, Replaced{0, 2, made::params_of(3), R"([{"widen": {"layer": "fc1", "by": 8}}])"});
  made.report(1, 4, 0.95);
  made.end(0, TrialState::complete);
  made.end(1, TrialState::complete);
  const StudyReader study = made.reader();
  const auto lineage = figure_svg(study, "lineage");
  ASSERT_TRUE(lineage);
  EXPECT_NE(lineage->find("descent of trial 1&#x27;s network"), std::string::npos) << *lineage;
  EXPECT_EQ(figure_svg(study, "shapes").has_value(), false);  // the winner took a network over
  EXPECT_EQ(figure_svg(study, "front"), std::nullopt);
}

TEST_F(Figures, OfSeveralMetrics) {
  StudyFacts facts = made::facts("several");
  facts.objective.others = {{.name = "size", .maximize = false}};
  made::Made made(folder_.path() / "several", facts);
  const std::vector<std::pair<double, double>> results{
      {0.5, 10}, {0.9, 50}, {0.8, 60}, {0.7, 20}, {0.6, 15}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    made.create(i, made::params_of(i));
    made.report(i, 1, results[i].first, {{"size", results[i].second}});
    made.end(i, TrialState::complete);
  }
  const StudyReader study = made.reader();
  const WrittenFigures all =
      write_figures(study, folder_.path() / "out", {.names = {"front", "hypervolume"}});
  EXPECT_EQ(base::read_file(all.written.at(0).data),
            "trial,state,front,valid.accuracy,size\n0,complete,true,0.5,10\n"
            "1,complete,true,0.9,50\n2,complete,false,0.8,60\n3,complete,true,0.7,20\n"
            "4,complete,true,0.6,15\n");
  // The reference is the worst of all: 0.5 and 60.
  const std::string volumes = base::read_file(all.written.at(1).data);
  EXPECT_TRUE(volumes.starts_with("trial,hypervolume\n0,0\n1,4\n2,4\n3,")) << volumes;
  const auto last = base::parse_double(
      volumes.substr(volumes.rfind(',') + 1, volumes.size() - volumes.rfind(',') - 2));
  EXPECT_NEAR(last.value_or(0), 10.5, 1e-9) << volumes;
}

TEST_F(Figures, ThatAreNotThereAreNamed) {
  const StudyReader study = sixty(folder_.path() / "one");
  const WrittenFigures all =
      write_figures(study, folder_.path() / "out", {.names = {"lineage", "edf", "edf"}});
  EXPECT_EQ(all.written.size(), 1U);
  EXPECT_EQ(all.lacking, (std::vector<std::string>{
                             "digits has no figure 'lineage': no trial went on with another one's "
                             "network"}));
  EXPECT_THROW((void)write_figures(study, folder_.path() / "out", {.names = {"histroy"}}),
               base::Error);
  EXPECT_THROW((void)figure_format_of("jpg"), base::Error);
}

TEST_F(Figures, OfStudiesWithoutTrialsAreNone) {
  made::Made made(folder_.path() / "empty");
  const StudyReader study = made.reader();
  EXPECT_TRUE(write_figures(study, folder_.path() / "out", {}).written.empty());
}

}  // namespace
}  // namespace hpo::figures
