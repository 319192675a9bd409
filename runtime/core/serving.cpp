// Parcels become nodes; their ends become answers.
#include "runtime/core/serving.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "runtime/core/calls.h"
#include "runtime/core/contents.h"
#include "runtime/core/engine.h"
#include "runtime/core/keys.h"
#include "runtime/failure.h"
#include "runtime/key.h"
#include "runtime/listener.h"
#include "runtime/loop.h"
#include "runtime/on.h"

namespace rt::inline v0::detail {

namespace fs = std::filesystem;

/// Something that came over the network, on its way to the driver thread.
struct Serving::Arrived : Event {
  enum class What : std::uint8_t { opened, received, closed, tick, looked };
  What what;
  net::LinkId link;
  base::Bytes bytes;
  base::Key key;     ///< of a file that was looked at
  std::string path;  ///< where it is; empty: not where it was thought to be
  base::Moment at;
  Serving& to;

  Arrived(Serving& serving, What happened, net::LinkId of)
      : what(happened), link(of), at(base::now()), to(serving) {
    Event::handle = [](Event* self, Engine&) {
      const std::unique_ptr<Arrived> arrived(static_cast<Arrived*>(self));
      if (!arrived->to.closing_) arrived->tell(*arrived->to.agent_);
    };
  }
  void tell(net::Agent& agent) const {
    switch (what) {
      case What::opened:
        return agent.opened(link, at);
      case What::received:
        return agent.received(link, bytes, at);
      case What::closed:
        return agent.closed(link, at);
      case What::tick:
        if (to.config_.stopping && to.config_.stopping()) agent.leave(at);
        to.see_to_loans();
        return agent.tick(at);
      case What::looked:
        return to.looked(key, path);
    }
  }
};

/// The end of a call: waits for its result, then tells the driver thread.
struct Serving::End : Waiter, Event {
  Serving& to;
  net::ParcelId parcel;
  std::uint32_t index;
  net::Call call;
  std::vector<Held> made;
  Listener listener;

