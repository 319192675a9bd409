#include "hpo/driver/same_study.h"

#include "base/error.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

class SameStudy : public SmallStudy {
 protected:
  [[nodiscard]] std::string text(const std::string& more = "") const {
    return with_content(resolved_yaml(settle(study(more), info_)), "abc");
  }
  [[nodiscard]] std::string refusal(std::string_view logged, std::string_view now) const {
    const std::string other = what_is_other(logged, now);
    if (other.empty()) return "";
    const base::Error error = other_study("runs/old", other);
    EXPECT_EQ(error.kind(), base::Errc::study);
    return error.what();
  }
  /// A text without the lines that begin with `start`.
  static std::string without(std::string text, const std::string& start) {
    const std::size_t at = text.find("\n" + start) + 1;
    EXPECT_NE(at, 0U) << start << " is not in\n" << text;
    return text.erase(at, text.find('\n', at) + 1 - at);
  }
  DataInfo info_{nn::Shape::features(3), 2, nn::LearningTask::classification};
};

TEST_F(SameStudy, EqualTextsHaveNoChanges) { EXPECT_TRUE(changes_between(text(), text()).empty()); }

TEST_F(SameStudy, LimitsMayChange) {
  const auto changes = changes_between(text(), text("retry: {max: 1}\n"));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].key, "retry");
  EXPECT_NE(changes[0].to.find("max: 1"), std::string::npos);
}

TEST_F(SameStudy, ResourcesAndNodesMayChangeButNotTheInstructionSet) {
  const auto changes = changes_between(text("resources: {isa: avx2}\n"),
                                       text("resources: {isa: avx2, cpus: 2}\nnodes: 4\n"));
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].key, "nodes");
  EXPECT_EQ(changes[1].key, "resources");
  EXPECT_NE(refusal(text("resources: {isa: avx2}\n"), text("resources: {isa: avx512}\n"))
                .find("resources.isa (avx512 now, avx2 in the old study)"),
            std::string::npos);
  EXPECT_NE(refusal(text(), text("resources: {isa: avx2}\n"))
                .find("resources.isa (the old study has none"),
            std::string::npos);
}

TEST_F(SameStudy, TheReportMayBeSwitchedOffAndOn) {
  const auto off = changes_between(text(), text("report: off\n"));
  ASSERT_EQ(off.size(), 1U);
  EXPECT_EQ(off[0].key, "report");
  EXPECT_EQ(off[0].to, "off");
  EXPECT_EQ(changes_between(text("report: off\n"), text("report: on\n")).size(), 1U);
  EXPECT_EQ(changes_between(text("report: off\n"), text()).size(), 1U);
}

TEST_F(SameStudy, AnotherSearchIsRefused) {
  EXPECT_NE(
      refusal(text(), text("seed: 5\n"))
          .find("differs in seed (5 now, 0 in the old study): give the new study another name "
                "(to reuse the old trials, add \"warm_start: runs/old\" to it)"),
      std::string::npos);
}

TEST_F(SameStudy, WhereNothingWasSearchedHowToMayChange) {
  const std::string then = "method: tpe\nearly_stop: none\nmetric: loss\n",
                    now = "method: gp\nearly_stop: median\nmetric: loss\n";
  EXPECT_NE(what_is_other(then, now), "");
  EXPECT_EQ(what_is_other(then, now, true), "");
  EXPECT_EQ(changes_between(then, now, true).size(), 2U);
  EXPECT_EQ(changes_between(text(), text("seed: 5\n"), true).size(), 1U);
  EXPECT_NE(what_is_other(then, "method: tpe\nearly_stop: none\nmetric: other\n", true), "");
}

TEST_F(SameStudy, TheRefusalSaysWhatOneOfTheTwoLacks) {
  EXPECT_EQ(what_is_other("a: 1\n", "a: 1\ncommand:\n  - sh\n"),
            "command (the old study has none)");
  EXPECT_EQ(what_is_other("a: 1\ncommand:\n  - sh\n", "a: 1\n"),
            "command (only the old study has it)");
}

