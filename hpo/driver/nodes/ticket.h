#pragma once
// What lets one agent that somebody else starts join a study: `trellis agent --ticket -`.

#include <cstddef>
#include <string>
#include <string_view>

#include "base/file.h"
#include "runtime/net/transport.h"

namespace hpo {

/// Whoever has it can be an agent of the study: it holds a secret key.
struct Ticket {
  std::string run;      ///< the study's name, for messages
  std::string folder;   ///< of the study, where the agent's machine has it, too
  std::string address;  ///< of the driver, host:port
  rt::net::Identity identity;
  std::string study;  ///< study.yaml
};

/// Bytes of a ticket at most.
inline constexpr std::size_t kMostTicket = std::size_t{1} << 20;

/// One line of JSON, without the line's end.
[[nodiscard]] std::string ticket_text(const Ticket& ticket);
/// Reads it back, blanks around it allowed. Whether its keys are good, require_keys() says. Throws
/// base::Error (usage) that says where, what was found and what was expected.
[[nodiscard]] Ticket parse_ticket(std::string_view text);

/// Throws base::Error: usage for an identity that lets nobody in; no_device without the transport.
void require_keys(const Ticket& ticket);

/// The ticket's text on a descriptor: up to the end of the first line that is not blank, or to the
/// end of the file. Reads at most one byte more than kMostTicket, which parse_ticket() refuses.
[[nodiscard]] std::string read_ticket(int fd);

/// Throws base::Error (usage): says that no agent can join the study in that folder now, and why.
[[noreturn]] void refuse_agents(const base::Path& folder, bool driver_lives);

/// A new ticket, with a key of its own. `host`: where agents reach the driver; empty: where it says
/// itself. Throws base::Error: usage where no driver takes agents in.
[[nodiscard]] Ticket make_ticket(const base::Path& folder, const std::string& host);

}  // namespace hpo
