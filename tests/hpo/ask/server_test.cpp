#include "hpo/ask/server.h"
#include "base/json.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "hpo/ask/client.h"
#include "hpo/ask/socket.h"
#include "tests/hpo/ask/asking.h"

namespace hpo {
namespace {

/// A keeper in a thread of its own.
class AskServerTest : public Asking {
 protected:
  /// Whoever comes from now on is let in by `serve`.
  void listen() { listener_.emplace(folder()); }
  void serve() {
    if (!listener_) listen();
    stop_ = 0;
    server_.emplace(*listener_, asked());
    thread_ = std::thread([this] {
      server_->serve(3600, stop_);
      server_.reset();
      listener_.reset();
    });
  }
  void end() {
    stop_ = 1;
    if (thread_.joinable()) thread_.join();
  }
  ~AskServerTest() override { end(); }

  void ask_and_tell(std::size_t trials);

  /// The next `count` lines that come in, or fewer where the other end closes.
  static std::vector<std::string> lines(const base::File& socket, std::size_t count) {
    std::vector<std::string> all(count);
    std::size_t at = 0;
    for (char c = 0; at < count && ::recv(socket.fd(), &c, 1, 0) == 1;)
      c == '\n' ? void(++at) : all[at].push_back(c);
    return all;
  }