TEST_F(SameStudy, TheRefusalSaysWhatDiffers) {
  const auto says = [&](const std::string& from, const std::string& to) {
    std::string now = text();
    const std::size_t at = now.find(from);
    EXPECT_NE(at, now.npos) << now;
    const std::string all = refusal(text(), now.replace(at, from.size(), to));
    const std::size_t begin = all.find("differs in ") + 11;
    return all.substr(begin, all.find(": give") - begin);
  };
  EXPECT_EQ(says("seed: 0", "seed: 5"), "seed (5 now, 0 in the old study)");
  EXPECT_EQ(says("min: 4", "min: 5"), "parameters (width.min is 5 now, 4 in the old study)");
  EXPECT_EQ(says("epochs: 6", "epochs: 9"), "train (epochs is 9 now, 6 in the old study)");
  EXPECT_EQ(says("  batch:", "  more: 1\n  batch:"),
            "train (more: 1 now, batch: 32 in the old study)");
}

TEST_F(SameStudy, OtherRowsAreRefusedAnotherPathIsNot) {
  std::string moved = text();
  moved.replace(moved.find(folder_.path().string()), folder_.path().string().size(), "/elsewhere");
  EXPECT_TRUE(changes_between(moved, text()).empty());
  const std::string other = with_content(resolved_yaml(settle(study(), info_)), "abd");
  EXPECT_NE(refusal(text(), other).find("rows of data"), std::string::npos);
}

TEST_F(SameStudy, NoPathIsPartOfAStudy) {
  const auto at = [](const std::string& root) {
    return base::cat("data:\n  npy: {x: ", root, "/x.npy, y: ", root, "/y.npy}\n  test: ", root,
                     "/t.csv\nfrom: {model: ", root, "/m.safetensors}\nfolder: ", root,
                     "\nadapt: {policy: command, command: [decide], folder: ", root, "}\n");
  };
  EXPECT_EQ(what_is_other(at("/a"), at("/b")), "");
  EXPECT_NE(what_is_other("name: /a\n", "name: /b\n"), "");
}

TEST_F(SameStudy, ValuesAreComparedAndNotTexts) {
  EXPECT_EQ(what_is_other("network: [{type: dense, units: 3}]\n",
                          "network:\n  - type: dense\n    units: 3\n"),
            "");
  EXPECT_EQ(what_is_other("network: [{type: dense, units: 3}]\n",
                          "network: [{type: dense, units: \"3\"}]\n"),
            "network ({type: dense, units: \"3\"} now, {type: dense, units: 3} in the old study)");
}

TEST_F(SameStudy, AFieldThatTheLoggedTextLacksStandsAtItsDefault) {
  for (const char* field : {"order:", "seed:", "  take:"}) {
    const std::string old = without(text(), field);
    EXPECT_NE(refusal(old, text()), "") << field;
    EXPECT_TRUE(changes_between(in_todays_words(old, text(), info_), text()).empty()) << field;
  }
}

TEST_F(SameStudy, AMissingFieldThatIsNotAtItsDefaultStillDiffers) {
  const std::string now = text("seed: 5\n");
  EXPECT_NE(refusal(in_todays_words(without(now, "seed:"), now, info_), now).find("seed"),
            std::string::npos);
}

TEST_F(SameStudy, DataThatMovedIsFoundWhereItIsToday) {
  std::string old = without(text(), "order:");
  old.replace(old.find(folder_.path().string()), folder_.path().string().size(), "/elsewhere");
  EXPECT_TRUE(changes_between(in_todays_words(old, text(), info_), text()).empty());
}

TEST_F(SameStudy, ATextThatNobodyCanReadIsTakenAsItIs) {
  EXPECT_EQ(in_todays_words("network: 7\n", text(), info_), "network: 7\n");
}

}  // namespace
}  // namespace hpo
