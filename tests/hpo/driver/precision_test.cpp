// What a study's precision changes: what is computed, under which name, and where it is refused.

#include <filesystem>

#include "base/error.h"
#include "hpo/driver/same_study.h"
#include "hpo/driver/sweep.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

using StudyPrecision = SmallStudy;

std::string refusal(kern::Precision precision, const TrialResources& asked) {
  try {
    require_precision(precision, asked);
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::no_device);
    return error.what();
  }
  return "";
}

TEST_F(StudyPrecision, IsF32WhereNothingElseIsSaid) {
  EXPECT_EQ(study().precision, kern::Precision::f32);
  EXPECT_NE(resolved_yaml(study()).find("\nprecision: f32\n"), std::string::npos);
}

TEST_F(StudyPrecision, IsThatOfEveryTrial) {
  const StudySpec spec = study("precision: bf16\n");
  const DataInfo info{nn::Shape::features(3), 2, nn::LearningTask::classification};
  EXPECT_EQ(materialise(spec, spec.space.middle(), info).hyper.precision, kern::Precision::bf16);
  EXPECT_NE(resolved_yaml(spec).find("\nprecision: bf16\n"), std::string::npos);
}

TEST_F(StudyPrecision, AnotherOneIsAnotherStudy) {
  EXPECT_EQ(what_is_other(resolved_yaml(study()), resolved_yaml(study("precision: bf16\n"))),
            "precision (bf16 now, f32 in the old study)");
}

TEST_F(StudyPrecision, IsRefusedByTheKindsOfDeviceThatLackIt) {
  EXPECT_EQ(refusal(kern::Precision::f32, {}), "");
  EXPECT_EQ(refusal(kern::Precision::tf32, {}),
            base::cat("precision: tf32 for a core: ", tasks::cores_lack(kern::Precision::tf32)));
  EXPECT_EQ(refusal(kern::Precision::bf16, {}).empty(),
            tasks::cores_lack(kern::Precision::bf16).empty());
}

TEST_F(StudyPrecision, NoTrialOfARefusedStudyBegins) {
  const StudySpec spec = study("precision: tf32\n");
  Observer nobody;
  EXPECT_THROW((void)run_sweep(spec, {.folder = run()}, nobody), base::Error);
  EXPECT_THROW((void)StudyReader(run()), base::Error) << "a study was begun";
}

TEST_F(StudyPrecision, ResultsAreNeverTakenForThoseOfAnother) {
  if (!tasks::cores_lack(kern::Precision::bf16).empty())
    GTEST_SKIP() << tasks::cores_lack(kern::Precision::bf16);
  EXPECT_EQ(session(study(), "a").epochs, 18);
  std::filesystem::remove_all(run());
  EXPECT_EQ(session(study("precision: bf16\n"), "a").epochs, 18);
  std::filesystem::remove_all(run());
  EXPECT_EQ(session(study("precision: bf16\n"), "a").epochs, 0);
}

TEST_F(StudyPrecision, IsPartOfTheArithmetic) {
  EXPECT_EQ(tasks::arithmetic(kern::Precision::bf16), tasks::arithmetic() + "; precision bf16");
}

}  // namespace
}  // namespace hpo
