#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/new_file.h"
#include "base/process/attachment.h"
#include "base/text.h"
#include "cli/held_isa.h"
#include "cli/run_options.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/nodes/agent.h"
#include "hpo/driver/nodes/ticket.h"
#include "hpo/study/spec.h"
#include "hpo/study/words.h"
#include "kernels/kernels.h"

namespace cli {

namespace {

constexpr const char* kTicket = "--ticket";
constexpr const char* kAttachedToInput = "--attached";
/// A variable that has the descriptor of a ticket which was read already.
constexpr const char* kTicketRead = "TRELLIS_TICKET_READ";
constexpr std::int64_t kMostGpus = 1024;

[[noreturn]] void refuse_part(const std::string& text) {
  throw base::Error(base::Errc::usage, base::cat("--part: '", base::printable(text, 60),
                                                 "', expected one such as 1/2"));
}

/// "1/2": the first of two parts of the cores.
void read_part(const std::string& text, hpo::AgentOptions& options) {
  int part = 0;
  int parts = 0;
  char end = 0;
  if (std::sscanf(text.c_str(), "%d/%d%c", &part, &parts, &end) != 2 || part < 1 || parts < part ||
      parts > 4096)
    refuse_part(text);
  options.part = part;
  options.parts = parts;
}

/// The ticket from standard input, or as the start before this one has read it.
std::string ticket_words() {
  const char* const kept = std::getenv(kTicketRead);
  if (kept == nullptr) return hpo::read_ticket(STDIN_FILENO);
  const base::File memory(std::atoi(kept));
  ::unsetenv(kTicketRead);
  (void)::lseek(memory.fd(), 0, SEEK_SET);
  return hpo::read_ticket(memory.fd());
}

/// Keeps a ticket where the program may be started anew: standard input has it no more.
void keep_ticket(const std::string& text) {
  const int memory = ::memfd_create("trellis-ticket", 0);
  if (memory < 0 || base::write_all(memory, base::as_bytes(text)) != 0)
    throw base::storage_error("keep", "the ticket", errno);
  ::setenv(kTicketRead, std::to_string(memory).c_str(), 1);
}

/// The instruction set of a ticket's study. Throws base::Error (usage).
hpo::study::Isa isa_of(const hpo::Ticket& ticket) {
  try {
    return hpo::parse_study(ticket.study, "`study`", "/", {.data_elsewhere = true}).resources.isa;
  } catch (const base::Error& error) {
    throw base::Error(base::Errc::usage, base::cat("ticket: ", error.what()));
  }
}

void read_ticket(const Arguments& arguments, hpo::AgentOptions& options) {
  if (arguments.text(kTicket) != "-")
    throw base::Error(base::Errc::usage,
                      base::cat(kTicket, ": '", base::printable(arguments.text(kTicket), 60),
                                "', expected -, for standard input: a ticket is a secret"));
  for (const char* other : {"RUN", "--dir", "--orders", kIsa})
    if (arguments.has(other))
      throw base::Error(base::Errc::usage,
                        base::cat(kTicket, " and ", other, " exclude each other"));
  // Not later: who is to send the ticket may end meanwhile.
  base::die_with_parent(SIGTERM, base::first_parent());
  const std::string text = ticket_words();
  options.ticket = hpo::parse_ticket(text);
  options.attached = arguments.has(kAttachedToInput);
  const hpo::study::Isa isa = isa_of(*options.ticket);
  if (isa != hpo::study::Isa::any && !kern::is_held_to(hpo::study::to_word(isa))) keep_ticket(text);
  hold_to_isa(isa);
  ::unsetenv(kTicketRead);
}

hpo::study::Isa run_isa(const hpo::StudyReader& run) {
  return hpo::parse_study(run.resolved(), "study.yaml", "/", {.data_elsewhere = true})
      .resources.isa;
}

}  // namespace

void declare_agent(Arguments& arguments) {
  arguments.positional("RUN", "a study's name or its folder; none with a ticket", false);
  declare_dir(arguments);
  arguments.option(kTicket, "-",
                   "read what lets this agent join from standard input (`trellis ticket`), and end "
                   "with the process that started it");
  arguments.flag(kAttachedToInput, "with a ticket: also end when standard input does");
  arguments.option("--node", "NAME", "what this agent is called (default: the machine's name)");
  arguments.option("--workers", "N",
                   "CPU workers, a core each that no other agent has (default: all such cores)");
  arguments.option("--gpus", "N", "GPUs that no other agent has (default: all that it sees)");
  arguments.option("--executor", "E", "automatic, sequential, cpu or cuda (default: automatic)");
  arguments.option("--orphan", "SECONDS", "how long it waits for a driver (default: 120)");
  arguments.flag("--orders", "the driver says on standard input what this agent needs");
  arguments.option("--part", "I/N", "the I-th of N parts of the cores (default: all of them)");
  declare_isa(arguments);
}

int run_agent(const Arguments& arguments) {
  hpo::AgentOptions options;
  options.orders = arguments.has("--orders");
  if (arguments.has(kTicket)) {
    read_ticket(arguments, options);
  } else if (arguments.has(kAttachedToInput)) {
    throw base::Error(base::Errc::usage, base::cat(kAttachedToInput, " is for ", kTicket, " -"));
  } else if (!arguments.has("RUN")) {
    throw base::Error(base::Errc::usage,
                      base::cat("agent: RUN is missing, expected a study or ", kTicket, " -"));
  } else if (options.orders) {
    options.folder = arguments.text("RUN");
    hold_to_isa(isa_option(arguments));
  } else {
    const hpo::StudyReader run = open_run(arguments);
    options.folder = run.folder();
    hold_to_isa(arguments.has(kIsa) ? isa_option(arguments) : run_isa(run));
  }
  options.workers = workers_option(arguments);
  options.gpus = static_cast<int>(arguments.integer("--gpus", 0, kMostGpus).value_or(-1));
  // A job of Slurm has its own cores, whether or not Slurm binds it to them.
  options.insists = !options.orders && std::getenv("SLURM_JOB_ID") == nullptr;
  if (arguments.has("--executor")) options.engine = engine_option(arguments);
  if (arguments.has("--node")) options.node = arguments.text("--node");
  if (const auto seconds = arguments.integer("--orphan", 1, 1'000'000))
    options.orphan = std::chrono::seconds(*seconds);
  if (arguments.has("--part")) read_part(arguments.text("--part"), options);
  return hpo::run_agent(options);
}

}  // namespace cli
