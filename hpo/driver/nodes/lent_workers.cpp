#include "hpo/driver/nodes/lent_workers.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/log.h"
#include "base/new_file.h"
#include "base/pipe.h"
#include "base/process/start.h"
#include "base/text.h"
#include "hpo/driver/nodes/gang_hosts.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/study/gpus.h"
#include "runtime/codec.h"
#include "runtime/net/hosts.h"
#include "runtime/net/sums/schedule.h"

namespace hpo {

namespace {

tasks::VisitorRules rules_of(const StudySpec& study) {
  const std::int64_t members = study.resources.members.value_or(1);
  constexpr std::int64_t kMost = rt::net::sums::kMostMembers;
  tasks::VisitorRules rules;
  rules.judges = members == 0;
  rules.members = static_cast<int>(rules.judges ? kMost : std::min(members, kMost));
  if (rules.judges) rules.platform = platform_here(1);
  return rules;
}

}  // namespace

bool lends_workers(const StudySpec& study) {
  return !study.runs_command && !may_use_gpus(study) && study.resources.members.value_or(1) != 1;
}

std::string address_for_agents(const std::string& driver) {
  const std::string host = driver.substr(0, driver.rfind(':'));
  // Agents of other machines may come to a driver that is beside this agent.
  return host.empty() || rt::net::is_here(host) ? rt::net::address_outside()
                                                : rt::net::address_towards({host});
}

VisitorTrainings::VisitorTrainings(const StudySpec& study, const rt::net::Identity& own,
                                   const std::string& at)
    : gangs_(rt::net::load_network(), own, at, member_sameness(study.precision), rules_of(study)) {
  tasks::train_with(&gangs_);
}

VisitorTrainings::~VisitorTrainings() {
  tasks::train_with(static_cast<tasks::OpenGangs*>(nullptr));
}

LentWorkers::LentWorkers(const StudySpec& study, const VisitorTrainings& trainings,
                         rt::net::Identity own, std::string at, std::string node)
    : trainings_(trainings),
      own_(std::move(own)),
      at_(std::move(at)),
      node_(std::move(node)),
      precision_(study.precision),
      words_(member_words(study)) {}

LentWorkers::~LentWorkers() {
  for (const Visitor& visitor : visitors_) (void)::kill(visitor.process, SIGKILL);
  for (const Visitor& visitor : visitors_) (void)::waitpid(visitor.process, nullptr, 0);
}

pid_t LentWorkers::start(const base::Bytes& terms) const {
  const auto invitation = rt::decode<tasks::Invitation>(terms);
  const MemberOrders orders{{.identity = own_,
                             .address = invitation.address,
                             .token = invitation.token,
                             .node = node_,
                             .first = rt::net::Listener::agent,
                             .at = at_},
                            precision_};
  // What fits into a pipe can be written whether somebody reads it or not.
  base::Pipe input = base::open_pipe();
  if (!input) throw base::storage_error("open", "a pipe", errno);
  (void)base::write_all(input.write.fd(), rt::encode(orders));
  (void)input.write.close();
  base::ProcessStart start;
  start.path = words_.front();
  start.words = words_;
  start.environment = base::environment_with({});
  const std::array files{input.read.fd(), STDERR_FILENO, STDERR_FILENO};
  return base::start_process(std::move(start), files);
}

void LentWorkers::begin(std::uint64_t loan, const base::Bytes& terms) {
  try {
    visitors_.push_back({loan, start(terms)});
  } catch (const base::Error& error) {
    base::warn(base::cat("a worker cannot be lent: ", error.what()));
    ended_.push_back(loan);
  }
}

/// Members are elastic, so it need not end in good order. take_ended() waits for it.
void LentWorkers::end(std::uint64_t loan) {
  const auto at = std::ranges::find(visitors_, loan, &Visitor::loan);
  if (at == visitors_.end()) return;
  (void)::kill(at->process, SIGKILL);
  at->loan = 0;
}

std::vector<std::uint64_t> LentWorkers::take_ended() {
  std::vector<std::uint64_t> ended = std::exchange(ended_, {});
  std::erase_if(visitors_, [&](const Visitor& visitor) {
    int status = 0;
    if (::waitpid(visitor.process, &status, WNOHANG) != visitor.process) return false;
    if (visitor.loan != 0) ended.push_back(visitor.loan);
    return true;
  });
  return ended;
}

}  // namespace hpo
