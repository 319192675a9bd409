// Trials whose networks change as a program says.

#include <cmath>
#include <filesystem>

#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

constexpr const char* kCommand =
    "adapt: {policy: command, command: [sh, decide.sh], every: 1, until: 4, timeout: 20s}\n";

/// Widens at epoch 2, races at epoch 3.
constexpr const char* kDecide = R"(state=$(cat)
echo "trial $TRELLIS_TRIAL" >> asked
case "$state" in
  '{"epoch":2.0,'*) echo '{"widen": {"layer": "dense1", "by": 3}}' ;;
  '{"epoch":3.0,'*) echo '{"race": [{"widen": {"layer": "dense1", "by": 8}}], "length": 0.5}' ;;
  *) echo '"keep"' ;;
esac
)";

class Commanded : public SmallStudy {
 protected:
  Commanded() { says(kDecide); }
  void says(const std::string& script) const {
    base::write_file_atomic(folder_ / "decide.sh", script);
  }
  void forget() const { std::filesystem::remove_all(run()), std::filesystem::remove_all(store()); }
  [[nodiscard]] std::vector<Adapted> rounds() const {
    std::vector<Adapted> rounds;
    for (const std::string& payload : events("adapted"))
      rounds.push_back(std::get<Adapted>(body_of("adapted", payload)));
    return rounds;
  }
  [[nodiscard]] std::int64_t asked() const {
    if (!std::filesystem::exists(folder_ / "asked")) return 0;
    const std::string lines = base::read_file(folder_ / "asked");
    return std::ranges::count(lines, '\n');
  }
  /// What the log says of the end of the first trial.
  [[nodiscard]] Ended end_of_first() const {
    return std::get<Ended>(body_of("ended", events("ended").at(0)));
  }
};

TEST_F(Commanded, EveryAnswerIsARound) {
  ASSERT_EQ(session(study(kCommand), "a").end, DriverEnd::finished);
  const auto all = rounds();
  ASSERT_EQ(all.size(), 12U) << "after epochs 1, 2, 3 and 4 of three trials";
  EXPECT_EQ(asked(), 12);
  const std::vector<TrialRow> trials = StudyReader(run()).trials();
  const auto width = std::get<std::int64_t>(*trials[0].params.find("width"));
  EXPECT_EQ(all[0].accepted().change, "keep");
  EXPECT_EQ(all[0].accepted().why, "as the program says");
  EXPECT_EQ(all[1].accepted().shape, base::cat("3-", width + 3, "-2"));
  ASSERT_EQ(all[2].candidates.size(), 2U);
  EXPECT_EQ(all[2].until - all[2].from, all[2].grid / 2);
  EXPECT_FALSE(std::isnan(all[2].candidates[1].loss));
  const std::string lines = base::read_file(folder_ / "asked");
  EXPECT_NE(lines.find("trial 2\n"), std::string::npos);
}

TEST_F(Commanded, AKilledStudyGoesOnToTheSameBits) {
  (void)session(study(kCommand), "a");
  const auto reports = events("reported"), adapted = events("adapted");
  for (const int after : {2, 9}) {
    forget();
    Stopper stopper(after);
    ASSERT_EQ(session(study(kCommand), "a", stopper).end, DriverEnd::interrupted);
    ASSERT_EQ(session(study(kCommand), "a").end, DriverEnd::finished);
    EXPECT_EQ(events("reported"), reports);
    EXPECT_EQ(events("adapted"), adapted);
  }
}

TEST_F(Commanded, WhatTheLogHasIsNotAskedAgain) {
  Stopper stopper(4);
  (void)session(study(kCommand), "a", stopper);
  const auto before = events("adapted");
  ASSERT_GE(before.size(), 3U);
  says("cat > /dev/null; echo x >> again; echo null\n");
  std::filesystem::remove_all(store());
  ASSERT_EQ(session(study(kCommand), "a").end, DriverEnd::finished);
  const auto after = events("adapted");
  ASSERT_EQ(after.size(), 12U);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  const std::string lines = base::read_file(folder_ / "again");
  EXPECT_EQ(std::ranges::count(lines, '\n'), 12 - std::ssize(before));
}

struct Failure {
  const char* script;
  Cause cause;
  const char* message;
};

TEST_F(Commanded, AProgramThatFailsEndsItsTrialInOneLine) {
  const Failure failures[] = {
      {"echo first >&2; echo 'no idea' >&2; exit 3\n", Cause::error,
       "adapt.command: sh decide.sh exited with status 3, expected an answer; it wrote: first\\nno "
       "idea"},
      {"cat > /dev/null; echo '{\"widne\": {\"layer\": \"dense1\", \"by\": 1}}'\n", Cause::error,
       "did you mean widen"},
      {"echo '{\"widen\": {\"layer\": \"dens1\", \"by\": 1}}'\n", Cause::error,
       "did you mean dense1?"},
      {"true\n", Cause::error, "answered nothing: expected null"},
  };
  for (const Failure& failure : failures) {
    forget();
    says(failure.script);
    (void)session(study(kCommand), "a");
    const Ended end = end_of_first();
    EXPECT_EQ(end.state, TrialState::failed);
    EXPECT_EQ(end.cause, failure.cause);
    EXPECT_NE(end.message.find(failure.message), std::string::npos) << end.message;
    EXPECT_EQ(end.message.find('\n'), std::string::npos);
  }
}

TEST_F(Commanded, AProgramThatHangsEndsItsTrial) {
  says("sleep 1000\n");
  (void)session(study("adapt: {policy: command, command: [sh, decide.sh], timeout: 300ms}\n"), "a");
  EXPECT_EQ(end_of_first().cause, Cause::timeout);
  EXPECT_NE(end_of_first().message.find("took longer than 300.0 ms"), std::string::npos);
}

TEST_F(Commanded, AProgramThatIsKilledIsTriedAgain) {
  says("if [ -e once ]; then cat > /dev/null; echo null; else touch once; kill -9 $$; fi\n");
  ASSERT_EQ(session(study(kCommand), "a").end, DriverEnd::finished);
  EXPECT_EQ(events("retried").size(), 1U);
  EXPECT_EQ(end_of_first().state, TrialState::complete);
}

TEST_F(Commanded, ParametersStandInItsWords) {
  says("cat > /dev/null; echo \"$1\" >> widths; echo null\n");
  ASSERT_EQ(
      session(study("adapt: {policy: command, command: [sh, decide.sh, --width=$width]}\n"), "a")
          .end,
      DriverEnd::finished);
  const auto width = std::get<std::int64_t>(*StudyReader(run()).trials()[0].params.find("width"));
  EXPECT_TRUE(base::read_file(folder_ / "widths").starts_with(base::cat("--width=", width, "\n")));
}

TEST_F(Commanded, TheResolvedFileMeansTheSameFromAnywhere) {
  const StudySpec file = study(kCommand);
  const std::string resolved = resolved_yaml(file);
  EXPECT_NE(resolved.find(base::cat("folder: ", folder_.path().string())), std::string::npos)
      << resolved;
  EXPECT_EQ(resolved_yaml(parse_study(resolved, "small.yaml", "/")), resolved);
}

}  // namespace
}  // namespace hpo
