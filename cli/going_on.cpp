#include "cli/going_on.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <istream>
#include <iterator>
#include <sstream>
#include <vector>

#include "base/clock.h"
#include "base/process/start.h"
#include "base/text.h"

namespace cli {

namespace {

constexpr std::string_view kShown = "CUDA_VISIBLE_DEVICES=";
constexpr base::Duration kLookAgain = std::chrono::milliseconds(10);

std::vector<std::string> parts_of(std::istream&& text, char end) {
  std::vector<std::string> parts;
  for (std::string part; std::getline(text, part, end);) parts.push_back(part);
  return parts;
}

/// A worker's thread has a core and a signal mask of its own, which a new program would keep.
void be_as_the_main_thread() {
  cpu_set_t cores;
  if (::sched_getaffinity(::getpid(), sizeof cores, &cores) == 0)
    (void)::sched_setaffinity(0, sizeof cores, &cores);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

std::string gpus_without(std::optional<std::string_view> shown, const rt::GpuFailure& failure) {
  std::vector<std::string> names;
  if (shown) {
    names = parts_of(std::istringstream(std::string(*shown)), ',');
  } else {
    for (int i = 0; i < failure.gpus; ++i) names.push_back(std::to_string(i));
  }
  std::string left;
  for (int i = 0; i < std::ssize(names); ++i) {
    if (i != failure.gpu)
      left += base::cat(left.empty() ? "" : ",", names[static_cast<std::size_t>(i)]);
  }
  return left;
}

void go_on_without(const rt::GpuFailure& failure) {
  if (failure.gpus < 2) return;
  static std::atomic<bool> going{false};
  while (going.exchange(true)) base::sleep_for(kLookAgain);  // another thread does it just now
  std::vector<std::string> words = parts_of(std::ifstream("/proc/self/cmdline"), '\0'),
                           environment = parts_of(std::ifstream("/proc/self/environ"), '\0');
  const auto set = std::ranges::find_if(
      environment, [](const std::string& line) { return line.starts_with(kShown); });
  std::optional<std::string> shown;
  if (set != environment.end()) {
    shown = set->substr(kShown.size());
    environment.erase(set);
  }
  const std::string left = gpus_without(shown, failure);
  environment.push_back(base::cat(kShown, left));
  std::fprintf(stderr, "\ntrellis: gpu %d: %s; continuing without it, with %s%s\n", failure.gpu,
               failure.why.c_str(), std::string(kShown).c_str(), left.c_str());
  be_as_the_main_thread();
  ::execve("/proc/self/exe", base::pointers(words).data(), base::pointers(environment).data());
  going = false;
}

}  // namespace cli
