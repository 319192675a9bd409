#include "hpo/ask/server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "hpo/ask/session.h"

namespace hpo {

namespace {

constexpr std::size_t kMostUnsent = 1U << 22;  ///< of one who does not read its answers
constexpr double kTick =
    0.5;  ///< seconds until a request to stop, or the study's removal, is noticed at the latest

}  // namespace

AskServer::AskServer(AskListener& listener, AskedStudy& study)
    : study_(study), listener_(listener), last_(base::now()), looked_(last_) {}

void AskServer::serve(double idle, const std::atomic<int>& interrupts) {
  while (interrupts.load() == 0) {
    if (!connections_.empty()) last_ = base::now();
    const double left = idle - base::seconds_since(last_);
    if (left <= 0) return;
    wait(left);
    if (base::seconds_since(looked_) >= kTick) {
      if (!listener_.stands()) return;
      looked_ = base::now();
    }
    accept_all();
    for (Connection& connection : connections_) receive(connection);
    look_who_hung_up();
    answer_all();
    study_.end_late_trials();
    study_.prepare(!line_.empty());
    study_.commit();
    for (Connection& connection : connections_) send(connection);
    connections_.remove_if([](const Connection& connection) { return connection.done(); });
  }
}

void AskServer::wait(double idle) {
  // Whoever knocks where nobody can be let in would wake us again and again.
  std::vector<pollfd> waiting{{.fd = full_ ? -1 : listener_.fd(), .events = POLLIN, .revents = 0}};
  if (!line_.empty()) waiting.push_back({.fd = study_.fd(), .events = POLLIN, .revents = 0});
  for (const Connection& connection : connections_) {
    short events = connection.out.empty() ? 0 : POLLOUT;
    if (connection.listens()) events |= POLLIN;
    waiting.push_back({.fd = connection.socket.fd(), .events = events, .revents = 0});
  }
  const double seconds =
      may_serve_line() ? 0 : std::min({idle, kTick, study_.next_late().value_or(kTick)});
  (void)::poll(waiting.data(), waiting.size(), static_cast<int>(std::ceil(seconds * 1000)));
}

void AskServer::accept_all() {
  for (;;) {
    base::File socket(::accept4(listener_.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    full_ = !socket && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED;
    if (!socket) return;
    Connection& connection = connections_.emplace_back();
    connection.socket = std::move(socket);
    connection.out = ask_greeting(study_.study()) + "\n";
  }
}

bool AskServer::Connection::listens() const { return !ended && !waits && out.size() < kMostUnsent; }

void AskServer::receive(Connection& connection) {
  if (!connection.listens()) return;
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

void AskServer::look_who_hung_up() {
  std::vector<pollfd> all;
  for (const Connection& connection : connections_)
    all.push_back({.fd = connection.socket.fd(), .events = 0, .revents = 0});
  if (::poll(all.data(), all.size(), 0) <= 0) return;
  std::size_t at = 0;
  for (Connection& connection : connections_) {
    if ((all[at++].revents & POLLHUP) == 0) continue;
    connection.hung_up = true;
    connection.out.clear();
    if (std::exchange(connection.waits, false)) std::erase(line_, &connection);
  }
}

bool AskServer::may_serve_line() const {
  if (line_.empty()) return false;
  const std::string& in = line_.front()->in;
  return !ask_waits(study_, std::string_view(in).substr(0, in.find('\n')), false);
}

void AskServer::answer_all() {
  while (may_serve_line()) {
    Connection& first = *line_.front();
    line_.pop_front();
    answer(first);
  }
  for (Connection& connection : connections_) {
    if (!connection.waits) answer(connection);
  }
}

void AskServer::answer(Connection& connection) {
  std::size_t begin = 0;
  for (std::size_t end = connection.in.find('\n'); end != std::string::npos;
       end = connection.in.find('\n', begin)) {
    const auto line = std::string_view(connection.in).substr(begin, end - begin);
    if (connection.hung_up && is_asking(line)) {
      begin = end + 1;
      continue;
    }
    const bool has_waited = std::exchange(connection.waits, false);
    if (!has_waited && ask_waits(study_, line, !line_.empty())) {
      connection.waits = true;
      line_.push_back(&connection);
      break;
    }
    connection.answers += ask_answer(study_, line) + "\n";
    begin = end + 1;
  }
  connection.in.erase(0, begin);
  if (!connection.waits && connection.in.size() > kLongestAskLine) refuse_long_line(connection);
}

void AskServer::refuse_long_line(Connection& connection) {
  connection.answers += R"({"error": "a line of more than 1 MiB", "kind": "usage"})"
                        "\n";
  connection.in.clear();
  connection.too_long = true;
}

void AskServer::send(Connection& connection) {
  connection.out += std::exchange(connection.answers, {});
  if (connection.hung_up) connection.out.clear();
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
