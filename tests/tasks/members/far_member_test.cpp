// How a member on another host ends, by what its first process says.
#include "tasks/members/far_member.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/error.h"
#include "runtime/codec.h"

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

class NoDoor final : public rt::net::MemberDoor {
 public:
  [[nodiscard]] std::string address() const override { return "nowhere:1"; }
  [[nodiscard]] std::unique_ptr<rt::net::sums::Links> meet(const rt::net::Meeting&,
                                                           base::Duration) override {
    return nullptr;
  }
  void cut() noexcept override {}
};

class OneAnswer final : public rt::net::Network {
 public:
  explicit OneAnswer(base::Bytes frame) : frame_(std::move(frame)) {}
  std::unique_ptr<rt::net::Transport> listen(const rt::net::Identity&, const std::string&,
                                             rt::net::Inbox&) override {
    return nullptr;
  }
  std::unique_ptr<rt::net::Transport> connect(const rt::net::Identity&, rt::net::Listener,
                                              rt::net::Inbox& inbox) override {
    return std::make_unique<OneFrame>(inbox, frame_);
  }
  rt::net::Authority make_authority() override { return {}; }
  rt::net::Identity issue(const rt::net::Authority&, bool) override { return {}; }
  std::unique_ptr<rt::net::MemberDoor> open_door(const rt::net::Identity&,
                                                 const std::string&) override {
    return std::make_unique<NoDoor>();
  }
  [[nodiscard]] std::string fault_of(const rt::net::Identity&) override { return {}; }

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
