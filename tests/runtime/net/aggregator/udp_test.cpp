// Sums in real processes over UDP.
#include "runtime/net/aggregator/udp.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/net/aggregator/processes.h"
#include "tests/runtime/net/aggregator/terms.h"

namespace rt::net::aggregator {
namespace {

using std::chrono::milliseconds;

/// Blocks enough for losses to meet every slot.
Layout wide_layout() { return Layout({{"weight", 60 * kBlockFloats + 3}, {"bias", 10}}); }

struct InProcesses : testing::TestWithParam<double> {};

TEST_P(InProcesses, SumsAreEqual) {
  const Layout layout = wide_layout();
  std::uint64_t lost = 0;
  for (unsigned workers = 2; workers <= 8; ++workers) {
    const Terms terms = drawn_terms(layout, workers, workers);
    std::vector<float> expected;
    for (int i = 0; i < 3; ++i) {
      const std::vector<float> sum = expected_sum(layout, terms);
      expected.insert(expected.end(), sum.begin(), sum.end());
    }
    Processes processes;
    processes.drop = GetParam();
    processes.seed = workers;
    const Outcome outcome = run_processes(processes, layout, terms, 3);
    ASSERT_EQ(outcome.sums.size(), workers);
    for (const auto& sums : outcome.sums) ASSERT_EQ(sums, expected) << workers << " workers";
    lost += outcome.lost;
  }
  if (GetParam() == 0) {
    EXPECT_EQ(lost, 0U);
  } else {
    EXPECT_GT(lost, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Drop, InProcesses, testing::Values(0, 0.001, 0.01, 0.1));

TEST(Udp, RenumberedProcessesHaveTheSameSum) {
  const Layout layout = odd_layout();
  Terms terms = drawn_terms(layout, 3, 9);
  const std::vector<float> expected = expected_sum(layout, terms);
  for (int rotation = 0; rotation < 3; ++rotation) {
    for (const auto& sum : run_processes({}, layout, terms).sums) ASSERT_EQ(sum, expected);
    std::rotate(terms.begin(), terms.begin() + 1, terms.end());
  }
}

TEST(Udp, TheErrorOfAProcessNamesTheTensor) {
  const Layout layout = odd_layout();
  Terms terms = drawn_terms(layout, 3, 9);
  terms[1].back() = std::nanf("");
  try {
    (void)run_processes({}, layout, terms);
    FAIL() << "no worker noticed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::data);
    EXPECT_NE(std::string(error.what()).find("`dense2.bias`"), std::string::npos) << error.what();
  }
}

TEST(Udp, NoTensorsHaveASum) { EXPECT_EQ(run_processes({}, Layout({}), Terms(2)).sums, Terms(2)); }

TEST(Udp, AWorkerWithoutASwitchSaysSo) {
  const UdpPort nobody;
  const Layout layout = odd_layout();
  UdpWorker worker({1, 0, 2, 4}, {milliseconds(5), 100}, nobody.number(), {});
  try {
    (void)worker.sum(layout, drawn_terms(layout, 1, 1)[0], milliseconds(60));
    FAIL() << "somebody answered";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::storage);
    EXPECT_NE(std::string(error.what()).find("no answer from the switch"), std::string::npos);
  }
  EXPECT_GT(worker.worker().resent(), 0U);
}

TEST(Udp, DatagramsThatAreNoPacketsAreSkipped) {
  UdpPort from, to;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(to.number());
  const base::File other(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const std::vector<char> noise(kMostPacketBytes + 1, 'x');
  for (const std::size_t size : {std::size_t{0}, std::size_t{40}, noise.size()}) {
    ASSERT_EQ(::sendto(other.fd(), noise.data(), size, 0,
                       reinterpret_cast<const sockaddr*>(&address), sizeof address),
              static_cast<ssize_t>(size));
  }
  from.send({1, 2, 3, 4, 5, {6}}, to.number());
  to.wait(std::chrono::seconds(5));
  const auto arrived = to.receive();
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->packet.integers, std::vector<std::int32_t>{6});
  EXPECT_EQ(ntohs(arrived->from.sin_port), from.number());
  EXPECT_FALSE(to.receive());
}

}  // namespace
}  // namespace rt::net::aggregator
