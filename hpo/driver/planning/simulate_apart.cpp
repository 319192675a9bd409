// Simulations in processes of their own: StarPU and SimGrid begin once in a process.

#include <unistd.h>

#include <csignal>
#include <optional>
#include <tuple>

#include "base/file.h"
#include "base/new_file.h"
#include "base/process/copy.h"
#include "base/text.h"
#include "hpo/driver/planning/simulate.h"
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
  } catch (const base::Error& error) {
    return {.kind = static_cast<std::int32_t>(error.kind()), .message = error.what(), .report = {}};
  } catch (const std::exception& error) {
    return {.kind = static_cast<std::int32_t>(base::Errc::internal),
            .message = error.what(),
            .report = {}};
  }
}

}  // namespace

SimulationReport simulate_apart(const StudySpec& study, const rt::Platform& platform,
                                const Scheme& scheme, unsigned seconds) {
  const base::CopyResult copy = base::run_copy([&](const base::File& out) {
    ::alarm(seconds);
    (void)base::write_all(out.fd(), rt::encode(answer_of(study, platform, scheme)));
  });
  const std::string& text = copy.said;
  if (text.empty()) {
    const bool late =
        copy.outcome.end == base::ProcessEnd::killed && copy.outcome.status == SIGALRM;
    throw base::Error(base::Errc::internal,
                      base::cat("the simulation under ", scheme.name,
                                late ? base::cat(" did not end within ", seconds, " s")
                                     : std::string(" ended without an answer")));
  }
  const std::span bytes(reinterpret_cast<const std::byte*>(text.data()), text.size());
  Answer answer = rt::decode<Answer>(bytes);
  if (!answer.good) throw base::Error(static_cast<base::Errc>(answer.kind), answer.message);
  return std::move(answer.report);
}

}  // namespace hpo