  /// Whether it comes true within some seconds.
  template <class Condition>
  static bool soon(Condition holds) {
    for (int i = 0; i < 1000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

 private:
  std::atomic<int> stop_{0};
  std::optional<AskListener> listener_;
  std::optional<AskServer> server_;
  std::thread thread_;
};

TEST_F(AskServerTest, NobodyThereIsNoError) {
  EXPECT_FALSE(AskClient::connect(folder()));
  serve();
  EXPECT_TRUE(AskClient::connect(folder()));
  end();
  EXPECT_FALSE(AskClient::connect(folder())) << "a socket that is left behind is no keeper";
}

/// Eight clients that ask for and tell so many trials each: none may be lost or doubled.
void AskServerTest::ask_and_tell(std::size_t trials) {
  constexpr std::size_t kClients = 8;
  serve();
  std::vector<std::vector<std::int64_t>> seen(kClients);
  std::vector<std::thread> clients;
  for (std::size_t c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      auto client = AskClient::connect(folder()).value();
      for (std::size_t i = 0; i < trials; ++i) {
        const std::string said = client.call(R"({"call": "ask"})").value();
        seen[c].push_back(base::Json::parse(said).at("trial").integer());
        const std::string told =
            base::cat(R"({"call": "tell", "trial": )", seen[c].back(), R"(, "value": )", c, "}");
        EXPECT_TRUE(client.call(told));
      }
    });
  }
  for (std::thread& client : clients) client.join();
  end();
  std::set<std::int64_t> all;
  for (std::size_t c = 0; c < kClients; ++c)
    for (const std::int64_t trial : seen[c]) {
      EXPECT_TRUE(all.insert(trial).second) << trial << " was handed out twice";
      EXPECT_EQ(row(static_cast<std::uint64_t>(trial)).value, c);
    }
  EXPECT_EQ(all.size(), kClients * trials);
  EXPECT_EQ(*all.rbegin(), static_cast<std::int64_t>(kClients * trials) - 1);
}

TEST_F(AskServerTest, NoTrialIsLostOrDoubledBetweenManyClients) {
  begin_other("method: random\n");
  ask_and_tell(50);
}

TEST_F(AskServerTest, NorWhereTheyWaitForProposals) {
  begin_other("method: gp\n");
  ask_and_tell(15);
}

TEST_F(AskServerTest, AnswersInLineWhoHasSaidAll) {
  begin_other("method: gp\n");
  serve();
  const base::File client = connect_in(folder()).value();
  const std::string all = "{\"call\": \"ask\"}\n{\"call\": \"ask\"}\nnonsense\n";
  ASSERT_EQ(::send(client.fd(), all.data(), all.size(), MSG_NOSIGNAL), std::ssize(all));
  ASSERT_EQ(::shutdown(client.fd(), SHUT_WR), 0);
  const std::vector<std::string> said = lines(client, 4);
  EXPECT_EQ(base::Json::parse(said[1]).at("trial").integer(), 0);
  EXPECT_EQ(base::Json::parse(said[2]).at("trial").integer(), 1);
  EXPECT_NE(said[3].find("error"), std::string::npos);
}

constexpr const char* kAsk = "{\"call\": \"ask\"}\n";

void say(const base::File& socket, const std::string& words) {
  ASSERT_EQ(::send(socket.fd(), words.data(), words.size(), MSG_NOSIGNAL), std::ssize(words));
}

TEST_F(AskServerTest, WhoHangsUpInLineGetsNoTrial) {
  begin_other("method: gp\nlimits: {trials: 3}\n");
  listen();
  for (int i = 0; i < 30; ++i) say(connect_in(folder()).value(), kAsk);
  serve();
  auto client = AskClient::connect(folder()).value();
  for (int trial = 0; trial < 3; ++trial)
    EXPECT_EQ(base::Json::parse(client.call(R"({"call": "ask"})").value()).find("over"), nullptr);
  end();
  EXPECT_EQ(asked().open(), 3U);
}

/// One that is served before it hangs up, which nobody can know, takes a trial; not all ten.
TEST_F(AskServerTest, NorDoTheyWhoHangUpWhileOthersAreServed) {
  begin_other("method: gp\nlimits: {trials: 20}\n");
  serve();
  for (int i = 0; i < 10; ++i) say(connect_in(folder()).value(), kAsk);
  auto client = AskClient::connect(folder()).value();
  int trials = 0;
  while (!base::Json::parse(client.call(R"({"call": "ask"})").value()).find("over")) ++trials;
  EXPECT_GT(trials, 10);
  end();
  EXPECT_EQ(asked().open(), 20U);
}

TEST_F(AskServerTest, NorWhereProposalsTakeNoTime) {
  begin_other("method: random\n");
  AskListener listener(folder());
  for (int i = 0; i < 5; ++i) say(connect_in(folder()).value(), kAsk);
  AskServer server(listener, asked());
  server.serve(1, std::atomic<int>{0});
  EXPECT_EQ(asked().open(), 0U);
}

TEST_F(AskServerTest, WhoCameWhileTheLogWasReadIsServed) {
  AskListener listener(folder());
  const base::File client = connect_in(folder()).value();
  say(client, kAsk);
  ASSERT_EQ(::shutdown(client.fd(), SHUT_WR), 0);
  AskServer server(listener, asked());
  server.serve(1, std::atomic<int>{0});
  EXPECT_EQ(base::Json::parse(lines(client, 2)[1]).at("trial").integer(), 0);
}

TEST_F(AskServerTest, WhatWasToldBeforeHangingUpCounts) {
  begin_other("method: gp\n");
  serve();
  EXPECT_TRUE(AskClient::connect(folder()).value().call(R"({"call": "ask"})"));
  end();
  listen();
  say(connect_in(folder()).value(),
      base::cat(kAsk, R"({"call": "tell", "trial": 0, "value": 0.5})", "\n", kAsk));
  serve();
  EXPECT_TRUE(AskClient::connect(folder()).value().call(R"({"call": "ask"})"));
  end();
  EXPECT_EQ(row(0).value, 0.5);
  EXPECT_EQ(asked().open(), 1U);
}

TEST_F(AskServerTest, TheLineIsServedInItsOrder) {
  begin_other("method: gp\n");
  serve();
  std::vector<base::File> line;
  for (int i = 0; i < 6; ++i) {
    line.push_back(connect_in(folder()).value());
    (void)lines(line.back(), 1);
  }
  for (const int at : {3, 0, 5, 1, 4, 2}) {
    say(line[static_cast<std::size_t>(at)], base::cat(kAsk, kAsk));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::vector<std::int64_t> first, second;
  for (const int at : {3, 0, 5, 1, 4, 2}) {
    const std::vector<std::string> said = lines(line[static_cast<std::size_t>(at)], 2);
    first.push_back(base::Json::parse(said[0]).at("trial").integer());
    second.push_back(base::Json::parse(said[1]).at("trial").integer());
  }
  EXPECT_TRUE(std::ranges::is_sorted(first));
  EXPECT_TRUE(std::ranges::is_sorted(second));
}

TEST_F(AskServerTest, WhoWaitsOrHasHungUpCostsNoTime) {
  begin_other("method: gp\n");
  serve();
  const base::File half = connect_in(folder()).value();
  (void)lines(half, 1);
  ASSERT_EQ(::shutdown(half.fd(), SHUT_WR), 0);
  for (int i = 0; i < 20; ++i) say(connect_in(folder()).value(), "half a line");
  const base::File idle = connect_in(folder()).value();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const base::Duration before = base::process_cpu_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_LT(base::seconds(base::process_cpu_time() - before), 0.2);
}

TEST_F(AskServerTest, AnswersInOrderWhatCameAtOnce) {
  serve();
  auto client = AskClient::connect(folder()).value();
  const std::string first = client.call("{\"call\": \"ask\"}\n{\"call\": \"ask\"}").value();
  EXPECT_EQ(base::Json::parse(first).at("trial").integer(), 0);
  const std::string second = client.call("nonsense").value();
  EXPECT_EQ(base::Json::parse(second).at("trial").integer(), 1);
  EXPECT_THROW((void)client.call(R"({"call": "ask"})"), base::Error) << "nonsense is refused";
}

TEST_F(AskServerTest, ALineWithoutEndIsRefusedAndTheOthersGoOn) {
  serve();
  const base::File hostile = connect_in(folder()).value();
  const std::string flood(1 << 16, 'x');
  for (int i = 0; i < 40; ++i)
    ASSERT_EQ(::send(hostile.fd(), flood.data(), flood.size(), MSG_NOSIGNAL), 1 << 16);
  auto client = AskClient::connect(folder()).value();
  EXPECT_EQ(base::Json::parse(client.call(R"({"call": "ask"})").value()).at("trial").integer(), 0);
  const std::string end = "\n{\"call\": \"ask\"}\n";
  ASSERT_GT(::send(hostile.fd(), end.data(), end.size(), MSG_NOSIGNAL), 0);
  const std::vector<std::string> said = lines(hostile, 3);
  EXPECT_NE(said[0].find("protocol"), std::string::npos) << said[0];
  EXPECT_NE(said[1].find("more than 1 MiB"), std::string::npos) << said[1];
  EXPECT_EQ(base::Json::parse(said[2]).at("trial").integer(), 1)
      << "what comes behind it is answered";
}

TEST_F(AskServerTest, ACallThatIsTooLongIsRefusedBeforeItIsSent) {
  serve();
  auto client = AskClient::connect(folder()).value();
  EXPECT_THROW((void)client.call(std::string((1 << 20) + 1, ' ')), base::Error);
  EXPECT_TRUE(client.call(R"({"call": "ask"})"));
}

TEST_F(AskServerTest, OnlyItsUserMayConnect) {
  serve();
  struct stat info {};
  ASSERT_EQ(::stat((folder() / kAskSocket).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(AskServerTest, LeavesTheSocketOfTheNextOneAlone) {
  auto before = std::make_optional<AskListener>(folder());
  const AskListener next(folder());
  before.reset();
  EXPECT_TRUE(connect_in(folder()));
}

TEST_F(AskServerTest, MakesASocketAnewThatWasRemoved) {
  serve();
  ASSERT_TRUE(std::filesystem::remove(folder() / kAskSocket));
  EXPECT_TRUE(soon([&] { return AskClient::connect(folder()).has_value(); }));
}

TEST_F(AskServerTest, EndsWhereItsStudyWasRemoved) {
  serve();
  auto client = AskClient::connect(folder()).value();
  const base::Path aside = folder().string() + ".aside";
  std::filesystem::rename(folder(), aside);
  base::make_folder(folder());
  EXPECT_TRUE(soon([&] { return !client.call(R"({"call": "ask"})"); }));
  EXPECT_FALSE(std::filesystem::exists(folder() / kAskSocket)) << "that folder is not its own";
  end();
  std::filesystem::remove(folder());
  std::filesystem::rename(aside, folder());
}

TEST_F(AskServerTest, EndsWhereItsLogWasRemoved) {
  AskListener listener(folder());
  EXPECT_TRUE(listener.stands());
  std::filesystem::rename(folder() / "study.db", folder() / "study.old");
  EXPECT_FALSE(listener.stands());
  std::filesystem::rename(folder() / "study.old", folder() / "study.db");
  EXPECT_TRUE(listener.stands());
}

TEST_F(AskServerTest, RestsWhereThereIsNoDescriptorForOneMore) {
  serve();
  const base::File place(::open(folder().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const base::File late(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  rlimit before_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before_limit), 0);
  const rlimit few{.rlim_cur = 200, .rlim_max = before_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<base::File> all;
  while (all.emplace_back(::dup(place.fd()))) {
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = base::cat("/proc/self/fd/", place.fd(), "/", kAskSocket);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  ASSERT_EQ(::connect(late.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const base::Duration before = base::process_cpu_time();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_LT(base::seconds(base::process_cpu_time() - before), 0.2);
  all.clear();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before_limit), 0);
  EXPECT_NE(lines(late, 1)[0].find("protocol"), std::string::npos);
}

}  // namespace
}  // namespace hpo
