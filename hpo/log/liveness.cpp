#include "hpo/log/liveness.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <system_error>

#include "base/new_file.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr std::string_view kQuestion = "trellis-driver? ";
// Other words than the question: what repeats everything is no driver.
constexpr std::string_view kAnswer = "trellis-driver! ";
constexpr std::size_t kLongestLine = 256;
constexpr std::size_t kMostCallers = 16;
constexpr std::size_t kMostAddresses = 8;
constexpr int kBacklog = 64;

struct Endpoint {
  sockaddr_storage address{};
  socklen_t size = 0;

  [[nodiscard]] const sockaddr* raw() const {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
    return reinterpret_cast<const sockaddr*>(&address);
  }
};

template <class Address>
Endpoint endpoint_of(const Address& address) {
  Endpoint endpoint;
  std::memcpy(&endpoint.address, &address, sizeof address);
  endpoint.size = sizeof address;
  return endpoint;
}

Endpoint ip4(in_addr host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr = host;
  address.sin_port = htons(port);
  return endpoint_of(address);
}

Endpoint ip6(const in6_addr& host, std::uint16_t port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = host;
  address.sin6_port = htons(port);
  return endpoint_of(address);
}

/// "10.0.0.7:41234" or "[fd00::7]:41234".
std::optional<Endpoint> endpoint_from(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {};
  const auto port = base::parse_int(text.substr(colon + 1));
  if (!port || *port < 1 || *port > 65535) return {};
  std::string host(text.substr(0, colon));
  in_addr four{};
  if (::inet_pton(AF_INET, host.c_str(), &four) == 1)
    return ip4(four, static_cast<std::uint16_t>(*port));
  if (host.size() < 2 || host.front() != '[' || host.back() != ']') return {};
  host = host.substr(1, host.size() - 2);
  in6_addr six{};
  if (::inet_pton(AF_INET6, host.c_str(), &six) != 1) return {};
  return ip6(six, static_cast<std::uint16_t>(*port));
}

/// The address as text, without a port; nothing for one that leads nowhere from another machine.
std::optional<std::string> host_text(const ifaddrs& card) {
  if (card.ifa_addr == nullptr || (card.ifa_flags & IFF_UP) == 0 ||
      (card.ifa_flags & IFF_LOOPBACK) != 0)
    return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (card.ifa_addr->sa_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, card.ifa_addr, sizeof four);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    return std::string(text.data());
  }
  if (card.ifa_addr->sa_family != AF_INET6) return {};
  sockaddr_in6 six{};
  std::memcpy(&six, card.ifa_addr, sizeof six);
  if (IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr)) return {};
  ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  return base::cat("[", text.data(), "]");
}

