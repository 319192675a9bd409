#include "hpo/log/liveness.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"

namespace hpo {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The port of "TOKEN HOST:PORT ...".
std::string port_in(const std::string& address) {
  const std::size_t space = address.find(' ', address.find(' ') + 1);
  const std::string first = address.substr(0, space);
  return first.substr(first.rfind(':') + 1);
}

std::string token_in(const std::string& address) { return address.substr(0, address.find(' ')); }

/// A connection to that port of this machine.
base::File connect_to(const std::string& port) {
  base::File socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(*base::parse_int(port)));
  EXPECT_EQ(::connect(socket.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return socket;
}

/// What that port answers to the words, up to its end.
std::string answer_to(const std::string& port, const std::string& words) {
  const base::File socket = connect_to(port);
  EXPECT_EQ(::write(socket.fd(), words.data(), words.size()), static_cast<ssize_t>(words.size()));
  return base::read_all(socket.fd());
}

TEST(Liveness, ADriverAnswersAsLongAsItLives) {
  std::optional<LivenessPort> port(std::in_place);
  const std::string address = port->address();
  ASSERT_FALSE(address.empty());
  EXPECT_EQ(ask_driver(address, seconds(5)), Liveness::answers);
  port.reset();
  EXPECT_EQ(ask_driver(address, seconds(5)), Liveness::refused);
}

TEST(Liveness, AnotherDriverAtThatPortIsNotTheOne) {
  const LivenessPort port;
  std::string other = port.address();
  other[0] = other[0] == 'x' ? 'y' : 'x';
  EXPECT_EQ(ask_driver(other, seconds(5)), Liveness::silent);
}

TEST(Liveness, WhoeverRepeatsWhatItHearsIsNoDriver) {
  const base::File listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  ASSERT_EQ(::bind(listener.fd(), reinterpret_cast<sockaddr*>(&own), size), 0);
  ASSERT_EQ(::listen(listener.fd(), 4), 0);
  ASSERT_EQ(::getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&own), &size), 0);
  const std::jthread echo([&] {
    const base::File caller(::accept(listener.fd(), nullptr, nullptr));
    char heard[256];
    const ssize_t n = ::read(caller.fd(), heard, sizeof heard);
    if (n > 0) (void)!::write(caller.fd(), heard, static_cast<std::size_t>(n));
  });
  EXPECT_EQ(ask_driver(base::cat("token 127.0.0.1:", ntohs(own.sin_port)), seconds(5)),
            Liveness::silent);
}

TEST(Liveness, WhoAcceptsAndSaysNothingIsSilent) {
  const base::File listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::listen(listener.fd(), 4), 0);
  sockaddr_in own{};
  socklen_t size = sizeof own;
  ASSERT_EQ(::getsockname(listener.fd(), reinterpret_cast<sockaddr*>(&own), &size), 0);
  const base::Moment begun = base::now();
  EXPECT_EQ(ask_driver(base::cat("token 127.0.0.1:", ntohs(own.sin_port)), milliseconds(100)),
            Liveness::silent);
  EXPECT_LT(base::seconds_since(begun), 5);
}

TEST(Liveness, StrangersHearNothing) {
  const LivenessPort port;
  const std::string number = port_in(port.address()), token = token_in(port.address());
  EXPECT_EQ(answer_to(number, "GET / HTTP/1.1\r\n\r\n"), "");
  EXPECT_EQ(answer_to(number, "trellis-driver? \n"), "");
  EXPECT_EQ(answer_to(number, base::cat("trellis-driver? ", token, "\n")), "");
  EXPECT_EQ(answer_to(number, std::string(300, 'x')), "");
  EXPECT_EQ(answer_to(number, base::cat("trellis-driver? ", token, " 7\n")),
            base::cat("trellis-driver! ", token, " 7\n"));
}

TEST(Liveness, IdleConnectionsKeepNobodyOut) {
  const LivenessPort port;
  std::vector<base::File> idle;
  for (int i = 0; i < 40; ++i) idle.push_back(connect_to(port_in(port.address())));
  EXPECT_EQ(ask_driver(port.address(), seconds(5)), Liveness::answers);
}

TEST(Liveness, AddressesThatAreNoneAreNoAnswer) {
  for (const char* address : {"", "token", "token ", "token here", "token 127.0.0.1", "token :7",
                              "token 127.0.0.1:0", "token 127.0.0.1:65536", "token [::1:7"})
    EXPECT_EQ(ask_driver(address, seconds(5)), Liveness::silent) << address;
}

TEST(Liveness, OneOfSeveralAddressesIsEnough) {
  const LivenessPort port;
  const std::string address = base::cat(
      token_in(port.address()), " nowhere:1 127.0.0.1:1 127.0.0.1:", port_in(port.address()));
  EXPECT_EQ(ask_driver(address, seconds(5)), Liveness::answers);
}

}  // namespace
}  // namespace hpo
