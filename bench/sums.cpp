// `bench sums`: sums over two processes of this machine, through TLS on the loopback and through
// shared memory. The other process is this program again; both time each sum, and the slower one
// counts.
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/measure.h"
#include "bench/process.h"
#include "bench/rival.h"
#include "runtime/net/sums/bucket_sums.h"
#include "runtime/net/sums/ring_links.h"
#include "runtime/net/sums/segment.h"
#include "runtime/net/transport.h"

namespace bench {
namespace {

namespace sums = rt::net::sums;

constexpr const char* kSumMember = "TRELLIS_BENCH_SUMS";  ///< the folder of the other member

// The promises that these figures are held against.
constexpr double kSmallTlsLimit = 100;  // us for 4 B
constexpr double kTlsLimit = 6.0;       // ms for 4 MiB
constexpr double kSharedLimit = 1.5;    // ms for 4 MiB

/// One case: the same in both processes.
struct Summed {
  bool tls;
  std::size_t count;  ///< floats
  sums::Way::Kind way;
  bool exact;
  int times;
};

std::vector<Summed> all_sums(bool quick) {
  const int share = quick ? 10 : 1;
  using Kind = sums::Way::Kind;
  return {{true, 1, Kind::doubling, false, 2000 / share},
          {true, 1 << 20, Kind::halving, false, 100 / share},
          {false, 1, Kind::doubling, false, 20000 / share},
          {false, 1 << 20, Kind::halving, false, 200 / share},
          {false, 1 << 20, Kind::halving, true, 100 / share}};
}

/// Seconds of each sum, the slower member's. Throws base::Error (internal) if a sum is wrong.
std::vector<double> time_sums(sums::Links& links, const Summed& what) {
  const int members = links.members();
  const auto own = static_cast<float>(links.own() + 1);
  std::vector<float> values(what.count);
  sums::BucketSums vectors(
      links, {.epoch = 1, .shards = members, .way = {.kind = what.way}, .exact = what.exact});
  // What the members know of each other's times is a sum, too.
  sums::BucketSums clocks(links,
                          {.epoch = 1, .shards = members, .way = {sums::Way::Kind::doubling}});
  std::vector<double> seconds;
  for (int i = -what.times / 10; i < what.times; ++i) {
    std::fill(values.begin(), values.end(), own);
    float ready[1] = {0};
    clocks.begin(1, 1, 0, 1, {ready});
    clocks.finish();
    const base::Moment begin = base::now();
    vectors.begin(1, 0, 0, what.count, {values.data()});
    vectors.finish();
    const double took = base::seconds_since(begin);
    if (values.front() != 3 || values.back() != 3)
      throw base::Error(base::Errc::internal, "sums: a sum is wrong");
    if (i >= 0) seconds.push_back(took);
  }
  // Element by element, the larger of two is the larger one's bits: times are positive.
  std::vector<float> both(2 * seconds.size());
  for (std::size_t i = 0; i < seconds.size(); ++i)
    both[2 * i + static_cast<std::size_t>(links.own())] = static_cast<float>(seconds[i]);
  clocks.begin(1, 2, 0, both.size(), {both.data()});
  clocks.finish();
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i] = static_cast<double>(std::max(both[2 * i], both[2 * i + 1]));
  return seconds;
}

/// Both links of one member: doors and segment are found through the folder.
struct Meetings {
  std::unique_ptr<sums::Links> tls, shared;
};

std::string read_when_there(const base::Path& path) {
  const base::Moment begin = base::now();
  while (!base::file_size(path)) {
    if (base::seconds_since(begin) > 30)
      throw base::Error(base::Errc::internal, "sums: the other process did not come");
    base::sleep_for(std::chrono::milliseconds(1));
  }
  return base::read_file(path);
}

Meetings meet(const base::Path& folder, int own, const rt::net::Identity& identity) {
  const auto door = rt::net::load_network().open_door(identity, "127.0.0.1");
  const auto name = [&](int member) { return folder / base::cat("address", member); };
  base::write_file_atomic(name(own), door->address(), base::Durability::cached);
  rt::net::Meeting meeting{.gang = 1, .epoch = 1, .own = own, .addresses = {}};
  for (int i = 0; i < 2; ++i) meeting.addresses.push_back(read_when_there(name(i)));
  Meetings made;
  made.tls = door->meet(meeting, std::chrono::seconds(30));
  std::shared_ptr<sums::Segment> segment;
  if (own == 0) {
    segment = sums::Segment::make(2);
    base::write_file_atomic(folder / "segment", segment->address(), base::Durability::cached);
  } else {
    segment = sums::Segment::open(read_when_there(folder / "segment"));
  }
  made.shared = std::make_unique<sums::RingLinks>(segment, own);
  return made;
}

std::vector<std::vector<double>> run_member(const base::Path& folder, int own,
                                            const rt::net::Identity& identity, bool quick) {
  const Meetings links = meet(folder, own, identity);
  std::vector<std::vector<double>> seconds;
  for (const Summed& one : all_sums(quick))
    seconds.push_back(time_sums(one.tls ? *links.tls : *links.shared, one));
  return seconds;
}

[[noreturn]] void be_member(const base::Path& folder, bool quick) {
  const rt::net::Identity identity{base::read_file(folder / "ca"), base::read_file(folder / "crt"),
                                   base::read_file(folder / "key")};
  (void)run_member(folder, 1, identity, quick);
  std::exit(0);
}

pid_t start_member(const base::Path& folder, bool quick) {
  ::setenv(kSumMember, folder.c_str(), 1);
  char name[] = "trellis-bench";
  char verb[] = "bench";
  char what[] = "sums";
  char fast[] = "--quick";
  char* words[] = {name, verb, what, quick ? fast : nullptr, nullptr};
  pid_t child = 0;
  if (::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, words, environ) != 0)
    throw base::Error(base::Errc::internal, "sums: the other process cannot be started");
  ::unsetenv(kSumMember);
  return child;
}

