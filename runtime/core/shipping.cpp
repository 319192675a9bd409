// Nodes become parcels; answers end nodes.
#include "runtime/core/shipping.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "runtime/core/contents.h"
#include "runtime/core/engine.h"
#include "runtime/core/parameters.h"
#include "runtime/core/thread.h"
#include "runtime/failure.h"
#include "runtime/net/transport.h"

namespace rt::inline v0::detail {

namespace {

/// A file is asked for in many pieces, by one agent after another.
constexpr base::Duration kKeepFile = std::chrono::seconds(10);
constexpr std::size_t kMostConstants = 64 << 10;  ///< bytes; a call with more runs here

Held hold(Version* version) {
  version->hold();
  return Held(version);
}

bool reads_file(const Node& node) noexcept {
  return std::any_of(node.all_inputs().begin(), node.all_inputs().end(),
                     [](const Input& input) { return input.version->file != nullptr; });
}

bool begun(const Version& version) noexcept {
  return version.producer != nullptr &&
         version.producer->phase.load(std::memory_order_relaxed) != Phase::pending;
}

}  // namespace

/// Something that came over the network, on its way to the driver thread.
struct Shipping::Arrived : Event {
  enum class What : std::uint8_t { opened, received, closed, tick, ready };
  What what;
  net::LinkId link;
  base::Bytes bytes;
  std::string why;
  base::Moment at;
  Node* node = nullptr;

