// A page that is mailed names no machine, no owner and no folder.

#include "hpo/report/places.h"

#include <gtest/gtest.h>

namespace hpo::report {
namespace {

TEST(HiddenPlaces, KeepTheLastPartOfAPath) {
  const Places places({}, "");
  EXPECT_EQ(places.hidden("cannot read /users/ann/tables/x.csv: no such file"),
            "cannot read x.csv: no such file");
  EXPECT_EQ(places.hidden("/users/ann/run/"), "run");
  EXPECT_EQ(places.hidden("File \"/usr/lib/python3/site.py\", line 3"), "File \"site.py\", line 3");
  EXPECT_EQ(places.hidden("('/scratch/a', '/scratch/b')"), "('a', 'b')");
  EXPECT_EQ(places.hidden("~ann/x and ~/y"), "x and y");
  EXPECT_EQ(places.hidden("see file:///users/ann/x.html"), "see x.html");
  EXPECT_EQ(places.hidden("--data=/mnt/sets/mnist"), "--data=mnist");
  EXPECT_EQ(places.hidden("PATH=/opt/a/bin:/usr/bin"), "PATH=bin");
}

TEST(HiddenPlaces, LeaveWhatIsNoPath) {
  const Places places({}, "");
  for (const char* text : {"and/or", "3 / 4", "1/2", "./train.py", "../data/x.csv", "a/b/c.csv",
                           "https://example.org/x", "km/h", "rows /s", "~ 5", "$HOME/x"})
    EXPECT_EQ(places.hidden(text), text);
}

TEST(HiddenPlaces, KnowPathsWithBlanksFromTheStudyFile) {
  const Places places({},
                      "data:\n  csv: \"/users/ann smith/my tables/x y.csv\"\ncommand: [sh, "
                      "/srv/job/run it.sh]\n");
  EXPECT_EQ(places.hidden("cannot read /users/ann smith/my tables/x y.csv"), "cannot read x y.csv");
  EXPECT_EQ(places.hidden("  csv: \"/users/ann smith/my tables/x y.csv\""), "  csv: \"x y.csv\"");
  EXPECT_EQ(places.hidden("/srv/job/run it.sh: 3"), "run it.sh: 3");
}

TEST(HiddenPlaces, ReplaceHostsThatStandAlone) {
  const Places places({"node7.cluster.example", "train", "localhost", ""}, "");
  EXPECT_EQ(places.hidden("lost on node7.cluster.example."), "lost on host.");
  EXPECT_EQ(places.hidden("node7: no answer"), "host: no answer");
  EXPECT_EQ(places.hidden("train train.csv retrain"), "host train.csv retrain");
  EXPECT_EQ(places.hidden("node77 and localhost"), "node77 and localhost");
}

TEST(HiddenPlaces, AreShownOnRequest) {
  EXPECT_EQ(Places().hidden("/users/ann/x on node7"), "/users/ann/x on node7");
}

}  // namespace
}  // namespace hpo::report
