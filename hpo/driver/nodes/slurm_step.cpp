#include "hpo/driver/nodes/slurm_step.h"

#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr double kMostWaiting = 120;  ///< seconds without a sign of a driver that has not begun
constexpr int kSigns = 50;            ///< tenths of a second between two
constexpr double kMostEnding = 10;    ///< and to end, once it has sent its agents away
constexpr int kRunning = -1;

}  // namespace

StepNews::StepNews(const base::Path& study, const rt::net::Step& step)
    : folder_(study),
      file_(folder_.path() / base::cat("step-", step.id)),
      sign_(file_.string() + ".sign") {}

void StepNews::prepare() {
  folder_.make();
  const auto write = [this](int number) {
    base::write_file_atomic(sign_, std::to_string(number), base::Durability::cached);
  };
  write(0);
  preparing_ = std::jthread([this, write](const std::stop_token& over) {
    for (int tenth = 1; !over.stop_requested() && !code(); ++tenth) {
      base::sleep_for(std::chrono::milliseconds(100));
      if (tenth % kSigns != 0) continue;
      try {
        write(tenth);
      } catch (const base::Error&) {  // the next one may succeed
      }
    }
  });
}

std::string StepNews::sign() const {
  try {
    return base::read_file(sign_, 64);
  } catch (const base::Error&) {
    return {};
  }
}

void StepNews::begun() const {
  // Those of earlier steps tell nobody anything.
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(file_.parent_path(), ignored)) {
    if (entry.path().filename().string().starts_with("step-"))
      std::filesystem::remove(entry.path(), ignored);
  }
  base::write_file_atomic(file_, "running\n", base::Durability::cached);
}

void StepNews::ended(int code) const noexcept {
  try {
    // A driver that got no further than this has made none.
    folder_.make();
    base::write_file_atomic(file_, base::cat("ended ", code, "\n"), base::Durability::cached);
  } catch (const std::exception&) {
    // The other tasks end without it, if later.
  }
}

std::optional<int> StepNews::code() const {
  try {
    const std::string text = base::read_file(file_, 64);
    const std::size_t blank = text.find(' ');
    if (blank == text.npos) return kRunning;
    return static_cast<int>(base::parse_int(text.substr(blank + 1, text.size() - blank - 2))
                                .value_or(base::exit_code(base::Errc::internal)));
  } catch (const base::Error&) {
    return {};
  }
}

int lead_step(const rt::net::Step& step, const base::Path& folder,
              const std::function<int()>& work) {
  base::make_folder(folder);
  StepNews news(folder, step);
  try {
    news.prepare();
    const int code = work();
    news.ended(code);
    return code;
  } catch (const base::Error& error) {
    news.ended(base::exit_code(error.kind()));
    throw;
  }
}

int work_in_step(const rt::net::Step& step, const base::Path& folder,
                 const std::function<int(const std::function<bool()>& ended)>& work) {
  const StepNews news(folder, step);
  base::Moment heard = base::now();
  std::string sign;
  std::optional<int> code;
  while (!(code = news.code())) {
    if (std::string now = news.sign(); now != sign) {
      sign = std::move(now);
      heard = base::now();
    }
    if (base::seconds_since(heard) > kMostWaiting)
      throw base::Error(base::Errc::cancelled,
                        base::cat(folder.string(), ": its driver is not there after ", kMostWaiting,
                                  " s: does ", step.node, " see that folder?"));
    base::sleep_for(std::chrono::milliseconds(50));
  }
  if (code != kRunning) return *code;
  const auto ended = [&news] { return news.code().value_or(kRunning) != kRunning; };
  const int own = work(ended);
  const base::Moment left = base::now();
  while (own == 0 && !ended() && base::seconds_since(left) < kMostEnding)
    base::sleep_for(std::chrono::milliseconds(50));
  return ended() ? *news.code() : own;
}

int work_in_step(const rt::net::Step& step, AgentOptions options) {
  options.node = step.node;
  options.part = step.part;
  options.parts = step.parts;
  if (options.workers == 0) options.workers = step.cores;
  return work_in_step(step, options.folder, [&options](const std::function<bool()>& ended) {
    options.over = ended;
    return run_agent(options);
  });
}

}  // namespace hpo