  End(Serving& serving, net::ParcelId of, std::uint32_t number, net::Call what,
      std::vector<Held> outputs)
      : to(serving),
        parcel(of),
        index(number),
        call(std::move(what)),
        made(std::move(outputs)),
        listener(made.back(), [this](std::string_view text) {
          to.agent_->tell(parcel, index, call.outputs.back(), std::string(text));
        }) {
    Waiter::fire = [](Waiter* self) noexcept {
      Engine::current()->mailbox().send(static_cast<End*>(self));
    };
    Event::handle = [](Event* self, Engine&) {
      const std::unique_ptr<End> end(static_cast<End*>(self));
      if (!end->to.closing_) end->to.ended(*end);
    };
  }
};

Serving::Serving(Engine& engine, const AgentConfig& config) : engine_(engine), config_(config) {
  transport_ = net::load_network().connect(config.identity, net::Listener::driver, *this);
  net::Agent::Options options;
  options.hello.build = config.build;
  options.hello.arithmetic = config.arithmetic;
  options.hello.node = config.node;
  options.hello.slots = static_cast<std::uint32_t>(engine.backend().cpu_workers());
  options.hello.gpus = static_cast<std::uint32_t>(engine.backend().gpus());
  options.orphan = config.orphan;
  options.leave = config.leave;
  options.seed = static_cast<std::uint64_t>(base::wall_micros()) ^
                 static_cast<std::uint64_t>(::getpid()) << 40;
  agent_ = std::make_unique<net::Agent>(options, *transport_, static_cast<net::Agent::Work&>(*this),
                                        base::now());
  pulse_.emplace(std::chrono::milliseconds(250),
                 [this] { engine_.mailbox().send(new Arrived(*this, Arrived::What::tick, 0)); });
}

Serving::~Serving() {
  pulse_.reset();
  for (auto& [parcel, running] : running_) running.group.cancel();
  running_.clear();
  waiting_.clear();
  kept_.clear();
  // No driver answers any more, and calls wait for what they read even when they are cancelled.
  const auto none = std::make_exception_ptr(base::Error(base::Errc::internal, "no driver has it"));
  for (const auto& [key, asked] : std::exchange(asked_, {})) engine_.poison(*asked.get(), none);
  looks_.clear();  // waits for them
  // What was sent last must leave before the links close.
  transport_.reset();
  engine_.wait_all();
  closing_ = true;
  engine_.handle_events();
}

net::Dismissal Serving::serve(std::string& text) {
  while (!over_) {
    (void)poll();
    if (!over_) (void)wait_event();
  }
  text = text_;
  return *over_;
}

// --- parcels

void Serving::run(net::Parcel parcel) {
  Running& running =
      running_.try_emplace(parcel.id, "parcel " + std::to_string(parcel.id)).first->second;
  std::vector<net::Call> calls = std::move(parcel.sources);
  calls.insert(calls.end(), std::make_move_iterator(parcel.calls.begin()),
               std::make_move_iterator(parcel.calls.end()));
  running.left = calls.size();
  for (net::Content& content : parcel.contents)
    given_[content.key] = std::make_shared<const base::Bytes>(std::move(content.bytes));
  std::map<base::Key, std::string> files;
  for (const net::FileInput& file : parcel.files) files[file.key] = file.path;
  for (std::uint32_t i = 0; i < calls.size(); ++i) {
    if (running_.contains(parcel.id)) begin(parcel.id, i, calls[i], running, files);
  }
  given_.clear();
}

void Serving::begin(net::ParcelId parcel, std::uint32_t index, const net::Call& call,
                    Running& running, const std::map<base::Key, std::string>& files) {
  try {
    const TaskInfo* const info = find_task(call.task, call.version, call.signature);
    if (info == nullptr || info->signature->revive == nullptr)
      throw base::Error(base::Errc::usage,
                        base::cat("there is no task '", call.task, "', version ", call.version));
    const Signature& signature = *info->signature;
    if (call.inputs.size() != signature.inputs || call.outputs.size() != signature.outputs ||
        call.back.size() != signature.outputs || call.device > Device::cuda)
      throw base::Error(base::Errc::data,
                        "a call of task '" + call.task + "' with other arguments");
    if (std::any_of(call.inputs.begin(), call.inputs.end(),
                    [&](const base::Key& key) { return waits_for_file(key); })) {
      waiting_.push_back({parcel, index, call, files});
      return;
    }
    std::vector<KnownFile> paths(signature.inputs);
    for (const Parameter& p : signature.parameters) {
      if (p.mode != Mode::file_in) continue;
      const base::Key key = call.inputs[p.input];
      const auto path = files.find(key);
      const auto found = file_of(key, path != files.end() ? path->second : std::string());
      if (!found) {
        waiting_.push_back({parcel, index, call, files});
        return;
      }
      paths[p.input] = {*found, key};
    }
    const On on(call.device);
    const Group::Scope scope = running.group.enter();
    Reader constants(call.constants);
    Node* const node = signature.revive(*info, constants);
    const std::unique_ptr<Node, void (*)(Node*)> owner(node, [](Node* one) { one->unref(); });
    check_needs(*node);
    std::vector<Held> inputs(signature.inputs);
    for (const Parameter& p : signature.parameters) {
      if (p.input != Parameter::kNone && p.mode != Mode::file_in)
        inputs[p.input] = input_of(*p.ops, call.inputs[p.input]);
    }
    std::vector<Held> made = bind_revived(*node, inputs, paths);
    auto end = std::make_unique<End>(*this, parcel, index, call, made);
    node->ref();  // submit() takes one
    engine_.submit(node);
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!call.outputs[i] || !made[i]) continue;
      if (made[i]->key != call.outputs[i])
        throw base::Error(base::Errc::internal,
                          "task '" + call.task + "' names its results otherwise here");
      kept_[call.outputs[i]] = made[i];
      running.keys.push_back(call.outputs[i]);
    }
    Version* const result = end->made.back().get();
    for (const Held& one : end->made) {
      if (one && one->gather == Gather::no) engine_.demand(one.get());
    }
    if (result->on_complete.add(end.get())) {
      (void)end.release();
    } else {
      engine_.mailbox().send(end.release());
    }
  } catch (const std::exception& error) {
    refuse(parcel, index, call, error);
  }
}

/// Whether a call that has to wait for a file makes that value.
bool Serving::waits_for_file(base::Key key) const {
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Waiting& one) {
    const std::vector<base::Key>& made = one.call.outputs;
    return std::find(made.begin(), made.end(), key) != made.end();
  });
}

/// A value by its key: kept here, in the store, sent along, or asked of the driver.
Held Serving::input_of(const TypeOps& ops, base::Key key) {
  if (const auto at = kept_.find(key); at != kept_.end() && at->second->at() <= Stage::ready)
    return at->second;
  if (const auto at = asked_.find(key); at != asked_.end()) return at->second;
  if (const auto at = given_.find(key); at != given_.end()) {
    BoxRef box = decoded_box(ops, *at->second);
    Held version(Version::create(&ops));
    version->key = key;
    version->settle(std::move(box), Stage::ready, nullptr);
    return kept_[key] = version;
  }
  if (Held stored = stored_version(ops, key)) return kept_[key] = stored;
  Held asked(Version::create(&ops));
  asked->key = key;
  asked_[key] = asked;
  agent_->need(key);
  return asked;
}