Case sum_case(std::string name, const std::vector<double>& seconds, const char* unit,
              double limit = NAN) {
  std::vector<double> values = seconds;
  for (double& one : values) one *= unit == std::string_view("us") ? 1e6 : 1e3;
  const Sample sample = sample_of(values);
  Case made{std::move(name), sample.median, unit};
  made.spread = sample.spread;
  if (std::isnan(limit)) return made;
  made.rival = "at most";
  made.rival_value = limit;
  made.ratio = limit / made.ours;
  return made;
}

/// The sums through TLS beside those of torch.distributed, which encrypts nothing.
void add_gloo(std::vector<Case>& cases, bool quick) {
  constexpr const char* kTitle = "torch.distributed, gloo, not encrypted";
  const std::string python = rivals_python();
  if (python.empty()) return;
  const auto done = run_rival_program(python, "distributed", kTitle, {"sum", quick ? "10" : "200"});
  if (!done) return;
  const nlohmann::json said = nlohmann::json::parse(done->output);
  const auto beside = [&](std::size_t at, double value) {
    Case made = cases[at];
    made.rival = kTitle;
    made.rival_value = value;
    made.ratio = value / made.ours;
    cases.push_back(made);
  };
  beside(0, 1e6 * said["small"].get<double>());
  beside(1, 1e3 * said["large"].get<double>());
}

}  // namespace

std::vector<Case> run_sums(const Options& options) {
  if (const char* folder = std::getenv(kSumMember)) be_member(folder, options.quick);
  const base::TemporaryFolder folder("trellis-bench");
  rt::net::Network& network = rt::net::load_network();
  const rt::net::Authority authority = network.make_authority();
  const rt::net::Identity other = network.issue(authority, false);
  base::write_file_atomic(folder.path() / "ca", other.authority, base::Durability::cached);
  base::write_file_atomic(folder.path() / "crt", other.certificate, base::Durability::cached);
  base::write_private_file(folder.path() / "key", base::as_bytes(other.key));
  const pid_t child = start_member(folder.path(), options.quick);
  const auto seconds = run_member(folder.path(), 0, network.issue(authority, true), options.quick);
  ::waitpid(child, nullptr, 0);
  std::vector<Case> cases{
      sum_case("2 processes, TLS: 4 B", seconds[0], "us", kSmallTlsLimit),
      sum_case("2 processes, TLS: 4 MiB", seconds[1], "ms", kTlsLimit),
      sum_case("2 processes, shared memory: 4 B", seconds[2], "us"),
      sum_case("2 processes, shared memory: 4 MiB", seconds[3], "ms", kSharedLimit),
      sum_case("the same, exact", seconds[4], "ms")};
  add_gloo(cases, options.quick);
  return cases;
}

}  // namespace bench
