#include "base/clock.h"

#include <ctime>
#include <thread>

namespace base {
namespace {

Moment machine_now() noexcept {
  const auto t = std::chrono::steady_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<Duration>(t).count()};
}

void machine_sleep(Duration d) {
  if (d > Duration::zero()) std::this_thread::sleep_for(d);
}

constexpr const char* kWall = "%Y-%m-%dT%H:%M:%SZ";

ClockSource g_clock{machine_now, machine_sleep};

}  // namespace

Moment now() noexcept { return g_clock.now(); }
void sleep_for(Duration d) { g_clock.sleep(d); }
void install_clock(ClockSource source) noexcept { g_clock = source; }
ClockSource machine_clock() noexcept { return {machine_now, machine_sleep}; }

Duration process_cpu_time() noexcept {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + Duration(t.tv_nsec);
}

std::int64_t wall_micros() noexcept {
  const auto t = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(t).count();
}

std::string wall_time() { return wall_text(wall_micros()); }

std::string wall_text(std::int64_t micros) {
  const auto t = static_cast<std::time_t>(
      std::chrono::floor<std::chrono::seconds>(std::chrono::microseconds(micros)).count());
  std::tm parts{};
  gmtime_r(&t, &parts);
  char text[32];
  std::strftime(text, sizeof text, kWall, &parts);
  return text;
}

std::optional<std::int64_t> wall_seconds(const std::string& text) {
  std::tm parts{};
  const char* end = ::strptime(text.c_str(), kWall, &parts);
  if (end == nullptr || *end != 0) return {};
  return ::timegm(&parts);
}

}  // namespace base
