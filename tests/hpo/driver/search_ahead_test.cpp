// What a sampler can do ahead of its proposals is done by workers, and changes none of them.

#include <gtest/gtest.h>

#include "tests/hpo/driver/sim.h"

namespace hpo {
namespace {

StudySpec study(const char* method) {
  StudySpec spec = sim::study();
  spec.method = {method, {}};
  if (spec.method.kind == "gp") spec.method.options = {{"startup", std::int64_t{10}}};
  spec.early_stop = {"none", {}};
  spec.limits.trials = 60;
  return spec;
}

/// Tasks of a search whose trials have none, once its proposals are seen to be those that follow
/// from the log alone.
std::int64_t tasks_of(const StudySpec& spec, rt::Executor executor) {
  support::TempFolder folder;
  sim::Work work(1);
  work.most_ticks = 0;
  Observer silent;
  const sim::Session session =
      sim::session(folder.path(), spec, work, silent, {}, nullptr, std::chrono::milliseconds(10),
                   {.workers = 2, .executor = executor});
  Search alone(spec);
  EventLog(folder.path()).replay([&](const Event& event) {
    if (const auto* created = std::get_if<Created>(&event.body)) {
      EXPECT_EQ(alone.propose(), created->params) << *event.trial;
    }
    if (event.trial) alone.tell(*event.trial, event.body);
  });
  EXPECT_EQ(alone.created(), 60u);
  return session.work.tasks;
}

TEST(SearchAhead, IsATaskAndChangesNoProposal) {
  EXPECT_EQ(tasks_of(study("random"), rt::Executor::starpu_cpu), 0);
  EXPECT_GT(tasks_of(study("gp"), rt::Executor::starpu_cpu), 3);
  EXPECT_GT(tasks_of(study("auto"), rt::Executor::starpu_cpu), 3);
}

TEST(SearchAhead, WaitsForItsProposalWhereNoWorkerIsBeside) {
  EXPECT_EQ(tasks_of(study("gp"), rt::Executor::sequential), 0);
}

}  // namespace
}  // namespace hpo
