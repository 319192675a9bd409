#include "hpo/export/export.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/hpo/log/sample.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using nlohmann::json;
using sample::ended;
using sample::reported;

/// Three trials: one complete, one diverged with a hard parameter, one that was never at work.
class Export : public ::testing::Test {
 protected:
  Export() {
    auto log = sample::open(folder.path());
    log->append(sample::created(0, 0.1));
    log->append(reported(0, 3, 0.75));
    log->append(ended(0, TrialState::complete));
    log->append(
        {.trial = 1,
         .body = Created{.params = {{"optimizer", std::string("a \"b\", c")}}, .parent = 0}});
    log->append(reported(1, 1, std::nan("")));
    log->append(ended(1, TrialState::failed, Cause::diverged, "loss is nan"));
    log->append(sample::created(2, 1e-7));
    log->append({.trial = 0, .body = Exported{"best.safetensors", {{"test.accuracy", 0.5}}}});
    log->note("work", R"({"tasks": 7, "epochs": 4, "distinct_epochs": 3, "datasets_loaded": 1, )"
                      R"("overhead_us_per_task": 2.5})");
    log->note("workers",
              R"([{"name": "cpu 0", "tasks": 7, "busy": 0.5, "waiting": 0.25, "moving": 0, )"
              R"("idle_other_kind": 0.25}])");
    log->commit();
  }

  support::TempFolder folder;
};

TEST_F(Export, CsvIsExactlyThis) {
  EXPECT_EQ(
      export_csv(StudyReader(folder.path())),
      "trial,state,cause,value,params.lr,params.optimizer,metrics.test.accuracy,metrics.train.loss,"
      "metrics.valid.accuracy,step,epochs,parent\n"
      "0,complete,,0.75,0.1,adam,0.5,0.5,0.75,3,3,\n"
      "1,failed,diverged,nan,,\"a \"\"b\"\", c\",,0.5,nan,1,1,0\n"
      "2,waiting,,,1e-7,adam,,,,0,0,\n");
}

TEST_F(Export, TimesAddTheirColumns) {
  std::string csv = export_csv(StudyReader(folder.path()), {.times = true});
  EXPECT_NE(csv.find("parent,attempts,seconds\n"), std::string::npos);
  EXPECT_NE(csv.find("0.75,3,3,,1,0.25\n"), std::string::npos) << csv;
}

TEST_F(Export, JsonIsExactlyThis) {
  EXPECT_EQ(
      export_json(StudyReader(folder.path())),
      "{\"study\": \"digits\", \"metric\": \"valid.accuracy\", \"goal\": \"maximize\", \"trials\": "
      "[\n"
      "  {\"trial\": 0, \"state\": \"complete\", \"cause\": null, \"value\": 0.75, \"params\": "
      "{\"lr\": 0.1, "
      "\"optimizer\": \"adam\"}, \"metrics\": {\"valid.accuracy\": 0.75, \"train.loss\": 0.5, "
      "\"test.accuracy\": 0.5}, \"step\": 3, \"epochs\": 3, \"parent\": null},\n"
      "  {\"trial\": 1, \"state\": \"failed\", \"cause\": \"diverged\", \"value\": \"nan\", "
      "\"params\": "
      "{\"optimizer\": \"a \\\"b\\\", c\"}, \"metrics\": {\"valid.accuracy\": \"nan\", "
      "\"train.loss\": 0.5}, "
      "\"step\": 1, \"epochs\": 1, \"parent\": 0},\n"
      "  {\"trial\": 2, \"state\": \"waiting\", \"cause\": null, \"value\": null, \"params\": "
      "{\"lr\": 1e-7, "
      "\"optimizer\": \"adam\"}, \"metrics\": {}, \"step\": 0, \"epochs\": 0, \"parent\": null}\n"
      "]}\n");
}

TEST_F(Export, TheShapesOfReadVerbsAreTheContract) {
  StudyReader study(folder.path());
  json best = json::parse(best_json(study));
  EXPECT_EQ(best["study"], "digits");
  EXPECT_EQ(best["trial"], 0);
  EXPECT_EQ(best["state"], "complete");
  EXPECT_EQ(best["metric"], "valid.accuracy");
  EXPECT_EQ(best["value"], 0.75);
  EXPECT_EQ(best["params"], (json{{"lr", 0.1}, {"optimizer", "adam"}}));
  EXPECT_EQ(best["metrics"]["test.accuracy"], 0.5);
  EXPECT_EQ(best["model"], (folder.path() / "best.safetensors").string());
  EXPECT_EQ(best["flops"], (json{{"train", 30}, {"inference", 100}}));
  EXPECT_EQ(best["verdict"], nullptr);
  EXPECT_EQ(best["calibration"], nullptr);
  EXPECT_EQ(best.size(), 11u);

  json trials = json::parse(trials_json(study));
  ASSERT_EQ(trials.size(), 3u);
  for (const char* key : {"trial", "state", "cause", "value", "params", "metrics", "step", "epochs",
                          "attempts", "seconds", "parent"}) {
    EXPECT_TRUE(trials[1].contains(key)) << key;
  }
  EXPECT_EQ(trials[1].size(), 11u);
  EXPECT_EQ(json::parse(trial_json(*study.trial(1), Judge(study))), trials[1]);

  json status = json::parse(status_json(study));
  EXPECT_EQ(status["state"], "interrupted");
  EXPECT_EQ(status["trials"],
            (json{{"complete", 1}, {"running", 0}, {"stopped", 0}, {"failed", 1}, {"waiting", 1}}));
  EXPECT_EQ(status["best"], (json{{"trial", 0}, {"value", 0.75}}));
  EXPECT_EQ(status["work"]["distinct_epochs"], 3);
  EXPECT_EQ(status["work"].size(), 5u);
  EXPECT_EQ(status["workers"][0]["name"], "cpu 0");
  EXPECT_EQ(status["workers"][0]["idle_other_kind"], 0.25);
  EXPECT_EQ(StudyReader(folder.path()).workers().at(0).idle.at(0).first, "other kind");
  EXPECT_EQ(status["nodes"], json::array());
  EXPECT_EQ(status.size(), 6u);
}

TEST_F(Export, TheModelOfAnEarlierBestTrialIsNotThatOfTheBest) {
  auto log = sample::open(folder.path());
  log->append(reported(2, 3, 0.875));
  log->append(ended(2, TrialState::complete));
  log->commit();
  json best = json::parse(best_json(StudyReader(folder.path())));
  EXPECT_EQ(best["trial"], 2);
  EXPECT_EQ(best["model"], json());
}

TEST(ExportEmpty, AStudyWithoutTrials) {
  support::TempFolder folder;
  (void)sample::open(folder.path());
  StudyReader study(folder.path());
  EXPECT_EQ(best_json(study), "");
  EXPECT_EQ(trials_json(study), "[]");
  EXPECT_EQ(export_csv(study),
            "trial,state,cause,value,params.lr,params.optimizer,step,epochs,parent\n");
  EXPECT_EQ(json::parse(status_json(study))["best"], json());
}

}  // namespace
}  // namespace hpo