/// Under which others reach this machine, the older kind first.
std::vector<std::string> own_hosts() {
  ifaddrs* cards = nullptr;
  if (::getifaddrs(&cards) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(cards, &::freeifaddrs);
  std::vector<std::string> hosts;
  for (const ifaddrs* card = cards; card != nullptr; card = card->ifa_next) {
    if (auto host = host_text(*card)) hosts.push_back(std::move(*host));
  }
  std::ranges::stable_partition(hosts, [](const std::string& host) { return host[0] != '['; });
  if (hosts.size() > kMostAddresses) hosts.resize(kMostAddresses);
  return hosts;
}

base::File new_socket(int family) {
  return base::File(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

/// A socket that listens there; none where the system refuses.
base::File listen_at(const Endpoint& endpoint) {
  base::File socket = new_socket(endpoint.address.ss_family);
  const int no = 0;
  if (socket && endpoint.address.ss_family == AF_INET6)
    (void)::setsockopt(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
  if (!socket || ::bind(socket.fd(), endpoint.raw(), endpoint.size) != 0 ||
      ::listen(socket.fd(), kBacklog) != 0)
    return {};
  return socket;
}

base::File listen_for(bool others) {
  if (!others) return listen_at(ip4({htonl(INADDR_LOOPBACK)}, 0));
  base::File both = listen_at(ip6(in6addr_any, 0));
  return both ? std::move(both) : listen_at(ip4({htonl(INADDR_ANY)}, 0));
}

std::uint16_t port_of(const base::File& socket) {
  Endpoint own;
  own.size = sizeof own.address;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  auto* const raw = reinterpret_cast<sockaddr*>(&own.address);
  if (::getsockname(socket.fd(), raw, &own.size) != 0) return 0;
  sockaddr_in four{};  // the port lies at the same place in both kinds
  std::memcpy(&four, &own.address, sizeof four);
  return ntohs(four.sin_port);
}

/// Adds what has come; false once nothing more will.
bool receive(const base::File& socket, std::string& said) {
  std::array<char, kLongestLine> buffer{};
  const ssize_t n = ::recv(socket.fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (n < 0) return errno == EAGAIN || errno == EINTR;
  said.append(buffer.data(), static_cast<std::size_t>(n));
  return n > 0 && said.size() <= kLongestLine;
}

void say(const base::File& socket, const std::string& line) {
  (void)!::send(socket.fd(), line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// No signal of the process is for this thread.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

int whole_milliseconds(base::Duration d) {
  return static_cast<int>(
      std::max<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(d).count(), 0));
}

}  // namespace

LivenessPort::LivenessPort() : token_(base::unique_name()) {
  std::vector<std::string> hosts = own_hosts();
  listener_ = listen_for(!hosts.empty());
  stop_ = base::open_pipe();
  const std::uint16_t port = listener_ ? port_of(listener_) : 0;
  if (port == 0 || !stop_) return;
  if (hosts.empty()) hosts.emplace_back("127.0.0.1");
  try {
    const SignalsBlocked blocked;
    thread_ = std::jthread([this] { serve(); });
  } catch (const std::system_error&) {
    return;
  }
  address_ = token_;
  for (const std::string& host : hosts) address_ += base::cat(" ", host, ":", port);
}

LivenessPort::~LivenessPort() { (void)stop_.write.close(); }

void LivenessPort::serve() const {
  std::vector<Caller> callers;  // who came first stands first
  for (;;) {
    std::vector<pollfd> wait{{stop_.read.fd(), POLLIN, 0}, {listener_.fd(), POLLIN, 0}};
    for (const Caller& caller : callers) wait.push_back({caller.socket.fd(), POLLIN, 0});
    if (::poll(wait.data(), wait.size(), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (wait[0].revents != 0) return;
    for (std::size_t i = callers.size(); i-- > 0;) {
      if (wait[i + 2].revents != 0 && hear(callers[i]))
        callers.erase(callers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (wait[1].revents != 0) admit(callers);
  }
}

void LivenessPort::admit(std::vector<Caller>& callers) const {
  base::File socket(::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket) {
    // Without descriptors the caller stays in the queue, and asking again at once would spin.
    pollfd stopped{stop_.read.fd(), POLLIN, 0};
    if (errno != EAGAIN && errno != EINTR) (void)::poll(&stopped, 1, 100);
    return;
  }
  // Idle connections keep nobody out: the oldest one goes, and who is in earnest asks again.
  if (callers.size() == kMostCallers) callers.erase(callers.begin());
  callers.push_back({std::move(socket), {}});
}

bool LivenessPort::hear(Caller& caller) const {
  const bool more = receive(caller.socket, caller.said);
  const std::size_t end = caller.said.find('\n');
  if (end == std::string::npos) return !more;
  const std::string start = base::cat(kQuestion, token_, " ");
  if (caller.said.starts_with(start))
    say(caller.socket,
        base::cat(kAnswer, caller.said.substr(kQuestion.size(), end - kQuestion.size()), "\n"));
  return true;
}

namespace {

/// One address that is asked.
class Asked {
 public:
  enum class State : std::uint8_t { connecting, waiting, answered, refused, failed };

  Asked(const Endpoint& endpoint, const std::string& words)
      : words_(words), socket_(new_socket(endpoint.address.ss_family)) {
    if (!socket_) {
      state_ = State::failed;
    } else if (::connect(socket_.fd(), endpoint.raw(), endpoint.size) == 0) {
      connected();
    } else if (errno != EINPROGRESS) {
      state_ = errno == ECONNREFUSED ? State::refused : State::failed;
    }
  }

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] bool is_open() const {
    return state_ == State::connecting || state_ == State::waiting;
  }
  [[nodiscard]] pollfd interest() const {
    return {socket_.fd(), static_cast<short>(state_ == State::connecting ? POLLOUT : POLLIN), 0};
  }

  void ready() {
    if (state_ == State::waiting) return listen();
    int code = 0;
    socklen_t size = sizeof code;
    if (::getsockopt(socket_.fd(), SOL_SOCKET, SO_ERROR, &code, &size) != 0 || code != 0) {
      state_ = code == ECONNREFUSED ? State::refused : State::failed;
    } else {
      connected();
    }
  }

 private:
  void connected() {
    say(socket_, base::cat(kQuestion, words_, "\n"));
    state_ = State::waiting;
  }

  void listen() {
    const bool more = receive(socket_, heard_);
    if (heard_ == base::cat(kAnswer, words_, "\n")) {
      state_ = State::answered;
    } else if (!more) {
      state_ = State::failed;
    }
  }

  const std::string& words_;
  base::File socket_;
  std::string heard_;
  State state_ = State::connecting;
};

bool any_answered(const std::vector<Asked>& all) {
  return std::ranges::any_of(
      all, [](const Asked& one) { return one.state() == Asked::State::answered; });
}

}  // namespace

Liveness ask_driver(std::string_view address, base::Duration patience) {
  const base::Moment end = base::now() + patience;
  const std::size_t space = address.find(' ');
  // The nonce: nobody has heard this answer before.
  const std::string words = base::cat(address.substr(0, space), " ", base::unique_name());
  std::vector<Asked> all;
  for (std::size_t at = space; at < address.size() && all.size() < kMostAddresses;) {
    const std::size_t next = std::min(address.find(' ', at + 1), address.size());
    if (auto endpoint = endpoint_from(address.substr(at + 1, next - at - 1)))
      all.emplace_back(*endpoint, words);
    at = next;
  }
  while (!any_answered(all)) {
    std::vector<pollfd> wait;
    std::vector<Asked*> open;
    for (Asked& one : all) {
      if (!one.is_open()) continue;
      wait.push_back(one.interest());
      open.push_back(&one);
    }
    const base::Duration left = end - base::now();
    if (open.empty() || left <= base::Duration::zero()) break;
    (void)::poll(wait.data(), wait.size(), whole_milliseconds(left));
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (wait[i].revents != 0) open[i]->ready();
    }
  }
  if (any_answered(all)) return Liveness::answers;
  const bool refused = !all.empty() && std::ranges::all_of(all, [](const Asked& one) {
    return one.state() == Asked::State::refused;
  });
  return refused ? Liveness::refused : Liveness::silent;
}

}  // namespace hpo