/// Whether the file at that path has that content. To read a large one takes longer than an agent
/// may say nothing.
void Serving::look(base::Key key, const std::string& path) {
  looks_.emplace_back([this, key, path] {
    auto looked = std::make_unique<Arrived>(*this, Arrived::What::looked, 0);
    looked->key = key;
    try {
      if (key_of_file(path) == key) looked->path = path;
    } catch (const base::Error&) {  // it is not here: the driver has it
    }
    engine_.mailbox().send(looked.release());
  });
}

void Serving::looked(base::Key key, const std::string& path) {
  looked_[key] = true;
  if (!path.empty()) fetched_[key] = path;
  retry_waiting();
}

/// Where a file of that content is: at the path that the driver named, or a copy from the driver;
/// nothing while that is on its way. Throws base::Error (storage) if the driver has none.
std::optional<fs::path> Serving::file_of(base::Key key, const std::string& path) {
  if (const auto at = fetched_.find(key); at != fetched_.end()) return at->second;
  if (!path.empty()) {
    const auto [at, first] = looked_.try_emplace(key, false);
    if (first) look(key, path);
    if (!at->second) return std::nullopt;
  }
  const auto [asked, first] = files_asked_.try_emplace(key, false);
  if (asked->second) {
    files_asked_.erase(asked);
    throw base::Error(base::Errc::storage, path + ": it is not here, nor with the driver any more");
  }
  if (first) agent_->need(key);
  return std::nullopt;
}

void Serving::refuse(net::ParcelId parcel, std::uint32_t index, const net::Call& call,
                     const std::exception& error) {
  net::Outcome outcome;
  outcome.end = net::End::failed;
  const auto* known = dynamic_cast<const base::Error*>(&error);
  outcome.trouble.kind = known != nullptr ? static_cast<std::int32_t>(known->kind()) : -1;
  outcome.trouble.reason = error.what();
  outcome.trouble.worker = config_.node;
  agent_->ended(parcel, index, call.outputs.empty() ? base::Key() : call.outputs.back(), outcome);
  const auto at = running_.find(parcel);
  if (at != running_.end() && --at->second.left == 0) running_.erase(at);
}

net::Output Serving::output_of(Version& version, bool back) {
  net::Output output;
  if (!version.box) {
    output.here = true;
    return output;
  }
  const Box& box = *version.box.get();
  output.size = box.bytes;
  if (!back || (version.ops->buffer && box.bytes > net::kSmall)) return output;
  output.bytes = encoded_content(version, engine_.handles());
  output.size = output.bytes.size();
  output.here = output.bytes.size() <= net::kSmall;
  if (!output.here) output.bytes.clear();
  return output;
}

namespace {

/// The parts of an error that another process can be told.
net::Trouble trouble_of(const Failure& failure, const std::string& node) {
  net::Trouble trouble;
  try {
    std::rethrow_exception(failure.error);
  } catch (const TaskError& error) {
    const TaskError::Details& details = error.details();
    trouble.attempt = details.attempt;
    trouble.attempts = details.attempts;
    trouble.worker = node + ", " + details.worker;
    trouble.arguments = details.arguments;
    trouble.reason = details.reason;
    try {
      std::rethrow_exception(error.nested_ptr());
    } catch (const base::Error& inner) {
      trouble.kind = static_cast<std::int32_t>(inner.kind());
    } catch (const NoRoom&) {
      trouble.no_room = true;
    } catch (...) {
      trouble.kind = -1;
    }
  } catch (const std::exception& error) {
    trouble.reason = error.what();
    trouble.worker = node;
  }
  // Words of any length may come from a body.
  for (std::string* text : {&trouble.arguments, &trouble.reason, &trouble.worker}) {
    if (text->size() > 16'000) text->resize(16'000);
  }
  return trouble;
}

}  // namespace

void Serving::ended(const End& end) {
  const auto at = running_.find(end.parcel);
  if (at == running_.end()) return;
  const Version& result = *end.made.back().get();
  net::Outcome outcome;
  if (result.at() == Stage::ready) {
    for (std::size_t i = 0; i < end.made.size(); ++i) {
      Version* const version = end.made[i].get();
      outcome.outputs.push_back(version != nullptr && end.call.outputs[i]
                                    ? output_of(*version, end.call.back[i] != 0)
                                    : net::Output{});
    }
    const Node* const node = result.producer;
    outcome.seconds = node != nullptr ? base::seconds(node->ran) : 0;
  } else {
    outcome.end = result.at() == Stage::failed ? net::End::failed : net::End::cancelled;
    outcome.trouble = trouble_of(*result.failure, config_.node);
    for (const base::Key& key : end.call.outputs) kept_.erase(key);
  }
  agent_->ended(end.parcel, end.index, end.call.outputs.back(), std::move(outcome));
  if (--at->second.left == 0) running_.erase(at);
}

