#include "hpo/serve/metrics_text.h"

#include <gtest/gtest.h>

namespace hpo::serve {
namespace {

StudySummary digits() {
  StudySummary study{.name = "digits"};
  study.info.metric = "valid.accuracy";
  study.info.state = StudyState::running;
  study.info.trial_limit = 60;
  study.counts.complete = 7;
  study.counts.failed = 2;
  study.best = TrialRow{.trial = 3, .value = 0.975};
  study.work.tasks = 1234;
  return study;
}

TEST(MetricsText, HasASampleForEachStudyAndState) {
  const std::string text = metrics_text(std::vector{digits()}, 2);
  for (const char* line :
       {"trellis_study_up{study=\"digits\"} 1\n", "trellis_study_running{study=\"digits\"} 1\n",
        "trellis_study_trials{study=\"digits\",state=\"complete\"} 7\n",
        "trellis_study_trials{study=\"digits\",state=\"failed\"} 2\n",
        "trellis_study_best_value{study=\"digits\",metric=\"valid.accuracy\",trial=\"3\"} 0.975\n",
        "trellis_study_tasks_total{study=\"digits\"} 1234\n", "trellis_serve_streams 2\n",
        "# TYPE trellis_study_trials gauge\n", "# TYPE trellis_study_tasks_total counter\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(MetricsText, AStudyThatCannotBeReadIsDown) {
  const std::string text =
      metrics_text(std::vector{StudySummary{.name = "a", .is_silent = true}}, 0);
  EXPECT_NE(text.find("trellis_study_up{study=\"a\"} 0\n"), std::string::npos);
  EXPECT_EQ(text.find("trellis_study_trials"), std::string::npos);
}

TEST(MetricsText, LabelsStayOnTheirLine) {
  StudySummary study = digits();
  study.name = "a\"b\\c\nd} 7";
  const std::string text = metrics_text(std::vector{study}, 0);
  EXPECT_NE(text.find("trellis_study_up{study=\"a\\\"b\\\\c\\\\nd} 7\"} 1\n"), std::string::npos)
      << text;
}

}  // namespace
}  // namespace hpo::serve
