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
  const auto both_say = [&](const std::string& words) {
    EXPECT_NE(refusal(ticket).find(words), std::string::npos) << refusal(ticket);
    EXPECT_NE(refusal(agent).find(words), std::string::npos) << refusal(agent);
  };
  {
    // As a driver has it while it reads.
    hpo::EventLog log(study.path());
    both_say("still reads the data");
    log.begin({.name = "a",
               .metric = "loss",
               .objective = {},
               .parameters = {"lr"},
               .resolved = "name: a\n"});
    log.replay([](const hpo::Event&) {});
    log.commit();
    both_say("its driver takes no agents, or not yet: with --nodes hosted, it does");
  }
  both_say("no driver waits for agents there: start the sweep with --nodes hosted");
}

TEST(Ticket, WhereNobodyHasBegunAStudyThatIsSaid) {
  const support::TempFolder study;
  { const hpo::EventLog log(study.path()); }
  EXPECT_NE(refusal([&] { (void)hpo::make_ticket(study.path(), ""); }).find("start one"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)hpo::run_agent({.folder = study.path()}); }).find("start one"),
            std::string::npos);
}

}  // namespace
