// Simulations in processes of their own: StarPU and SimGrid begin once in a process.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <tuple>

#include "hpo/driver/simulate.h"
#include "runtime/base/file.h"
#include "runtime/base/read_all.h"
#include "runtime/base/text.h"
#include "runtime/codec.h"

namespace hpo {

namespace {

/// What comes back: a report, or an error.
struct Answer {
  bool good = false;
  std::int32_t kind = 0;
  std::string message;
  SimulationReport report;
};

Answer answer_of(const StudySpec& study, const rt::Platform& platform, const Scheme& scheme) {
  try {
    return {.good = true, .message = "", .report = simulate(study, platform, scheme)};
  } catch (const rt::Error& error) {
    return {.kind = static_cast<std::int32_t>(error.kind()), .message = error.what(), .report = {}};
  } catch (const std::exception& error) {
    return {.kind = static_cast<std::int32_t>(rt::Errc::internal),
            .message = error.what(),
            .report = {}};
  }
}

[[noreturn]] void run_child(int out, unsigned seconds, const StudySpec& study,
                            const rt::Platform& platform, const Scheme& scheme) {
  ::alarm(seconds);
  const rt::Bytes bytes = rt::encode(answer_of(study, platform, scheme));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t wrote = ::write(out, bytes.data() + done, bytes.size() - done);
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  ::_exit(0);
}

}  // namespace

SimulationReport simulate_apart(const StudySpec& study, const rt::Platform& platform,
                                const Scheme& scheme, unsigned seconds) {
  int ends[2];
  if (::pipe(ends) != 0) throw rt::storage_error("open", "a pipe", errno);
  rt::File in(ends[0]), out(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) throw rt::storage_error("start", "a process", errno);
  if (child == 0) run_child(out.fd(), seconds, study, platform, scheme);
  out.close();
  const std::string text = rt::read_all(in.fd());
  int status = 0;
  ::waitpid(child, &status, 0);
  if (text.empty()) {
    const bool late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    throw rt::Error(rt::Errc::internal,
                    rt::cat("the simulation under ", scheme.name,
                            late ? rt::cat(" did not end within ", seconds, " s")
                                 : std::string(" ended without an answer")));
  }
  const std::span bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
  Answer answer = rt::decode<Answer>(bytes);
  if (!answer.good) throw rt::Error(static_cast<rt::Errc>(answer.kind), answer.message);
  return std::move(answer.report);
}

}  // namespace hpo
