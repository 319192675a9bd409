#include "tasks/gang.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/new_file.h"
#include "base/process/start.h"
#include "base/text.h"
#include "kernels/kernels.h"
#include "runtime/codec.h"

namespace tasks {

namespace {

using rt::net::sums::LinkLost;
using rt::net::sums::RingLinks;
using rt::net::sums::Seat;
using rt::net::sums::Segment;

Gang* the_gang = nullptr;
bool serially_now = false;

/// A training as the other members get it; the bytes of network and data follow in files.
struct Job {
  nn::ParamSlab::Header net;
  nn::Dataset::Header data;
  nn::Hyper hyper;
  nn::Segment segment;
};

/// Numbers of the first member's descriptors. All are 0 from the others, which have nothing to say.
struct Announced {
  std::uint32_t job, net, data;
  std::uint32_t data_number;  ///< changes with the data
};
constexpr std::size_t kAnnounced = sizeof(Announced) / sizeof(std::uint32_t);

/// Words of a member for its MemberUse.
constexpr std::size_t kUseWords = 6;

/// A file without a name that holds `bytes`.
base::File file_of(std::span<const std::byte> bytes) {
  base::File file(::memfd_create("trellis-gang", MFD_CLOEXEC));
  if (!file) throw base::storage_error("make", "memory for a gang", errno);
  if (const int code = base::write_all(file.fd(), bytes); code != 0)
    throw base::storage_error("fill", "memory for a gang", code);
  return file;
}

/// Fills `into` from a file of the first member.
void read_file_of(pid_t first, std::uint32_t number, std::span<std::byte> into) {
  const std::string path = base::cat("/proc/", first, "/fd/", number);
  const base::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw base::storage_error("open", path, errno);
  const base::ReadResult read = base::read_into(file.fd(), into, 0);
  if (read.bytes != into.size()) throw base::storage_error("read", path, read.code);
}

Job job_of(pid_t first, std::uint32_t number) {
  return rt::decode<Job>(base::read_bytes(base::cat("/proc/", first, "/fd/", number)));
}

/// Runs the steps, and gathers what all members did in them.
nn::TrainStats train_member(GangSums& sums, int own, std::vector<MemberUse>& use,
                            const kern::Kernels<float>& kernels, nn::Workspace& workspace,
                            nn::ParamSlab& net, const nn::Dataset& data, const nn::Hyper& hyper,
                            const nn::Segment& segment, const nn::StopPredicate& stop) {
  sums.begin(stop);
  const base::Moment begun = base::now();
  const base::Duration waited_before = sums.waited();
  const std::uint64_t bytes_before = sums.bytes();
  const nn::TrainStats stats = nn::train_steps(
      kernels, workspace, net, data.view(nn::Part::train), hyper, segment,
      [&sums] { return sums.stopping(); }, nullptr, &sums);
  const base::Duration waited = sums.waited() - waited_before;
  const base::Duration busy = base::now() - begun - waited;
  std::vector<std::uint32_t> words(use.size() * kUseWords);
  const std::array<std::uint64_t, 3> mine{static_cast<std::uint64_t>(busy.count()),
                                          static_cast<std::uint64_t>(waited.count()),
                                          sums.bytes() - bytes_before};
  static_assert(sizeof mine == kUseWords * sizeof(std::uint32_t));
  std::memcpy(words.data() + static_cast<std::size_t>(own) * kUseWords, mine.data(), sizeof mine);
  sums.gather(words);
  for (std::size_t i = 0; i < use.size(); ++i) {
    std::array<std::uint64_t, 3> one{};
    std::memcpy(one.data(), words.data() + i * kUseWords, sizeof one);
    use[i].busy += static_cast<double>(one[0]) / 1e9;
    use[i].waited += static_cast<double>(one[1]) / 1e9;
    use[i].bytes += one[2];
  }
  return stats;
}

}  // namespace

Gang::Gang(int members, std::vector<std::string> words)
    : segment_(Segment::make(members)),
      links_(segment_, 0),
      sums_(links_),
      use_(static_cast<std::size_t>(members)) {
  const base::File nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!nothing) throw base::storage_error("open", "/dev/null", errno);
  words.push_back(segment_->address());
  words.emplace_back();
  for (int member = 1; member < members; ++member) {
    words.back() = std::to_string(member);
    base::ProcessStart start;
    start.path = words.front();
    start.words = words;
    start.environment = base::environment_with({});
    const std::array files{nothing.fd(), nothing.fd(), STDERR_FILENO};
    processes_.push_back(base::start_process(std::move(start), files));
  }
}

Gang::~Gang() {
  for (const pid_t process : processes_) {
    if (process < 0) continue;
    (void)::kill(process, SIGKILL);
    (void)::waitpid(process, nullptr, 0);
  }
}

