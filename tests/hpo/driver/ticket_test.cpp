// Agents that come before their driver takes any in.
#include "hpo/driver/nodes/ticket.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "hpo/driver/nodes/agent.h"
#include "hpo/log/event_log.h"
#include "tests/support/temp_folder.h"

namespace {

template <class F>
std::string refusal(const F& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Ticket, ADriverThatReadsItsDataIsNoneThatIsNotThere) {
  const support::TempFolder study;
  const auto ticket = [&] { (void)hpo::make_ticket(study.path(), ""); };
  const auto agent = [&] { (void)hpo::run_agent({.folder = study.path()}); };
  {
    // As a driver has it while it reads.
    const hpo::EventLog log(study.path());
    EXPECT_NE(refusal(ticket).find("still reads the data"), std::string::npos) << refusal(ticket);
    EXPECT_NE(refusal(agent).find("still reads the data"), std::string::npos) << refusal(agent);
  }
  EXPECT_NE(refusal(ticket).find("start one"), std::string::npos) << refusal(ticket);
  EXPECT_NE(refusal(agent).find("start one"), std::string::npos) << refusal(agent);
}

}  // namespace
