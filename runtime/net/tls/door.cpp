#include "runtime/net/tls/door.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "runtime/net/sums/schedule.h"
#include "runtime/net/tls/links.h"

namespace rt::net::tls {

namespace {

constexpr base::Duration kGreeting = std::chrono::seconds(5);     ///< for a handshake and a hello
constexpr base::Duration kAgain = std::chrono::milliseconds(50);  ///< before another call
constexpr std::size_t kMostGuests = 64;  ///< callers that have not said who they are

/// The first bytes in each direction.
struct Hello {
  static constexpr std::uint64_t kMagic = 0x31534d5553525431;  // "1TRSUMS1"
  std::uint64_t magic = kMagic;
  std::uint64_t gang = 0, epoch = 0;
  std::uint32_t from = 0, to = 0, members = 0, none = 0;
  bool operator==(const Hello&) const = default;
};

/// A connection that is not a link yet.
struct Attempt {
  std::unique_ptr<Stream> stream;
  int peer = -1;  ///< who was called; -1: a caller
  base::Moment end;
  bool shaken = false;
  std::size_t said = 0;  ///< bytes of our Hello
  std::array<std::byte, sizeof(Hello)> heard{};
  std::size_t heard_bytes = 0;
};

/// A member whose machine is silent is noticed after 3 seconds: here if nothing is on its way to
/// it, else by TlsLinks::wait(). TCP_USER_TIMEOUT would also end links to members that live and do
/// not read, because they compute.
void prepare_member(int socket) {
  const int on = 1, seconds = 1, probes = 2;
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  (void)::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof seconds);
  (void)::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

/// A socket that is connecting; none if that failed at once.
base::File call(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) return {};
  addrinfo wanted{};
  wanted.ai_family = AF_INET;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.substr(0, colon).c_str(), address.substr(colon + 1).c_str(), &wanted,
                    &found) != 0)
    return {};
  base::File made(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (made) {
    prepare_member(made.fd());
    if (::connect(made.fd(), found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS)
      (void)made.close();
  }
  ::freeaddrinfo(found);
  return made;
}

/// One meeting in progress.
class Gathering {
 public:
  Gathering(ssl_ctx_st* context, int listener, const Meeting& meeting, const OpenSockets& open)
      : context_(context),
        listener_(listener),
        meeting_(meeting),
        open_(open),
        streams_(meeting.addresses.size()),
        calls_(meeting.addresses.size()) {}

  std::vector<std::unique_ptr<Stream>> run(base::Duration most) {
    const base::Moment end = base::now() + most;
    while (true) {
      const int missing = first_missing();
      if (missing < 0) return std::move(streams_);
      if (open_.is_cut()) throw sums::LinkLost(missing, "the meeting was called off");
      if (base::now() >= end)
        throw sums::LinkLost(missing,
                             base::cat("it did not come within ", base::seconds(most), " s"));
      call_all();
      sleep_until(std::min(end, base::now() + kAgain));
      accept_all();
      for (std::size_t i = 0; i < attempts_.size(); ++i) advance(attempts_[i]);
      std::erase_if(attempts_, [](const Attempt& one) {
        return !one.stream || !one.stream->end().empty() || base::now() >= one.end;
      });
    }
  }

 private:
  [[nodiscard]] int members() const { return static_cast<int>(streams_.size()); }

  [[nodiscard]] int first_missing() const {
    for (int i = 0; i < members(); ++i)
      if (i != meeting_.own && !streams_[static_cast<std::size_t>(i)]) return i;
    return -1;
  }

  /// Calls the members with lower numbers that are neither called nor linked.
  void call_all() {
    for (int peer = 0; peer < meeting_.own; ++peer) {
      const auto at = static_cast<std::size_t>(peer);
      const bool busy = std::any_of(attempts_.begin(), attempts_.end(),
                                    [&](const Attempt& one) { return one.peer == peer; });
      if (streams_[at] || busy || base::now() < calls_[at]) continue;
      calls_[at] = base::now() + kAgain;
      if (base::File socket = call(meeting_.addresses[at])) attempt(std::move(socket), peer);
    }
  }

  void sleep_until(base::Moment end) {
    std::vector<pollfd> watched{{listener_, POLLIN, 0}};
    for (const Attempt& one : attempts_)
      watched.push_back({one.stream->fd(),
                         static_cast<short>(one.stream->waits_for_room() ? POLLOUT : POLLIN), 0});
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(end - base::now()).count();
    (void)::poll(watched.data(), watched.size(), static_cast<int>(std::max<std::int64_t>(0, wait)));
  }

  void accept_all() {
    while (true) {
      base::File socket(::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (!socket && (errno == EMFILE || errno == ENFILE))
        throw base::storage_error("accept", "a member", errno);
      if (!socket) return;
      prepare_member(socket.fd());
      const auto guest = [](const Attempt& one) { return one.peer < 0; };
      const auto guests = std::count_if(attempts_.begin(), attempts_.end(), guest);
      if (guests >= static_cast<std::ptrdiff_t>(kMostGuests) + members())
        attempts_.erase(std::find_if(attempts_.begin(), attempts_.end(), guest));
      attempt(std::move(socket), -1);
    }
  }

  /// With a member that was called, or a caller (-1).
  void attempt(base::File socket, int peer) {
    Attempt& one = attempts_.emplace_back();
    one.stream = std::make_unique<Stream>(context_, std::move(socket), peer >= 0);
    one.peer = peer;
    one.end = base::now() + kGreeting;
  }

  [[nodiscard]] Hello hello_to(int peer) const {
    return {.gang = meeting_.gang,
            .epoch = meeting_.epoch,
            .from = static_cast<std::uint32_t>(meeting_.own),
            .to = static_cast<std::uint32_t>(peer),
            .members = static_cast<std::uint32_t>(members())};
  }

  void advance(Attempt& one) {
    if (!one.shaken && !(one.shaken = one.stream->shake())) return;
    const bool called = one.peer >= 0;
    if (called && !say(one, one.peer)) return;
    if (!hear(one)) return;
    Hello heard;
    std::memcpy(&heard, one.heard.data(), sizeof heard);
    const int peer = static_cast<int>(heard.from & 0xffff);
    Hello due = hello_to(peer);
    std::swap(due.from, due.to);
    // A caller has a higher number, so this one never called it.
    if (heard != due || (called ? peer != one.peer : peer <= meeting_.own || peer >= members())) {
      one.stream.reset();
      return;
    }
    if (!called && !say(one, peer)) return;
    streams_[static_cast<std::size_t>(peer)] = std::move(one.stream);
  }

  /// Returns true when all is said.
  bool say(Attempt& one, int peer) const {
    const Hello own = hello_to(peer);
    const auto rest = std::as_bytes(std::span(&own, 1)).subspan(one.said);
    if (!rest.empty()) one.said += one.stream->write(rest, {});
    return one.said == sizeof own && one.stream->flush();
  }

  static bool hear(Attempt& one) {
    while (one.heard_bytes < one.heard.size()) {
      const std::span<const std::byte> come = one.stream->incoming();
      const std::size_t more = std::min(come.size(), one.heard.size() - one.heard_bytes);
      if (more == 0) return false;
      std::memcpy(one.heard.data() + one.heard_bytes, come.data(), more);
      one.stream->take(more);
      one.heard_bytes += more;
    }
    return true;
  }

  ssl_ctx_st* context_;
  int listener_;
  const Meeting& meeting_;
  const OpenSockets& open_;
  std::vector<std::unique_ptr<Stream>> streams_;
  std::vector<base::Moment> calls_;  ///< when each may be called again
  std::vector<Attempt> attempts_;
};

class TlsDoor final : public MemberDoor {
 public:
  TlsDoor(const Identity& own, const std::string& at) : context_(make_context(own)) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    address.sin_family = AF_INET;
    listener_ = base::File(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    auto* const place = reinterpret_cast<sockaddr*>(&address);
    if (::inet_pton(AF_INET, at.c_str(), &address.sin_addr) != 1 || !listener_ ||
        ::bind(listener_.fd(), place, size) != 0 || ::listen(listener_.fd(), SOMAXCONN) != 0 ||
        ::getsockname(listener_.fd(), place, &size) != 0)
      throw base::Error(base::Errc::storage,
                        base::cat("no member of a gang can reach this machine at ", at));
    address_ = base::cat(at, ":", ntohs(address.sin_port));
  }

  [[nodiscard]] std::string address() const override { return address_; }

  std::unique_ptr<sums::Links> meet(const Meeting& meeting, base::Duration most) override {
    const int members = static_cast<int>(meeting.addresses.size());
    if (meeting.own < 0 || meeting.own >= members || members > sums::kMostMembers)
      throw base::Error(base::Errc::internal,
                        base::cat("no member ", meeting.own, " in a gang of ", members));
    open_->clear();
    return std::make_unique<TlsLinks>(
        meeting.own, Gathering(context_.get(), listener_.fd(), meeting, *open_).run(most), open_);
  }

  void cut() noexcept override { open_->cut(); }

 private:
  Context context_;
  base::File listener_;
  std::string address_;
  const std::shared_ptr<OpenSockets> open_ = std::make_shared<OpenSockets>();
};

}  // namespace

std::unique_ptr<MemberDoor> open_door(const Identity& own, const std::string& at) {
  return std::make_unique<TlsDoor>(own, at);
}

}  // namespace rt::net::tls
