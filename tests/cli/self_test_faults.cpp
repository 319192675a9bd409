// Faults that `doctor --self-test` must notice, to be preloaded. SELF_TEST_FAULT names one.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace {

bool is_on(const char* fault) {
  const char* const named = std::getenv("SELF_TEST_FAULT");
  return named != nullptr && std::strcmp(named, fault) == 0;
}

std::vector<std::string> command_line() {
  std::ifstream line("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(line, word, '\0');) words.push_back(word);
  return words;
}

/// The word behind an option; empty without it.
std::string behind(const std::vector<std::string>& words, const char* option) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == option) return words[i + 1];
  return "";
}

[[gnu::constructor]] void spoil_sweeps() {
  const std::vector<std::string> words = command_line();
  if (words.size() < 2 || words[1] != "sweep") return;
  // A study whose bits depend on how many workers there are.
  if (is_on("unequal") && behind(words, "--workers").empty()) ::setenv("TRELLIS_ISA", "plain", 1);
  // A study that begins anew where it should go on.
  std::error_code ignored;
  if (is_on("forgetful")) std::filesystem::remove_all(behind(words, "--dir"), ignored);
}

}  // namespace

/// Twice as many cores as there are.
extern "C" int sched_getaffinity(pid_t process, std::size_t size, cpu_set_t* set) noexcept {
  const long bytes = ::syscall(SYS_sched_getaffinity, process, size, set);
  if (bytes < 0) return -1;
  std::memset(reinterpret_cast<char*>(set) + bytes, 0, size - static_cast<std::size_t>(bytes));
  if (!is_on("cores")) return 0;
  const auto places = static_cast<int>(size * 8);
  int more = CPU_COUNT_S(size, set);
  for (int core = places - 1; core >= 0 && more > 0; --core) {
    if (CPU_ISSET_S(static_cast<std::size_t>(core), size, set)) continue;
    CPU_SET_S(static_cast<std::size_t>(core), size, set);
    --more;
  }
  return 0;
}