  Arrived(What happened, net::LinkId of) : what(happened), link(of), at(base::now()) {
    Event::handle = [](Event* self, Engine& engine) {
      const std::unique_ptr<Arrived> arrived(static_cast<Arrived*>(self));
      if (Shipping* shipping = engine.shipping()) arrived->tell(*shipping);
    };
  }
  void tell(Shipping& to) {
    net::Dispatcher& dispatcher = *to.dispatcher_;
    switch (what) {
      case What::opened:
        return dispatcher.opened(link, at);
      case What::received:
        return dispatcher.received(link, bytes, at);
      case What::closed:
        return dispatcher.closed(link, why, at);
      case What::tick:
        return to.tick(at);
      case What::ready:
        to.take(*node);
        return to.flush();
    }
  }
};

Shipping::Shipping(Engine& engine, const NodesConfig& config) : engine_(engine), config_(config) {
  transport_ = net::load_network().listen(config.identity, config.listen_at, *this);
  net::Dispatcher::Options options;
  options.epoch = config.epoch;
  options.build = config.build;
  options.arithmetic = config.arithmetic;
  options.cure = config.cure;
  options.patience = config.patience;
  dispatcher_ = std::make_unique<net::Dispatcher>(options, *transport_,
                                                  static_cast<net::Dispatcher::Client&>(*this));
  pulse_.emplace(std::chrono::milliseconds(250),
                 [this] { engine_.mailbox().send(new Arrived(Arrived::What::tick, 0)); });
}

Shipping::~Shipping() {
  pulse_.reset();
  dispatcher_->stop();
  over_ = true;
  transport_.reset();
  here_.clear();
  sources_.clear();
  wanted_.clear();
}

bool Shipping::may_take(const TaskInfo& info) noexcept {
  return info.pure && !info.inside && info.signature->revive != nullptr;
}

bool Shipping::takes(const Node& node) const noexcept {
  if (!may_take(*node.info) || !node.keyed) return false;
  return std::none_of(node.all_inputs().begin(), node.all_inputs().end(),
                      [](const Input& input) { return input.version->blank; });
}

bool Shipping::is_source(const Node& node) const noexcept {
  if (!takes(node) || node.info->keep != Keep::never || !reads_file(node)) return false;
  return std::all_of(node.all_inputs().begin(), node.all_inputs().end(),
                     [](const Input& input) { return input.version->file != nullptr; });
}

bool Shipping::made_elsewhere(const Version& version) const noexcept {
  if (version.key && sources_.contains(version.key)) return true;
  const Node* const producer = version.producer;
  if (version.borrows || producer == nullptr || version.open != nullptr || version.settled())
    return false;
  return begun(version) ? producer->travels : is_source(*producer);
}

bool Shipping::waits(const Version& version) const noexcept {
  const Node* const producer = version.producer;
  return producer != nullptr && producer->travels &&
         producer->phase.load(std::memory_order_relaxed) == Phase::scheduled;
}

void Shipping::take(Node& node) {
  if (Failure* failure = node.first_failure())
    return engine_.finish(node, Stage::cancelled, failure);
  if (engine_.group_of(node).cancelled.load(std::memory_order_acquire)) {
    Failure* failure = engine_.cancelled_failure(node);
    engine_.finish(node, Stage::cancelled, failure);
    return failure->unref();
  }
  node.phase.store(Phase::handed, std::memory_order_relaxed);
  taken_.emplace_back(++last_id_, &node);
  for (const Output& output : node.all_outputs()) {
    if (output.version->gather == Gather::no) output.version->on_handed.close();
  }
}

void Shipping::take_later(Node& node) {
  auto* const event = new Arrived(Arrived::What::ready, 0);
  event->node = &node;
  engine_.mailbox().send(event);
}

/// Lets the dispatcher know of the inputs that this process has.
void Shipping::offer_inputs(const Node& node) {
  for (const Input& input : node.all_inputs()) {
    Version& version = *input.version;
    if (version.file != nullptr) {
      files_[version.key] = version.file->text;
      continue;
    }
    if (sources_.contains(version.key)) continue;
    if (version.at() == Stage::ready && !is_away(version)) {
      here_.try_emplace(version.key, hold(&version));
      dispatcher_->offer(version.key, version.box ? version.box->bytes : 0);
    } else if (!version.settled() && !version.borrows && version.producer != nullptr &&
               !begun(version) && is_source(*version.producer)) {
      remember_source(*version.producer);
    }
  }
}

void Shipping::remember_source(const Node& node) {
  for (const Output& output : node.all_outputs()) {
    Version* const version = output.version;
    if (version->gather != Gather::no || version->holds.load() == 0) continue;
    if (!sources_.try_emplace(version->key, hold(version)).second) continue;
    offer_inputs(node);
    dispatcher_->remember(submission_of(node, 0), true);
    dispatcher_->retain(version->key);
  }
}

net::Submission Shipping::submission_of(const Node& node, std::uint64_t id) const {
  net::Submission made;
  made.id = id;
  net::Call& call = made.call;
  call.task = node.info->name;
  call.version = node.info->version;
  call.signature = signature_id(*node.info);
  call.device = node.device;
  call.priority = node.priority;
  call.cpus = node.needs.cpus;
  call.long_running = node.info->long_running;
  Writer constants;
  node.signature().encode_constants(node, constants);
  call.constants = std::move(constants).bytes();
  for (const Input& input : node.all_inputs()) {
    call.inputs.push_back(input.version->key);
    if (input.version->file != nullptr)
      made.files.push_back({input.version->key, input.version->file->text});
  }
  for (const Output& output : node.all_outputs()) {
    const Version& version = *output.version;
    const bool named = version.gather == Gather::no;
    call.outputs.push_back(named ? version.key : base::Key());
    call.back.push_back(named && version.holds.load() != 0 ? 1 : 0);
  }
  return made;
}

void Shipping::flush() {
  if (taken_.empty()) return;
  const std::vector<std::pair<std::uint64_t, Node*>> taken = std::exchange(taken_, {});
  std::map<base::Key, std::size_t> makers;
  std::vector<std::size_t> readers(taken.size(), 0);
  std::vector<net::Submission> calls;
  for (const auto& [id, node] : taken) {
    offer_inputs(*node);
    calls.push_back(submission_of(*node, id));
    running_[id] = node;
    for (const base::Key& key : calls.back().call.inputs) {
      if (const auto at = makers.find(key); at != makers.end()) ++readers[at->second];
    }
    for (const base::Key& key : calls.back().call.outputs) {
      if (key) makers[key] = calls.size() - 1;
    }
  }
  // A call joins the parcel that makes what it reads, if nobody else reads that.
  std::vector<std::vector<net::Submission>> parcels;
  std::vector<std::size_t> parcel_of(calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::vector<std::size_t> before;
    bool shared = false;
    for (const base::Key& key : calls[i].call.inputs) {
      const auto at = makers.find(key);
      if (at == makers.end() || at->second >= i) continue;
      before.push_back(parcel_of[at->second]);
      shared = shared || readers[at->second] > 1;
    }
    const bool one = !before.empty() && std::all_of(before.begin(), before.end(),
                                                    [&](std::size_t p) { return p == before[0]; });
    if (one && !shared) {
      parcel_of[i] = before[0];
    } else {
      parcel_of[i] = parcels.size();
      parcels.emplace_back();
    }
    parcels[parcel_of[i]].push_back(std::move(calls[i]));
  }
  for (auto& parcel : parcels) dispatcher_->submit(std::move(parcel), base::now());
}

void Shipping::drop_cancelled() {
  std::vector<std::uint64_t> cancelled;
  for (const auto& [id, node] : running_) {
    if (engine_.group_of(*node).cancelled.load(std::memory_order_acquire)) cancelled.push_back(id);
  }
  std::vector<Node*> nodes;
  for (const std::uint64_t id : cancelled) {
    const auto at = running_.find(id);
    nodes.push_back(at->second);
    running_.erase(at);
  }
  dispatcher_->cancel(cancelled, base::now());
  for (Node* one : nodes) {
    Node& node = *one;
    Failure* failure = engine_.cancelled_failure(node);
    engine_.finish(node, Stage::cancelled, failure);
    failure->unref();
  }
}

void Shipping::give_up() {
  std::vector<std::uint64_t> calls;
  for (const auto& [id, node] : running_) calls.push_back(id);
  dispatcher_->cancel(calls, base::now());
  for (const std::uint64_t call : calls) {
    net::Outcome lost;
    lost.end = net::End::lost;
    ended(call, std::move(lost));
  }
  std::vector<base::Key> keys;
  for (const auto& [key, boxes] : wanted_) keys.push_back(key);
  for (const base::Key& key : keys) arrived(key, nullptr);
}

void Shipping::see_to_starving() {
  constexpr const char* kWhy = "no node has the workers, or the GPU, that it needs";
  const std::vector<std::uint64_t> calls = dispatcher_->starving();
  const bool news = starved_ != !calls.empty();
  starved_ = !calls.empty();
  if (calls.empty()) return;
  if (!config_.complete || !config_.complete()) {
    if (news)
      base::warn(base::cat("task '", running_.at(calls.front())->info->name, "' waits: ", kWhy));
    return;
  }
  dispatcher_->cancel(calls, base::now());
  for (const std::uint64_t call : calls) {
    net::Outcome refused;
    refused.end = net::End::failed;
    refused.trouble.kind = static_cast<std::int32_t>(base::Errc::no_device);
    refused.trouble.reason = kWhy;
    ended(call, std::move(refused));
  }
}

void Shipping::tick(base::Moment now) {
  if (now - file_read_at_ > kKeepFile) file_read_.second.reset();
  // As of when it was sent: what arrived later lies behind it in the mailbox, where this thread was
  // held up.
  dispatcher_->tick(now);
  if (config_.tick) config_.tick();
  see_to_starving();
  std::vector<base::Key> unused;
  for (const auto& [key, version] : sources_) {
    if (version->holds.load() == 1) unused.push_back(key);
  }
  for (const base::Key& key : unused) {
    sources_.erase(key);
    dispatcher_->release(key);
  }
}

// --- what comes back

BoxRef Shipping::box_of(const TypeOps& ops, base::Key key, net::Output& output) {
  if (output.here) return decoded_box(ops, output.bytes);
  if (&ops == type_ops<void>()) return {};
  BoxRef box(Box::create(ops));
  box->bytes = output.size;
  box->away = new Away(key);
  dispatcher_->retain(key);
  return box;
}

void Shipping::make(Node& node, net::Outcome& outcome) {
  for (std::size_t i = 0; i < node.all_outputs().size(); ++i) {
    Output& output = node.outputs[i];
    if (output.version->gather != Gather::no || output.version->holds.load() == 0) continue;
    output.box = box_of(*output.version->ops, output.version->key, outcome.outputs[i]);
  }
}

void Shipping::ended(std::uint64_t call, net::Outcome outcome) {
  const auto at = running_.find(call);
  if (at == running_.end()) return;
  Node& node = *at->second;
  running_.erase(at);
  constexpr double kMostSeconds = 1e9;
  const double seconds = outcome.seconds > 0 ? std::min(outcome.seconds, kMostSeconds) : 0;
  node.ran = base::Duration(static_cast<std::int64_t>(seconds * 1e9));
  if (node.group != nullptr) node.group->body_ran(node.ran, base::now());
  if (outcome.end == net::End::made) {
    try {
      make(node, outcome);
      return engine_.finish(node, Stage::ready, nullptr);
    } catch (const base::Error& error) {
      outcome.end = net::End::failed;
      outcome.trouble.kind = static_cast<std::int32_t>(error.kind());
      outcome.trouble.reason = error.what();
    }
  }
  if (Failure* before = node.first_failure(); before != nullptr)
    return engine_.finish(node, Stage::cancelled, before);
  Failure* const failure = failure_of(node, outcome);
  if (node.info->last == OnFailure::fail) {
    engine_.group_of(node).cancel(failure);
    engine_.root().cancel(failure);
  }
  engine_.finish(node, Stage::failed, failure);
  failure->unref();
}

void Shipping::told(std::uint64_t call, const std::string& text) {
  const auto at = running_.find(call);
  if (at != running_.end()) engine_.listeners().tell(*at->second, text);
}

Failure* Shipping::failure_of(const Node& node, const net::Outcome& outcome) const {
  const net::Trouble& trouble = outcome.trouble;
  TaskError::Details details;
  details.task = node.info->name;
  details.attempt = trouble.attempt;
  details.attempts = trouble.attempts;
  details.worker = trouble.worker;
  details.arguments = trouble.arguments;
  details.where = node.where;
  details.reason =
      outcome.end == net::End::lost ? "each of the nodes that it ran on was lost" : trouble.reason;
  auto* const failure = new Failure;
  try {
    if (trouble.no_room) throw NoRoom();
    if (trouble.kind >= 0) throw base::Error(static_cast<base::Errc>(trouble.kind), details.reason);
    throw std::runtime_error(details.reason);
  } catch (...) {
    failure->error = std::make_exception_ptr(TaskError(std::move(details)));
  }
  return failure;
}

void Shipping::changed(const net::AgentView& agent, std::size_t again) {
  if (config_.changed) config_.changed(agent, again);
}

void Shipping::refused(const std::string& node, const std::string& why) {
  if (config_.refused) config_.refused(node, why);
}

bool Shipping::waits(const net::AgentView& agent) { return config_.waits && config_.waits(agent); }

void Shipping::fenced(std::uint64_t epoch) {
  if (config_.fenced) config_.fenced(epoch);
}

// --- the transport's threads

void Shipping::opened(net::LinkId link) {
  if (!over_) engine_.mailbox().send(new Arrived(Arrived::What::opened, link));
}

void Shipping::received(net::LinkId link, base::Bytes frame) {
  if (over_) return;
  auto* const event = new Arrived(Arrived::What::received, link);
  event->bytes = std::move(frame);
  engine_.mailbox().send(event);
}

void Shipping::closed(net::LinkId link, std::string why) {
  if (over_) return;
  auto* const event = new Arrived(Arrived::What::closed, link);
  event->why = std::move(why);
  engine_.mailbox().send(event);
}

}  // namespace rt::inline v0::detail
