// Tickets are made from, and tried against, the keys of a study.
#include <filesystem>

#include "base/text.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/driver/nodes/ticket.h"
#include "hpo/log/study_reader.h"

namespace hpo {

void refuse_agents(const base::Path& folder, bool driver_lives) {
  throw base::Error(
      base::Errc::usage,
      base::cat(folder.string(),
                driver_lives
                    ? ": its driver takes no agents, or not yet: with --nodes hosted, it does once "
                      "it has read its data, so try again in a moment"
                    : ": no driver waits for agents there: start the sweep with --nodes hosted"));
}

void require_keys(const Ticket& ticket) {
  const std::string fault = rt::net::load_network().fault_of(ticket.identity);
  if (!fault.empty())
    throw base::Error(base::Errc::usage,
                      base::cat("ticket: ", fault, ", expected what `trellis ticket RUN` prints"));
}

Ticket make_ticket(const base::Path& folder, const std::string& host) {
  const NetFolder net(folder);
  const auto driver = net.driver();
  // What a driver that is dead left there leads nowhere.
  const bool lives = StudyReader(folder).driver().has_value();
  if (!driver || !lives) refuse_agents(folder, lives);
  Ticket ticket;
  ticket.run = folder.filename().string();
  ticket.folder = std::filesystem::absolute(folder).string();
  ticket.address = driver->address;
  if (!host.empty()) ticket.address = host + driver->address.substr(driver->address.rfind(':'));
  ticket.identity = rt::net::load_network().issue(net.authority(), false);
  ticket.study = base::read_file(folder / "study.yaml");
  (void)parse_ticket(ticket_text(ticket));  // the host may be none
  return ticket;
}

}  // namespace hpo
