#include "hpo/driver/programs/program_host.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/process/no_more.h"
#include "base/text.h"
#include "hpo/driver/programs/command_end.h"
#include "hpo/driver/programs/program_order.h"
#include "hpo/driver/programs/trial_copy.h"
#include "hpo/driver/programs/wandb_runs.h"
#include "hpo/study/command.h"
#include "runtime/access.h"
#include "runtime/task.h"

namespace hpo {

namespace {

constexpr base::Duration kLook = std::chrono::milliseconds(100);  ///< between looks at `leaving`
/// An agent that froze is thought lost: its programs must be gone when they run elsewhere.
constexpr base::Duration kSilence = std::chrono::seconds(3);
constexpr base::Duration kBeat = std::chrono::milliseconds(500);
constexpr base::Duration kMostEnding = std::chrono::seconds(60);  ///< of an earlier program
constexpr double kMostFinish = 10;  ///< seconds, of the 15 that an agent has to leave
constexpr base::Duration kRest = std::chrono::seconds(1);  ///< after the system had no room

std::atomic<ProgramHost*> the_host{nullptr};

const auto program_of_trial =
    rt::task("trellis.program", 1)
        .cpu([](rt::Context& context, ProgramCall call, rt::in<TrialFiles> files,
                rt::out<TrialFiles> left) -> ProgramEnd {
          return ProgramHost::here().run(context, call, *files, *left);
        })
        .pure()
        .keep(rt::Keep::never)
        .long_running()
        .needs([](const ProgramCall& call) {
          return rt::Resources{.cpus = static_cast<int>(call.cpus)};
        });

/// Others may read it on another machine.
void send_to_disk(const TrialFolder& folder) {
  for (const base::File& file : {folder.reports(), folder.printed()}) {
    if (file) (void)::fdatasync(file.fd());
  }
}

}  // namespace

rt::Value<ProgramEnd> call_program(ProgramCall call, const rt::Value<TrialFiles>& files,
                                   rt::Value<TrialFiles>& left) {
  return program_of_trial(std::move(call), files, left);
}

ProgramHost& ProgramHost::here() {
  ProgramHost* const host = the_host.load();
  if (host == nullptr) throw base::Error(base::Errc::usage, "no programs run in this process");
  return *host;
}

ProgramHost::ProgramHost(const StudySpec& study, base::Path folder, bool shared,
                         std::function<bool()> leaving)
    : study_(study),
      folder_(std::move(folder)),
      shared_(shared),
      leaving_(std::move(leaving)),
      killed_for_memory_(killed_for_memory()),
      supervisors_([this] {
        const std::scoped_lock lock(mutex_);
        turn_.notify_all();
      }),
      beats_([this](const std::stop_token& over) { beat(over); }) {
  the_host = this;
}

void ProgramHost::beat(const std::stop_token& over) {
  while (!over.stop_requested()) {
    {
      const std::scoped_lock lock(mutex_);
      supervisors_.beat();
    }
    base::sleep_for(kBeat);
  }
}

ProgramHost::~ProgramHost() { the_host = nullptr; }

/// The GPUs of one program.
class ProgramHost::Place {
 public:
  /// Waits for them; `gone` ends that.
  Place(ProgramHost& host, const TrialResources& asked, const std::function<bool()>& gone)
      : host_(host) {
    std::unique_lock lock(host_.mutex_);
    while (!(gpus_ = host_.gpus_.take(asked)) && !gone()) host_.turn_.wait_for(lock, kLook);
  }
  ~Place() {
    if (!gpus_) return;
    const std::scoped_lock lock(host_.mutex_);
    host_.gpus_.give_back(*gpus_);
    host_.turn_.notify_all();
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  explicit operator bool() const { return gpus_.has_value(); }
  [[nodiscard]] std::optional<std::string> names() const {
    return host_.gpus_.count() > 0 ? std::optional(host_.gpus_.names(*gpus_)) : std::nullopt;
  }

 private:
  ProgramHost& host_;
  std::optional<GpuShare::Allocation> gpus_;
};

/// One call of a trial at a time. An earlier one, which the driver no longer waits for, may still
/// be reading and removing the trial's folder when the next one comes.
class ProgramHost::Turn {
 public:
  /// Waits for it; `gone` ends that.
  Turn(ProgramHost& host, std::uint64_t trial, const std::function<bool()>& gone)
      : host_(host), trial_(trial) {
    std::unique_lock lock(host_.mutex_);
    while (!(taken_ = host_.trials_.insert(trial).second) && !gone())
      host_.turn_.wait_for(lock, kLook);
  }
  ~Turn() {
    if (!taken_) return;
    const std::scoped_lock lock(host_.mutex_);
    host_.trials_.erase(trial_);
    host_.turn_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  explicit operator bool() const { return taken_; }

 private:
  ProgramHost& host_;
  std::uint64_t trial_;
  bool taken_ = false;
};

/// What all supervisors have said. With the mutex.
void ProgramHost::hear() {
  bool any = false;
  for (const tasks::ProgramNews& news : supervisors_.take()) {
    any = true;
    Program& one = programs_[news.program];
    one.more = true;
    if (news.news.over) one.over = news.news;
  }
  if (any) turn_.notify_all();
}

tasks::SupervisorNews ProgramHost::follow(std::uint64_t number, const Care& care) {
  std::unique_lock lock(mutex_);
  for (;;) {
    hear();
    Program& own = programs_[number];
    if (own.over) break;
    if (care.gone()) supervisors_.stop(number);
    const bool more = std::exchange(own.more, false);
    lock.unlock();
    if (more) care.written(false);
    const base::Duration wait = care.now_and_then();
    lock.lock();
    if (!more) turn_.wait_for(lock, wait);
  }
  const tasks::SupervisorNews over = *programs_[number].over;
  programs_.erase(number);
  if (may_be_of_the_job(over)) turn_.wait_for(lock, kJobSignal, care.gone);
  lock.unlock();
  care.written(true);
  return over;
}

/// Waits for the log, and leaves in the folder what the program is to find. False if it has to go.
bool ProgramHost::prepare(TrialFolder& folder, const ProgramCall& call, const TrialFiles& files,
                          const std::function<bool()>& gone) {
  // An agent that was thought lost may be ending an earlier program of the trial still.
  const base::Moment latest = base::now() + kMostEnding;
  while (!continue_log(folder)) {
    if (gone() || base::now() > latest) return false;
    base::sleep_for(kLook);
  }
  if (shared_) return true;
  renew(folder);
  if (call.has_files) write_trial_files(folder.path, files);
  folder.has_checkpoints = call.has_files && !files.files.empty();
  return true;
}

ProgramEnd ProgramHost::run(const rt::Context& context, const ProgramCall& call,
                            const TrialFiles& files, TrialFiles& left) {
  const std::stop_token stop = context.stop_token();
  const std::stop_callback nudge(stop, [this] {
    const std::scoped_lock lock(mutex_);
    turn_.notify_all();
  });
  const std::function<bool()> gone = [&] { return stop.stop_requested() || leaving_(); };
  if (!shared_ && call.has_checkpoints && !call.has_files)
    return {.interrupted = true, .wants_files = true};
  const TrialCommand command = trial_command(study_, call.params);
  const TrialResources resources = trial_resources(study_, call.params);
  const Turn turn(*this, call.trial, gone);
  const Place place(*this, resources, gone);
  if (!turn || !place) return {.interrupted = true};
  TrialFolder folder = open_trial_folder(folder_, call.trial, call.params);
  if (!prepare(folder, call, files, gone)) return {.interrupted = true};
  std::optional<WandbRuns> runs;
  if (study_.library == Library::wandb) runs.emplace(study_, call.params, folder);
  std::uint64_t number = 0;
  try {
    const std::scoped_lock lock(mutex_);
    tasks::SupervisedProgram order =
        program_order(study_, command, folder, resources, place.names());
    order.order.silence = kSilence.count();
    number = supervisors_.start(order);
    programs_.try_emplace(number);
  } catch (const base::NoMore& lack) {
    base::warn(lack.what());
    base::sleep_for(kRest);
    return {.interrupted = true};
  }
  folder.log = {};  // the supervisor's is locked as long as it lives
  const auto say = [&](ProgramWord word) { context.tell({static_cast<char>(word)}); };
  say(folder.has_checkpoints ? ProgramWord::resumed : ProgramWord::begun);
  std::optional<TrialSender> sender;
  if (!shared_) sender.emplace(folder, [&](std::string text) { context.tell(std::move(text)); });
  const auto written = [&](bool over) {
    if (runs) runs->read(over);
    if (sender) return sender->report();
    send_to_disk(folder);
    say(ProgramWord::more);
  };
  const auto now_and_then = [&] { return sender ? sender->step(base::now()) : kLook; };
  const tasks::SupervisorNews over = follow(number, {gone, written, now_and_then});
  const bool well = over.end == base::ProcessEnd::exited && over.status == 0;
  const bool interrupted = !well && leaving_();
  if (!shared_) {
    // The value `left` would go with the agent, and to make it again the program would run once
    // more, from its beginning to its end. So the checkpoints are told to the driver instead.
    if (interrupted) {
      const base::Moment begun = base::now();
      sender->finish(
          [&] { return stop.stop_requested() || base::seconds_since(begun) > kMostFinish; });
    } else {
      left = read_trial_files(folder.path, true);
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder.path, ignored);
  }
  const std::scoped_lock lock(mutex_);
  const std::uint64_t before = std::exchange(killed_for_memory_, killed_for_memory());
  return {.interrupted = interrupted,
          .apart = !shared_ && !interrupted,
          .starved = killed_for_memory_ > before,
          .end = over.end,
          .status = over.status,
          .took = over.took,
          .left_out = over.left_out,
          .memory = over.memory};
}

}  // namespace hpo
