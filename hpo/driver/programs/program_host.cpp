#include "hpo/driver/programs/program_host.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <stop_token>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/process/no_more.h"
#include "base/text.h"
#include "hpo/driver/programs/command_end.h"
#include "hpo/driver/programs/program_order.h"
#include "hpo/driver/programs/trial_folder.h"
#include "hpo/study/command.h"
#include "runtime/task.h"

namespace hpo {

namespace {

constexpr base::Duration kLook = std::chrono::milliseconds(100);  ///< between looks at `leaving`
/// An agent that froze is thought lost: its programs must be gone when they run elsewhere.
constexpr base::Duration kSilence = std::chrono::seconds(3);
constexpr base::Duration kBeat = std::chrono::milliseconds(500);
constexpr base::Duration kMostEnding = std::chrono::seconds(60);  ///< of an earlier program
constexpr base::Duration kRest = std::chrono::seconds(1);         ///< after the system had no room

std::atomic<ProgramHost*> the_host{nullptr};

const auto program_of_trial = rt::task("trellis.program", 1)
                                  .cpu([](rt::Context& context, ProgramCall call) -> ProgramEnd {
                                    return ProgramHost::here().run(context, call);
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

rt::Value<ProgramEnd> call_program(ProgramCall call) { return program_of_trial(std::move(call)); }

ProgramHost& ProgramHost::here() {
  ProgramHost* const host = the_host.load();
  if (host == nullptr) throw base::Error(base::Errc::usage, "no programs run in this process");
  return *host;
}

ProgramHost::ProgramHost(const StudySpec& study, base::Path folder, std::function<bool()> leaving)
    : study_(study),
      folder_(std::move(folder)),
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

tasks::SupervisorNews ProgramHost::follow(std::uint64_t number, const rt::Context& context,
                                          const std::function<void()>& written,
                                          const std::function<bool()>& gone) {
  std::unique_lock lock(mutex_);
  for (;;) {
    hear();
    Program& own = programs_[number];
    if (own.over) break;
    if (gone()) supervisors_.stop(number);
    if (std::exchange(own.more, false)) {
      lock.unlock();
      written();
      context.tell({static_cast<char>(ProgramWord::more)});
      lock.lock();
      continue;
    }
    turn_.wait_for(lock, kLook);
  }
  const tasks::SupervisorNews over = *programs_[number].over;
  programs_.erase(number);
  if (may_be_of_the_job(over)) turn_.wait_for(lock, kJobSignal, gone);
  lock.unlock();
  written();
  return over;
}

ProgramEnd ProgramHost::run(const rt::Context& context, const ProgramCall& call) {
  const std::stop_token stop = context.stop_token();
  const std::stop_callback nudge(stop, [this] {
    const std::scoped_lock lock(mutex_);
    turn_.notify_all();
  });
  const std::function<bool()> gone = [&] { return stop.stop_requested() || leaving_(); };
  const TrialCommand command = trial_command(study_, call.params);
  const TrialResources resources = trial_resources(study_, call.params);
  const Place place(*this, resources, gone);
  if (!place) return {.interrupted = true};
  TrialFolder folder = open_trial_folder(folder_, call.trial, call.params);
  // An agent that was thought lost may be ending an earlier program of the trial still.
  const base::Moment latest = base::now() + kMostEnding;
  while (!continue_log(folder)) {
    if (gone() || base::now() > latest) return {.interrupted = true};
    base::sleep_for(kLook);
  }
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
  context.tell(
      {static_cast<char>(folder.has_checkpoints ? ProgramWord::resumed : ProgramWord::begun)});
  const tasks::SupervisorNews over = follow(
      number, context, [&] { send_to_disk(folder); }, gone);
  const bool well = over.end == base::ProcessEnd::exited && over.status == 0;
  const std::scoped_lock lock(mutex_);
  const std::uint64_t before = std::exchange(killed_for_memory_, killed_for_memory());
  return {.interrupted = !well && leaving_(),
          .starved = killed_for_memory_ > before,
          .end = over.end,
          .status = over.status,
          .took = over.took,
          .left_out = over.left_out,
          .memory = over.memory};
}

}  // namespace hpo
