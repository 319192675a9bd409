// One link: order, repeats, gaps.
#include "runtime/net/session.h"

#include <gtest/gtest.h>

namespace rt::net {
namespace {

using std::chrono::seconds;

struct Kept final : Post {
  std::vector<Frame> frames;
  void send(LinkId, Channel, base::Bytes bytes) override { frames.push_back(decode_frame(bytes)); }
  void close(LinkId) override {}
};

struct Sessions : testing::Test {
  base::Moment start;
  Session from{1, 7, 3, start};
  Session to{1, 7, 3, start};
  Kept sent;

  /// Sends cancels of the parcels 1 to `count`.
  void send(int count) {
    for (int i = 1; i <= count; ++i) from.send(sent, Cancel{static_cast<ParcelId>(i)});
  }
  std::vector<ParcelId> take(std::size_t frame, base::Moment now) {
    std::vector<ParcelId> parcels;
    for (const Message& message : to.take(sent.frames[frame], now)) {
      if (const auto* cancel = std::get_if<Cancel>(&message)) parcels.push_back(cancel->parcel);
    }
    return parcels;
  }
};

TEST_F(Sessions, EarlyFramesWaitForThoseBefore) {
  send(3);
  EXPECT_TRUE(take(2, start).empty());
  EXPECT_TRUE(take(1, start).empty());
  EXPECT_EQ(take(0, start), (std::vector<ParcelId>{1, 2, 3}));
  EXPECT_FALSE(to.broken(start + seconds(100), seconds(3)));
}

TEST_F(Sessions, RepeatedFramesCountOnce) {
  send(2);
  EXPECT_EQ(take(0, start).size(), 1U);
  EXPECT_EQ(take(0, start).size(), 0U);
  EXPECT_EQ(take(1, start).size(), 1U);
  EXPECT_EQ(to.stale(), 0U);
}

TEST_F(Sessions, AGapThatStaysBreaksTheLink) {
  send(2);
  (void)take(1, start + seconds(1));
  EXPECT_FALSE(to.broken(start + seconds(3), seconds(3)));
  EXPECT_TRUE(to.broken(start + seconds(5), seconds(3)));
}

TEST_F(Sessions, ABeatTellsOfContentsThatNeverCame) {
  from.send(sent, Gone{{1, 1}});
  from.beat(sent, start, seconds(1));
  from.beat(sent, start, seconds(1));
  ASSERT_EQ(sent.frames.size(), 2U) << "one beat a second";
  (void)to.take(sent.frames[1], start);
  EXPECT_TRUE(to.broken(start + seconds(4), seconds(3)));
  (void)to.take(sent.frames[0], start + seconds(4));
  EXPECT_FALSE(to.broken(start + seconds(9), seconds(3)));
}

TEST_F(Sessions, OthersFramesAreStale) {
  send(1);
  Frame other_epoch = sent.frames[0];
  other_epoch.epoch = 6;
  Frame other_agent = sent.frames[0];
  other_agent.agent = 4;
  EXPECT_TRUE(to.take(other_epoch, start + seconds(1)).empty());
  EXPECT_TRUE(to.take(other_agent, start + seconds(1)).empty());
  EXPECT_EQ(to.stale(), 2U);
  EXPECT_EQ(to.heard(), start) << "they are no sign of life";
  EXPECT_EQ(take(0, start + seconds(1)).size(), 1U);
  EXPECT_EQ(to.heard(), start + seconds(1));
}

}  // namespace
}  // namespace rt::net
