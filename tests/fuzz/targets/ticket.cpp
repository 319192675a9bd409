// Tickets of agents: what comes on standard input.
#include "hpo/driver/nodes/ticket.h"

#include "base/error.h"
#include "tests/fuzz/fuzz.h"

void fuzz::feed(std::string_view input) {
  try {
    const hpo::Ticket ticket = hpo::parse_ticket(input);
    const std::string text = hpo::ticket_text(ticket);
    promise(hpo::ticket_text(hpo::parse_ticket(text)) == text, "a ticket can be read again");
  } catch (const base::Error& error) {
    promise(error.kind() == base::Errc::usage, "a bad ticket is an error of usage");
    promise_message(error.what());
  }
}
