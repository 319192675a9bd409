#include "hpo/ask/server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <vector>

#include "hpo/ask/session.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

constexpr std::size_t kMostUnsent = 1U << 22;  ///< of one who does not read its answers
constexpr double kTick =
    0.5;  ///< seconds until a request to stop, or the study's removal, is noticed at the latest

}  // namespace

AskServer::AskServer(const rt::Path& folder, AskedStudy& study)
    : study_(study), listener_(folder), last_(rt::now()), looked_(last_) {}

void AskServer::serve(double idle, const std::atomic<int>& interrupts) {
  while (interrupts.load() == 0) {
    if (!connections_.empty()) last_ = rt::now();
    const double left = idle - rt::seconds_since(last_);
    if (left <= 0) return;
    wait(left);
    if (rt::seconds_since(looked_) >= kTick) {
      if (!listener_.stands()) return;
      looked_ = rt::now();
    }
    accept_all();
    for (Connection& connection : connections_) {
      receive(connection);
      answer(connection);
    }
    study_.end_late_trials();
    study_.commit();
    for (Connection& connection : connections_) send(connection);
    connections_.remove_if([](const Connection& connection) { return connection.done(); });
  }
}

void AskServer::wait(double idle) {
  // Whoever knocks where nobody can be let in would wake us again and again.
  std::vector<pollfd> waiting{{.fd = full_ ? -1 : listener_.fd(), .events = POLLIN, .revents = 0}};
  for (const Connection& connection : connections_) {
    short events = connection.out.empty() ? 0 : POLLOUT;
    if (!connection.ended && connection.out.size() < kMostUnsent) events |= POLLIN;
    waiting.push_back({.fd = connection.socket.fd(), .events = events, .revents = 0});
  }
  const double seconds = std::min({idle, kTick, study_.next_late().value_or(kTick)});
  (void)::poll(waiting.data(), waiting.size(), static_cast<int>(std::ceil(seconds * 1000)));
}

void AskServer::accept_all() {
  for (;;) {
    rt::File socket(::accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    full_ = !socket && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED;
    if (!socket) return;
    Connection& connection = connections_.emplace_back();
    connection.socket = std::move(socket);
    connection.out = ask_greeting(study_.study()) + "\n";
  }
}

void AskServer::receive(Connection& connection) {
  if (connection.ended || connection.out.size() >= kMostUnsent) return;
  char bytes[65536];
  const ssize_t n = ::recv(connection.socket.fd(), bytes, sizeof bytes, 0);
  if (n > 0) connection.in.append(bytes, static_cast<std::size_t>(n));
  if (connection.too_long) {
    const std::size_t end = connection.in.find('\n');
    connection.too_long = end == std::string::npos;
    connection.in.erase(0, connection.too_long ? end : end + 1);
  }
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) connection.ended = true;
}

void AskServer::answer(Connection& connection) {
  std::size_t begin = 0;
  for (std::size_t end = connection.in.find('\n'); end != std::string::npos;
       end = connection.in.find('\n', begin)) {
    const auto line = std::string_view(connection.in).substr(begin, end - begin);
    connection.answers += ask_answer(study_, line) + "\n";
    begin = end + 1;
  }
  connection.in.erase(0, begin);
  if (connection.in.size() > kLongestAskLine) refuse_long_line(connection);
}

void AskServer::refuse_long_line(Connection& connection) {
  connection.answers += R"({"error": "a line of more than 1 MiB", "kind": "usage"})"
                        "\n";
  connection.in.clear();
  connection.too_long = true;
}

void AskServer::send(Connection& connection) {
  connection.out += std::exchange(connection.answers, {});
  while (!connection.out.empty()) {
    const ssize_t n =
        ::send(connection.socket.fd(), connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) {
      connection.ended = true;
      connection.out.clear();
      return;
    }
    connection.out.erase(0, static_cast<std::size_t>(n));
  }
}

}  // namespace hpo
