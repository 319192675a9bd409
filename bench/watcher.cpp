#include "bench/watcher.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/clock.h"
#include "base/text.h"

namespace bench {

namespace {

constexpr auto kShortest = std::chrono::milliseconds(5);
constexpr int kShareOfCore = 50;

std::string folder_of(pid_t process) { return base::cat("/proc/", process); }

/// The process and all that descend from it.
std::vector<pid_t> family_of(pid_t process) {
  std::vector<pid_t> family{process};
  for (std::size_t i = 0; i < family.size(); ++i) {
    std::error_code gone;  // a process may end at any moment
    const std::filesystem::directory_iterator threads(folder_of(family[i]) + "/task", gone);
    for (auto at = begin(threads); at != end(threads); at.increment(gone)) {
      std::ifstream children(at->path() / "children");
      for (pid_t child = 0; children >> child;) family.push_back(child);
    }
  }
  return family;
}

double pss_megabytes(pid_t process) {
  std::ifstream rollup(folder_of(process) + "/smaps_rollup");
  for (std::string line; std::getline(rollup, line);) {
    if (line.starts_with("Pss:")) return std::stod(line.substr(4)) / 1024;
  }
  return 0;
}

double first_thread_seconds(pid_t process) {
  std::ifstream schedule(base::cat(folder_of(process), "/task/", process, "/schedstat"));
  double nanos = 0;
  schedule >> nanos;
  return nanos * 1e-9;
}

}  // namespace

Watcher::Watcher(pid_t program) : program_(program), thread_([this] { watch(); }) {}

Watcher::~Watcher() {
  if (thread_.joinable()) (void)stop();
}

Used Watcher::stop() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
  look();
  return used_;
}

void Watcher::look() {
  double megabytes = 0;
  for (const pid_t process : family_of(program_)) megabytes += pss_megabytes(process);
  used_.peak_megabytes = std::max(used_.peak_megabytes, megabytes);
  used_.first_thread_seconds = std::max(used_.first_thread_seconds, first_thread_seconds(program_));
}

void Watcher::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_) {
    const base::Moment begun = base::now();
    look();
    const base::Duration rest =
        std::max<base::Duration>(kShortest, kShareOfCore * (base::now() - begun));
    changed_.wait_for(lock, rest, [this] { return ended_; });
  }
}

}  // namespace bench
