#include "hpo/serve/study_feed.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/hpo/report/studies.h"
#include "tests/support/temp_folder.h"

namespace hpo::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class StudyFeedTest : public ::testing::Test {
 protected:
  StudyFeedTest() { add(0); }

  void add(std::uint64_t trial) {
    made_.create(trial, made::params_of(trial));
    made_.report(trial, 1, 0.25 + 0.01 * static_cast<double>(trial));
    made_.commit();
  }

  /// All that comes until nothing came for a while.
  std::string all_news(StudyFeed& feed, Sent& sent, base::Duration patience = seconds(5)) {
    std::string all;
    for (std::string piece = feed.news(sent, patience); !piece.empty();
         piece = feed.news(sent, milliseconds(1500)))
      all += piece;
    return all;
  }

  [[nodiscard]] std::int64_t position() const { return StudyReader(study_).position(); }

  support::TempFolder folder_;
  base::Path study_ = folder_.path() / "digits";
  made::Made made_{study_};
  ReportOptions options_;
  LivePlace place_{.assets = "/assets/", .events = "/events", .stop = ""};
};

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST_F(StudyFeedTest, ThePageSaysUpToWhereItShowsTheLog) {
  StudyFeed feed(study_, options_, place_);
  const StudyFeed::Page page = feed.page(seconds(10));
  ASSERT_EQ(page.state, FeedState::good);
  EXPECT_NE(page.html->find(base::cat("\"position\":", position(), ",")), std::string::npos);
  EXPECT_NE(page.html->find("<script src=\"/assets/page.js\"></script>"), std::string::npos);
  EXPECT_EQ(page.html->find("http-equiv"), std::string::npos);
}

TEST_F(StudyFeedTest, EachStreamGetsEachReportOnce) {
  StudyFeed feed(study_, options_, place_);
  ASSERT_EQ(feed.page(seconds(10)).state, FeedState::good);
  Sent one = feed.follow(position()), other = one;
  add(1);
  const std::string first = all_news(feed, one);
  EXPECT_EQ(count(first, "event: changes"), 1u) << first;
  EXPECT_NE(first.find("\"trial\":1,"), std::string::npos);
  EXPECT_EQ(first.find("\"trial\":0,"), std::string::npos) << "what the page has comes again";
  EXPECT_NE(first.find(base::cat("id: ", position(), "\n")), std::string::npos);
  // The second stream reads later, and what it missed comes as one piece or several.
  add(2);
  add(3);
  const std::string second = all_news(feed, other);
  for (const char* trial : {"\"trial\":1,", "\"trial\":2,", "\"trial\":3,"})
    EXPECT_EQ(count(second, trial), 1u) << second;
  feed.unfollow();
}

TEST_F(StudyFeedTest, AStreamGoesOnWhereItBroke) {
  Sent sent;
  {
    StudyFeed feed(study_, options_, place_);
    sent = feed.follow(position());
    add(1);
    (void)all_news(feed, sent);
  }
  add(2);
  StudyFeed anew(study_, options_, place_);
  Sent again = anew.follow(sent.position);
  const std::string missed = all_news(anew, again);
  EXPECT_EQ(count(missed, "\"trial\":2,"), 1u) << missed;
  EXPECT_EQ(count(missed, "\"trial\":1,"), 0u) << missed;
  EXPECT_EQ(again.position, position());
}

TEST_F(StudyFeedTest, WhatComesHidesPlacesAsThePageDoes) {
  StudyFeed feed(study_, options_, place_);
  Sent sent = feed.follow(0);
  (void)all_news(feed, sent);
  made_.end(0, TrialState::failed, Cause::error,
            "cannot read /users/ann smith/tables/digits.csv.gz");
  made_.commit();
  const std::string news = all_news(feed, sent);
  EXPECT_NE(news.find("cannot read"), std::string::npos) << news;
  EXPECT_EQ(news.find("ann smith"), std::string::npos) << news;
}

TEST_F(StudyFeedTest, SentencesFollowTheStudy) {
  StudyFeed feed(study_, options_, place_);
  ASSERT_EQ(feed.page(seconds(10)).state, FeedState::good);
  Sent sent = feed.follow(position());
  add(1);
  // A page that costs much is made anew only after a rest of many times its cost.
  std::string news;
  const base::Moment given_up = base::now() + seconds(60);
  while (news.find("event: page") == std::string::npos && base::now() < given_up)
    news += feed.news(sent, seconds(1));
  EXPECT_NE(news.find("event: page"), std::string::npos) << news;
  EXPECT_NE(feed.page(seconds(10)).html->find("of 2 trials"), std::string::npos);
}

TEST_F(StudyFeedTest, AFolderWithoutAStudyIsSaidToHaveNone) {
  StudyFeed feed(folder_.path() / "none", options_, place_);
  EXPECT_EQ(feed.page(seconds(10)).state, FeedState::absent);
}

}  // namespace
}  // namespace hpo::serve
