#include "hpo/driver/nodes/gang_hosts.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <random>
#include <utility>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/pipe.h"
#include "base/text.h"
#include "hpo/driver/nodes/hosts.h"
#include "hpo/driver/nodes/slurm_step.h"
#include "runtime/codec.h"
#include "runtime/net/step.h"
#include "runtime/nodes.h"
#include "tasks/tasks.h"

namespace hpo {

namespace {

NetFolder made_folder(const base::Path& study) {
  NetFolder folder(study);
  folder.make();
  return folder;
}

}  // namespace

tasks::Sameness member_sameness(kern::Precision precision) {
  return {rt::program_stamp(), tasks::arithmetic(precision)};
}

std::vector<std::string> member_words(const StudySpec& study) {
  std::vector<std::string> words{program_file(), "member", "--orders"};
  std::ranges::move(isa_words(study), std::back_inserter(words));
  return words;
}

GangHosts::GangHosts(const StudySpec& study, const RunOptions& options)
    : folder_(made_folder(options.folder)),
      hosts_(options.hosts),
      words_(member_words(study)),
      precision_(study.precision),
      network_(rt::net::load_network()),
      authority_(folder_.authority()),
      own_(network_.issue(authority_, true)),
      at_(rt::net::address_towards(hosts_to_reach(options))) {
  far_ = std::make_unique<tasks::FarMembers>(
      network_, own_, at_, member_sameness(precision_),
      [this](int seat, std::uint64_t token) { launch(seat, token); },
      [this](std::uint64_t token) { abandon(token); }, [this] { look(); });
  members_ = far_.get();
  if (options.step == nullptr) return;
  folder_.publish({far_->address(), 0});
  published_ = true;
  StepNews(options.folder, *options.step).begun();
}

GangHosts::~GangHosts() {
  try {
    if (published_) folder_.retract();
  } catch (const base::Error&) {
    // An address that stays leads nowhere.
  }
  far_.reset();  // so the members hear that they are not needed
}

void GangHosts::launch(int seat, std::uint64_t token) {
  if (hosts_.empty()) return;
  const std::string& host = hosts_[static_cast<std::size_t>(seat - 1) % hosts_.size()];
  const std::lock_guard lock(mutex_);
  rt::net::HostStart start;
  start.host = host;
  start.node = base::cat("member-", seat, "-", launched_.size() + 1);
  start.words = words_;
  start.input =
      base::as_text(rt::encode(MemberOrders{{.identity = network_.issue(authority_, false),
                                             .address = far_->address(),
                                             .token = token,
                                             .node = host},
                                            precision_}));
  start.log = folder_.path() / base::cat("member-", seat, ".log");
  processes_.start(start);
  launched_[start.node] = token;
}

/// Else it would hold its host's memory, and here its ssh, until the training ends.
void GangHosts::abandon(std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  for (const auto& [node, of] : launched_)
    if (of == token) processes_.end(node);
}

void GangHosts::look() {
  const std::lock_guard lock(mutex_);
  for (const auto& ended : processes_.look())
    members_->ended(launched_.at(ended.node), base::cat("its process ended ", ending_text(ended)));
}

tasks::Roster::Start GangHosts::start() {
  return [this](int seat) { return far_->start(seat); };
}

std::unique_ptr<tasks::Place> GangHosts::place() const {
  std::random_device random;
  return std::make_unique<tasks::DoorsPlace>(network_.open_door(own_, at_),
                                             std::uint64_t{random()} << 32 | random());
}

void be_member_by_orders() {
  const std::string input = base::read_all(STDIN_FILENO);
  const auto orders = rt::decode<MemberOrders>(base::as_bytes(input));
  tasks::setup_process();
  tasks::be_far_member(rt::net::load_network(), orders.far, member_sameness(orders.precision));
}

int be_member_in_step(const StudySpec& study, const base::Path& folder, const std::string& node,
                      const std::function<bool()>& ended, base::Duration alone) {
  tasks::setup_process();
  const NetFolder net(folder);
  rt::net::Network& network = rt::net::load_network();
  const rt::net::Identity own = network.issue(net.authority(), false);
  base::Moment heard = base::now();
  while (!ended()) {
    if (base::now() - heard > alone) return base::exit_code(base::Errc::cancelled);
    if (const auto driver = net.driver()) {
      try {
        tasks::be_far_member(network, {.identity = own, .address = driver->address, .node = node},
                             member_sameness(study.precision));
        heard = base::now();
      } catch (const base::Error& error) {
        if (error.kind() != base::Errc::cancelled) throw;
      }
    }
    base::sleep_for(std::chrono::milliseconds(100));
  }
  return 0;
}

}  // namespace hpo