void Serving::cancel(net::ParcelId parcel) {
  const auto at = running_.find(parcel);
  if (at == running_.end()) return;
  // What it has not made yet will never come: a later parcel makes it itself.
  for (const base::Key& key : at->second.keys) {
    const auto kept = kept_.find(key);
    if (kept != kept_.end() && kept->second->at() != Stage::ready) kept_.erase(kept);
  }
  at->second.group.cancel();
  running_.erase(at);
  std::erase_if(waiting_, [&](const Waiting& one) { return one.parcel == parcel; });
}

void Serving::drop(const std::vector<base::Key>& keys) {
  for (const base::Key& key : keys) kept_.erase(key);
}

// --- contents

net::Agent::Blob Serving::content(base::Key key) {
  const auto at = kept_.find(key);
  if (at != kept_.end() && at->second->at() == Stage::ready) {
    return std::make_shared<const base::Bytes>(
        encoded_content(*at->second.get(), engine_.handles()));
  }
  const auto& store = engine_.config().store;
  return store ? store->lookup(key) : nullptr;
}

void Serving::arrived(base::Key key, const net::Agent::Blob& content) {
  if (const auto file = files_asked_.find(key); file != files_asked_.end()) {
    if (content && key_of_file(*content) == key) {
      if (!room_) room_.emplace(base::node_folder(), "trellis-agent-");
      const fs::path path = room_->path() / key.hex();
      base::write_private_file(path, *content);
      fetched_[key] = path;
      files_asked_.erase(file);
    } else {
      file->second = true;
    }
    return retry_waiting();
  }
  const auto at = asked_.find(key);
  if (at == asked_.end()) return;
  const Held held = std::move(at->second);
  asked_.erase(at);
  Version& version = *held.get();
  try {
    if (!content) throw base::Error(base::Errc::internal, "a value that it reads is nowhere");
    BoxRef box = decoded_box(*version.ops, *content);
    // One that was made here meanwhile stays: the driver may know of it.
    kept_.try_emplace(key, held);
    engine_.fulfil(version, std::move(box));
  } catch (const base::Error&) {
    engine_.poison(version, std::current_exception());
  }
}

void Serving::retry_waiting() {
  for (Waiting& one : std::exchange(waiting_, {})) {
    const auto at = running_.find(one.parcel);
    if (at != running_.end()) begin(one.parcel, one.index, one.call, at->second, one.files);
  }
}

std::vector<std::pair<base::Key, std::uint64_t>> Serving::holds() {
  std::vector<std::pair<base::Key, std::uint64_t>> all;
  for (const auto& [key, kept] : kept_) {
    if (kept->at() == Stage::ready) all.emplace_back(key, kept->box ? kept->box->bytes : 0);
  }
  return all;
}

// --- links

void Serving::dial() {
  const std::string address = config_.address();
  if (address.empty()) return closed(0, "there is no driver");
  transport_->dial(address);
}

void Serving::welcomed(std::uint32_t, std::uint64_t) {
  if (config_.totals) before_ = config_.totals();
  if (config_.welcomed) config_.welcomed();
}

void Serving::see_to_loans() {
  if (config_.loans == nullptr) return;
  for (const std::uint64_t loan : config_.loans->take_ended()) agent_->loan_over(loan);
  agent_->wish(config_.loans->wishes());
}

void Serving::lend(std::uint64_t loan, base::Bytes terms) {
  if (config_.loans == nullptr) return agent_->loan_over(loan);
  config_.loans->begin(loan, terms);
}

std::vector<double> Serving::totals() {
  if (!config_.totals) return {};
  std::vector<double> since = config_.totals();
  for (std::size_t i = 0; i < std::min(since.size(), before_.size()); ++i) since[i] -= before_[i];
  return since;
}

void Serving::dismissed(net::Dismissal why, const std::string& text) {
  over_ = why;
  text_ = text;
  wake();
}

void Serving::opened(net::LinkId link) {
  engine_.mailbox().send(new Arrived(*this, Arrived::What::opened, link));
}

void Serving::received(net::LinkId link, base::Bytes frame) {
  auto* const event = new Arrived(*this, Arrived::What::received, link);
  event->bytes = std::move(frame);
  engine_.mailbox().send(event);
}

void Serving::closed(net::LinkId link, std::string) {
  engine_.mailbox().send(new Arrived(*this, Arrived::What::closed, link));
}

}  // namespace rt::inline v0::detail
