// How a member on another host ends, by what its first process says.
#include "tasks/members/far_member.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/error.h"
#include "runtime/codec.h"
#include "tests/tasks/members/no_network.h"

namespace {

/// A link to a first process that answers the greeting with one frame.
class OneFrame final : public rt::net::Transport {
 public:
  OneFrame(rt::net::Inbox& inbox, base::Bytes frame) : inbox_(inbox), frame_(std::move(frame)) {}
  void dial(const std::string&) override { inbox_.opened(kLink); }
  void send(rt::net::LinkId link, rt::net::Channel, base::Bytes) override {
    if (!std::exchange(said_, true)) inbox_.received(link, frame_);
  }
  void close(rt::net::LinkId) override {}

 private:
  static constexpr rt::net::LinkId kLink = 1;
  rt::net::Inbox& inbox_;
  const base::Bytes frame_;
  bool said_ = false;
};

class OneAnswer final : public tasks_test::NoNetwork {
 public:
  explicit OneAnswer(base::Bytes frame) : frame_(std::move(frame)) {}
  std::unique_ptr<rt::net::Transport> connect(const rt::net::Identity&, rt::net::Listener,
                                              rt::net::Inbox& inbox) override {
    return std::make_unique<OneFrame>(inbox, frame_);
  }

 private:
  const base::Bytes frame_;
};

/// The error with which a member ends that is sent this.
base::Error ending_after(base::Bytes frame) {
  OneAnswer network(std::move(frame));
  try {
    tasks::be_far_member(network, {{}, "localhost:1", 1, "here"}, {"build", "arithmetic"});
  } catch (const base::Error& error) {
    return error;
  }
  return {base::Errc::internal, "no error"};
}

TEST(FarMember, SaysWhyItIsTurnedAway) {
  const base::Error error =
      ending_after(rt::encode(tasks::wire::FromFirst(tasks::wire::TurnedAway{"it is too old"})));
  EXPECT_EQ(error.kind(), base::Errc::no_device);
  EXPECT_STREQ(error.what(),
               "the first process of the gang does not take this member: it is too old");
}

TEST(FarMember, DoesNotTakeAFrameThatItCannotReadForARefusal) {
  const base::Error error = ending_after(base::Bytes(3, std::byte{0xff}));
  EXPECT_EQ(error.kind(), base::Errc::data);
  EXPECT_TRUE(std::string_view(error.what())
                  .starts_with("what the first process of the gang sent cannot be taken: "))
      << error.what();
}

}  // namespace
