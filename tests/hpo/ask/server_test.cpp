#include "hpo/ask/server.h"

#include <sys/socket.h>

#include <set>
#include <thread>
#include <vector>

#include "hpo/ask/client.h"
#include "hpo/ask/socket.h"
#include "hpo/log/json.h"
#include "tests/hpo/ask/asking.h"

namespace hpo {
namespace {

/// A keeper in a thread of its own.
class AskServerTest : public Asking {
 protected:
  void serve() {
    server_.emplace(folder(), asked());
    thread_ = std::thread([this] { server_->serve(3600, stop_); });
  }
  void end() {
    stop_ = 1;
    if (thread_.joinable()) thread_.join();
    server_.reset();
  }
  ~AskServerTest() override { end(); }

 private:
  std::atomic<int> stop_{0};
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

TEST_F(AskServerTest, NoTrialIsLostOrDoubledBetweenManyClients) {
  constexpr int kClients = 8, kTrials = 50;
  begin_other("method: random\n");
  serve();
  std::vector<std::vector<std::int64_t>> seen(kClients);
  std::vector<std::thread> clients;
  for (int c = 0; c < kClients; ++c) {
    clients.emplace_back([&, c] {
      auto client = AskClient::connect(folder()).value();
      for (int i = 0; i < kTrials; ++i) {
        const std::string said = client.call(R"({"call": "ask"})").value();
        seen[c].push_back(Json::parse(said).at("trial").integer());
        const std::string told =
            rt::cat(R"({"call": "tell", "trial": )", seen[c].back(), R"(, "value": )", c, "}");
        EXPECT_TRUE(client.call(told));
      }
    });
  }
  for (std::thread& client : clients) client.join();
  end();
  std::set<std::int64_t> all;
  for (int c = 0; c < kClients; ++c)
    for (const std::int64_t trial : seen[c]) {
      EXPECT_TRUE(all.insert(trial).second) << trial << " was handed out twice";
      EXPECT_EQ(row(static_cast<std::uint64_t>(trial)).value, c);
    }
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kClients * kTrials));
  EXPECT_EQ(*all.rbegin(), kClients * kTrials - 1);
}

TEST_F(AskServerTest, AnswersInOrderWhatCameAtOnce) {
  serve();
  auto client = AskClient::connect(folder()).value();
  const std::string first = client.call("{\"call\": \"ask\"}\n{\"call\": \"ask\"}").value();
  EXPECT_EQ(Json::parse(first).at("trial").integer(), 0);
  const std::string second = client.call("nonsense").value();
  EXPECT_EQ(Json::parse(second).at("trial").integer(), 1);
  EXPECT_THROW((void)client.call(R"({"call": "ask"})"), rt::Error) << "nonsense is refused";
}

TEST_F(AskServerTest, ALineWithoutEndIsRefusedAndTheOthersGoOn) {
  serve();
  const rt::File hostile = connect_in(folder()).value();
  const std::string flood(1 << 16, 'x');
  for (int i = 0; i < 40; ++i)
    if (::send(hostile.fd(), flood.data(), flood.size(), MSG_NOSIGNAL) < 0) break;
  auto client = AskClient::connect(folder()).value();
  EXPECT_TRUE(client.call(R"({"call": "ask"})"));
}

}  // namespace
}  // namespace hpo
