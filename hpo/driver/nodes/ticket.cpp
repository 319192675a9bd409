#include "hpo/driver/nodes/ticket.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"

namespace hpo {

namespace {

constexpr std::int64_t kTicketVersion = 1;
constexpr const char* kTicketSource =
    "expected what `trellis ticket RUN` prints, or run.ticket() returns";
constexpr const char* kTicketMark = "trellis_ticket";
constexpr std::string_view kTicketBlanks = " \t\r\n";

struct TextMember {
  const char* name;
  std::string& (*of)(Ticket&);
};
const std::array kTexts{
    TextMember{"run", [](Ticket& t) -> std::string& { return t.run; }},
    TextMember{"folder", [](Ticket& t) -> std::string& { return t.folder; }},
    TextMember{"address", [](Ticket& t) -> std::string& { return t.address; }},
    TextMember{"authority", [](Ticket& t) -> std::string& { return t.identity.authority; }},
    TextMember{"certificate", [](Ticket& t) -> std::string& { return t.identity.certificate; }},
    TextMember{"key", [](Ticket& t) -> std::string& { return t.identity.key; }},
    TextMember{"study", [](Ticket& t) -> std::string& { return t.study; }},
};

[[noreturn]] void refuse_ticket(const std::string& what) {
  throw base::Error(base::Errc::usage, "ticket: " + what);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(kTicketBlanks);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(kTicketBlanks) - from + 1);
}

void require_known_members(const base::Json& json) {
  if (const std::string* const name = json.repeated_name())
    refuse_ticket(base::cat("`", base::printable(*name, 60), "` is there twice, expected it once"));
  std::vector<std::string> known{kTicketMark};
  for (const TextMember& member : kTexts) known.emplace_back(member.name);
  for (const auto& [name, value] : json.members()) {
    if (std::ranges::find(known, name) != known.end()) continue;
    refuse_ticket(base::cat("unknown member `", base::printable(name, 60), "`",
                            base::expected_one_of(known, name)));
  }
}

void require_version(const base::Json& mark) {
  const auto version = mark.as_integer();
  if (!version || *version != kTicketVersion)
    refuse_ticket(base::cat("it is of version ", base::printable(mark.raw(), 60), ", expected ",
                            kTicketVersion, ": driver and agent need the same build"));
}

/// "host:port".
void require_address(const std::string& address) {
  constexpr std::int64_t kMostPort = 65535;
  const std::size_t colon = address.rfind(':');
  const auto port = colon == address.npos || colon == 0
                        ? std::nullopt
                        : base::parse_int(address.substr(colon + 1));
  if (!port || *port < 1 || *port > kMostPort || address.find_first_of(" \t\n/") != address.npos)
    refuse_ticket(
        base::cat("`address` is '", base::printable(address, 60), "', expected HOST:PORT"));
}

}  // namespace

std::string ticket_text(const Ticket& ticket) {
  base::JsonWriter json;
  json.begin_object().field(kTicketMark, kTicketVersion);
  Ticket copy = ticket;
  for (const TextMember& member : kTexts) json.field(member.name, member.of(copy));
  json.end_object();
  return std::move(json).text();
}

Ticket parse_ticket(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) refuse_ticket(base::cat("it is empty, ", kTicketSource));
  if (text.size() > kMostTicket)
    refuse_ticket(base::cat("it has more than ", kMostTicket, " bytes, ", kTicketSource));
  base::Json json;
  try {
    json = base::Json::parse(text, {.kind = base::Errc::usage, .depth = 2, .utf8 = true});
  } catch (const base::Error& error) {
    refuse_ticket(base::cat(error.what(), "; ", kTicketSource));
  }
  if (!json.is_object() || json.find(kTicketMark) == nullptr)
    refuse_ticket(base::cat("it is JSON without `", kTicketMark, "`, ", kTicketSource));
  require_version(*json.find(kTicketMark));
  require_known_members(json);
  Ticket ticket;
  for (const TextMember& member : kTexts) {
    const base::Json* const found = json.find(member.name);
    if (found == nullptr)
      refuse_ticket(base::cat("`", member.name, "` is missing, ", kTicketSource));
    const auto value = found->as_text();
    if (!value || value->empty())
      refuse_ticket(base::cat("`", member.name, "` is ", base::printable(found->raw(), 60),
                              ", expected a text"));
    member.of(ticket) = *value;
  }
  require_address(ticket.address);
  return ticket;
}

std::string read_ticket(int fd) {
  std::string text;
  bool blank = true;
  // A byte at a time: what follows the line is not the ticket's. parse_ticket() refuses more bytes.
  for (std::byte one{}; text.size() <= kMostTicket && base::read_into(fd, {&one, 1}).bytes == 1;) {
    text += static_cast<char>(one);
    blank = blank && kTicketBlanks.find(text.back()) != kTicketBlanks.npos;
    if (!blank && text.back() == '\n') break;
  }
  return text;
}

}  // namespace hpo
