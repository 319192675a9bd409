#include "tests/runtime/net/sums/simulated.h"

#include <sys/wait.h>
#include <unistd.h>

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "base/error.h"

namespace sums_tests {

namespace {

namespace s4u = simgrid::s4u;
using namespace rt::net::sums;

/// Links of a fabric. A message passes the uplinks of its groups, the latency of its level, and
/// the downlinks of its peer's groups.
class Platform {
 public:
  Platform(const Fabric& fabric, int members)
      : fabric_(fabric), zone_(s4u::create_full_zone("all")) {
    for (std::size_t level = 0; level < fabric.levels.size(); ++level) {
      const std::string name = "level" + std::to_string(level);
      latencies_.push_back(zone_->create_link(name, fabric.levels[level].bandwidth)
                               ->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE)
                               ->set_latency(fabric.levels[level].latency));
      up_.push_back(make_links(name + "up", level, members));
      down_.push_back(make_links(name + "down", level, members));
    }
    for (int i = 0; i < members; ++i)
      hosts_.push_back(zone_->create_host("member" + std::to_string(i), 1e9)->seal());
    for (int from = 0; from < members; ++from)
      for (int to = 0; to < members; ++to)
        if (from != to)
          zone_->add_route(host(from)->get_netpoint(), host(to)->get_netpoint(), nullptr, nullptr,
                           route(from, to), false);
    zone_->seal();
  }
  [[nodiscard]] s4u::Host* host(int member) const {
    return hosts_[static_cast<std::size_t>(member)];
  }

 private:
  using Links = std::vector<s4u::Link*>;

  /// The members that have a link of this level together.
  [[nodiscard]] int width(std::size_t level) const {
    return level == 0 ? 1 : fabric_.levels[level - 1].size;
  }
  Links make_links(const std::string& name, std::size_t level, int members) {
    Links made;
    for (int i = 0; i * width(level) < members; ++i)
      made.push_back(
          zone_->create_link(name + "-" + std::to_string(i), fabric_.levels[level].bandwidth)
              ->set_latency(0));
    return made;
  }
  [[nodiscard]] std::vector<s4u::LinkInRoute> route(int from, int to) const {
    std::size_t top = 0;
    while (from / fabric_.levels[top].size != to / fabric_.levels[top].size) ++top;
    std::vector<s4u::LinkInRoute> links{s4u::LinkInRoute(latencies_[top])};
    for (std::size_t level = top == 0 ? 0 : 1; level <= top; ++level) {
      links.emplace_back(up_[level][static_cast<std::size_t>(from / width(level))]);
      links.emplace_back(down_[level][static_cast<std::size_t>(to / width(level))]);
    }
    return links;
  }

  const Fabric& fabric_;
  s4u::NetZone* zone_;
  Links latencies_;
  std::vector<Links> up_, down_;
  std::vector<s4u::Host*> hosts_;
};

s4u::Mailbox* mailbox(int from, int to) {
  return s4u::Mailbox::by_name(std::to_string(from) + ">" + std::to_string(to));
}

/// Returns the messages that a member sends at once. SimGrid solves for the rates of all that are
/// under way whenever one of them ends, and did not end in four minutes for 65,000.
std::size_t window_of(const Round& round) {
  constexpr std::size_t kAll = 64, kSome = 1;
  return round.sends.size() <= kAll ? kAll : kSome;
}

/// Plays a member's schedule.
void play(const Schedule& schedule, int own) {
  static char nothing;
  std::vector<void*> come;
  for (const Round& round : schedule.rounds) {
    std::vector<s4u::CommPtr> comms;
    come.assign(round.receives.size(), nullptr);
    for (std::size_t i = 0; i < round.receives.size(); ++i)
      comms.push_back(mailbox(round.receives[i].peer, own)->get_async<void>(&come[i]));
    const std::size_t receives = comms.size();
    for (const Send& send : round.sends) {
      const std::size_t window = window_of(round);
      if (comms.size() - receives >= window) comms[comms.size() - window]->wait();
      comms.push_back(mailbox(own, send.peer)->put_async(&nothing, send.from.count * kElement));
    }
    s4u::Comm::wait_all(comms);
  }
}

double simulate(const Way& way, const Shape& shape, const Fabric& fabric) {
  std::string name = "sums";
  char* arguments[] = {name.data(), nullptr};
  int count = 1;
  s4u::Engine engine(&count, arguments);
  // A network of latencies and bandwidths alone, without what TCP adds. A latency is a link that
  // nobody shares; one much faster than the others would lose the others in the solver's precision.
  s4u::Engine::set_config("network/model", std::string("CM02"));
  s4u::Engine::set_config("network/TCP-gamma", 0.0);
  s4u::Engine::set_config("network/weight-S", 0.0);
  s4u::Engine::set_config("network/crosstraffic", false);
  s4u::Engine::set_config("contexts/stack-size", 64);
  s4u::Engine::set_config("surf/precision", 1e-12);  // of time: rounds take microseconds
  const Platform platform(fabric, shape.members);
  for (int i = 0; i < shape.members; ++i)
    s4u::Actor::create("member", platform.host(i),
                       [schedule = schedule_of(way, shape, i), i] { play(schedule, i); });
  engine.run();
  return s4u::Engine::get_clock();
}

}  // namespace

double simulated_seconds(const Way& way, const Shape& shape, const Fabric& fabric) {
  int ends[2];
  double seconds = -1;
  if (::pipe(ends) != 0) throw base::Error(base::Errc::internal, "no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    seconds = simulate(way, shape, fabric);
    ::_exit(::write(ends[1], &seconds, sizeof seconds) == sizeof seconds ? 0 : 1);
  }
  ::close(ends[1]);
  const bool read = ::read(ends[0], &seconds, sizeof seconds) == sizeof seconds;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  if (!read)
    throw base::Error(base::Errc::internal, "the simulation of " + name_of(way) + " failed");
  return seconds;
}

}  // namespace sums_tests