/// A member that ends before it has taken its seat is not missed by the links.
void Gang::await_members() {
  for (int member = 1; !all_there_ && member < members(); ++member) {
    pid_t& process = processes_[static_cast<std::size_t>(member) - 1];
    while (segment_->seat(member).state == Seat::kAbsent) {
      siginfo_t ended{};
      if (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
          ended.si_pid != 0)
        throw LinkLost(member, "it has ended before it began");
      base::sleep_for(std::chrono::milliseconds(2));
    }
  }
  all_there_ = true;
}

void Gang::offer(const nn::Dataset& data) {
  const base::Key key = base::Hasher()
                            .add(base::hash_bytes(rt::encode(data.header())))
                            .add(base::hash_bytes(data.bytes()))
                            .finish();
  if (data_file_ && key == data_) return;
  data_file_ = file_of(data.bytes());
  data_ = key;
}

std::string Gang::end_of(int member) {
  pid_t& process = processes_[static_cast<std::size_t>(member) - 1];
  int status = 0;
  if (process < 0 || ::waitpid(process, &status, WNOHANG) != process) return "";
  process = -1;
  return WIFSIGNALED(status) ? base::cat("its process was ended by signal ", WTERMSIG(status))
                             : base::cat("its process ended with status ", WEXITSTATUS(status));
}

nn::TrainStats Gang::train(const kern::Kernels<float>& kernels, nn::Workspace& workspace,
                           nn::ParamSlab& net, const nn::Dataset& data, const nn::Hyper& hyper,
                           const nn::Segment& segment, const nn::StopPredicate& stop) {
  const std::lock_guard one_at_a_time(training_);
  if (const std::string lost_before = lost(); !lost_before.empty())
    throw base::Error(base::Errc::cancelled, lost_before);
  offer(data);
  const base::File job = file_of(rt::encode(Job{net.header(), data.header(), hyper, segment}));
  const base::File slab = file_of(net.bytes());
  std::vector<MemberUse> used = use();
  try {
    await_members();
    const Announced announced{
        static_cast<std::uint32_t>(job.fd()), static_cast<std::uint32_t>(slab.fd()),
        static_cast<std::uint32_t>(data_file_.fd()), static_cast<std::uint32_t>(data_.lo)};
    auto words = std::bit_cast<std::array<std::uint32_t, kAnnounced>>(announced);
    sums_.begin({});
    sums_.gather(words);
    const nn::TrainStats stats =
        train_member(sums_, 0, used, kernels, workspace, net, data, hyper, segment, stop);
    const std::lock_guard lock(mutex_);
    use_ = std::move(used);
    return stats;
  } catch (const LinkLost& error) {
    const std::string end = end_of(error.peer());
    const std::lock_guard lock(mutex_);
    lost_ = base::cat("member ", error.peer(), " of the gang of ", members(),
                      " is lost: ", end.empty() ? error.what() : end.c_str());
    throw base::Error(base::Errc::cancelled, lost_);
  }
}

std::string Gang::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

std::vector<MemberUse> Gang::use() const {
  const std::lock_guard lock(mutex_);
  return use_;
}

void train_with(Gang* gang) { the_gang = gang; }
Gang* gang_of_training() { return the_gang; }
void train_serially(bool serially) { serially_now = serially; }
bool trains_serially() { return serially_now; }

int be_member(const std::string& address, const std::string& member) {
  int own = 0;
  const char* const end = member.data() + member.size();
  const auto [stop, code] = std::from_chars(member.data(), end, own);
  if (code != std::errc{} || stop != end)
    throw base::Error(base::Errc::usage,
                      base::cat("'", base::printable(member, 60), "', expected a number"));
  kern::prepare_thread();
  const std::shared_ptr<Segment> segment = Segment::open(address);
  RingLinks links(segment, own);
  GangSums sums(links);
  nn::Workspace workspace;
  std::vector<MemberUse> use(static_cast<std::size_t>(links.members()));
  std::optional<nn::Dataset> data;
  std::uint32_t data_number = 0;
  const pid_t first = ::getppid();
  try {
    while (true) {
      std::array<std::uint32_t, kAnnounced> words{};
      sums.begin({});
      sums.gather(words);
      const auto announced = std::bit_cast<Announced>(words);
      Job job = job_of(first, announced.job);
      nn::ParamSlab net(job.net);
      read_file_of(first, announced.net, net.bytes());
      if (!data || data_number != announced.data_number) {
        data.emplace(job.data);
        read_file_of(first, announced.data, data->bytes());
        data_number = announced.data_number;
      }
      (void)train_member(sums, own, use, kern::cpu_kernels(job.hyper.precision), workspace, net,
                         *data, job.hyper, job.segment, {});
    }
  } catch (const LinkLost&) {
    return 0;
  }
}

}  // namespace tasks
