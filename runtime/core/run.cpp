// Running a node: one attempt after the other, then its failure policy.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/new_file.h"
#include "base/text.h"
#include "runtime/core/running.h"
#include "runtime/core/thread.h"

namespace rt::inline v0::detail {

Temporary::Temporary(const TypeOps& ops, const void* like, std::byte* memory)
    : ops_(&ops), object_(::operator new (ops.size, std::align_val_t{ops.align})) {
  try {
    ops.view(object_, like, memory);
  } catch (...) {
    ::operator delete (object_, std::align_val_t{ops.align});
    throw;
  }
}

Temporary::~Temporary() {
  if (object_ == nullptr) return;
  ops_->destroy(object_);
  ::operator delete (object_, std::align_val_t{ops_->align});
}

void Running::run() noexcept {
  // One task in sixteen pays for the clock reading that tells the runtime's own time.
  const bool sampled = (worker.tasks.load(std::memory_order_relaxed) & 15) == 0;
  const base::Moment begin = base::now();
  end_ = begin;
  engine.accounting().begun(worker.number, node.device, begin);
  run_and_finish();
  if (sampled) bump(worker.overhead_nanos, 16 * ((base::now() - begin).count() - inside_.count()));
  end_others();
}

void Running::run_and_finish() noexcept {
  if (Failure* failure = node.first_failure()) {
    return end(Stage::cancelled, failure);
  }
  const std::atomic<bool>& cancelled = engine.group_of(node).cancelled;
  std::exception_ptr error;
  bool done = false;
  while (!done && !cancelled.load(std::memory_order_acquire)) {
    if (attempt > 0) bump(worker.retried, std::uint64_t{1});
    ++attempt;
    done = attempt_once(error);
    if (!done && attempt > node.info->retries) break;
  }
  const bool stopped = cancelled.load(std::memory_order_acquire);
  if (done && !(stopped && stop_seen && node.info->pure)) {
    return end(Stage::ready, nullptr);
  }
  if (!stopped) return give_up(error);
  Failure* failure = engine.cancelled_failure(node);
  end(Stage::cancelled, failure);
  failure->unref();
}

void Running::end(Stage stage, Failure* failure) noexcept {
  engine.accounting().ended(worker.number, end_);
  engine.finish(node, stage, failure, bytes_);
}

namespace {

Body body_for(const Node& node, bool simulates) noexcept {
  const TaskInfo& info = *node.info;
  if (simulates) return info.simulated != nullptr ? info.simulated : info.cpu;
  return node.device == Device::cpu ? info.cpu : info.cuda;
}

/// Waits for what a body that threw left on its device: from now on others have its scratch and its
/// buffers. That there was an error is known.
void settle(Backend& backend) noexcept {
  try {
    backend.synchronise();
  } catch (...) {
    return;
  }
}

}  // namespace

void Running::run_body() {
  Context context(*this);
  const Body body = body_for(node, engine.backend().simulates());
  PackMember* const own = node.member;
  if (own == nullptr) return body(node, context, slots_.data(), result_);
  if (own->ended) return take_outcome(*own);
  run_pack(*own, body, context);
}

bool Running::attempt_once(std::exception_ptr& error) {
  const base::Moment start = end_;  // of the attempt before, or of the whole
  split_ = {};
  base::Moment body = start;
  bool good = false;
  if (node.group != nullptr) node.group->body_begins(pack_ > 0 ? part_from_ : start);
  try {
    prepare();
    if (copied_) body = base::now();
    this_thread().running = this;
    run_body();
    if (node.device == Device::cuda) engine.backend().synchronise();
    engine.backend().spend(node);
    this_thread().running = nullptr;
    conclude();
    good = true;
  } catch (...) {
    this_thread().running = nullptr;
    error = std::current_exception();
    if (node.device == Device::cuda) settle(engine.backend());
    undo();
  }
  end_team();
  worker.slow_down(base::now() - body - split_);
  end_ = base::now();
  inside_ += end_ - start;
  const base::Moment to = pack_ > 0 ? part_to_ : end_;
  if (pack_ > 0) body = part_from_;
  if (node.group != nullptr) node.group->body_ends(to);
  bump(worker.tasks, std::uint64_t{1});
  if (copied_) bump(worker.moving_nanos, (body - start).count());
  bump(worker.busy_nanos, (to - body).count());
  node.ran = to - body;
  if (Records& records = engine.records(); records.active())
    records.run(node, body, to, attempt, worker.lane, good, pack_);
  return good;
}

void Running::split(int parts, PartBody body, void* object) {
  const base::Moment begin = base::now();
  if (node.device != Device::cpu || parts <= 1 || engine.backend().cpu_workers() <= 1 ||
      engine.backend().simulates()) {
    for (int part = 0; part < parts; ++part) body(object, part, worker);
    return;
  }
  if (team_ == nullptr) team_ = new Team(engine, node);
  team_->run(parts, body, object, worker);
  split_ += base::now() - begin;
}

void Running::end_team() noexcept {
  if (team_ != nullptr) std::exchange(team_, nullptr)->close();
}

void Running::prepare() {
  unsigned i = 0;
  for (const Parameter& p : node.signature().parameters) {
    void*& slot = slots_[i++];
    switch (p.mode) {
      case Mode::constant:
        break;
      case Mode::in:
      case Mode::file_in:
        slot = prepare_input(p);
        break;
      case Mode::inout:
        slot = prepare_inout(p);
        break;
      case Mode::out:
        slot = prepare_out(p);
        break;
      case Mode::commutative:
        slot = prepare_commutative(p);
        break;
      case Mode::redux: {
        const void* like = p.input != Parameter::kNone ? node.inputs[p.input].box->object : nullptr;
        node.outputs[p.output].box = p.fold->identity(like);
        slot = node.outputs[p.output].box->object;
        break;
      }
      case Mode::file_out: {
        paths_.reserve(node.signature().parameters.size());
        slot = &paths_.emplace_back(
            base::temporary_beside(node.outputs[p.output].version->file->path));
        break;
      }
    }
  }
}

/// The object of a box whose bytes this worker sees at an access's address.
void* Running::view(Box& box, std::uint8_t access) {
  std::byte* here = access != Input::kNoAccess ? bytes_[access] : box.host_bytes();
  if (box.bytes == 0 || here == box.host_bytes()) return box.object;
  return temporaries_.emplace_back(*box.ops, box.object, here).object();
}

void* Running::prepare_input(const Parameter& p) {
  Input& input = node.inputs[p.input];
  if (input.version->file != nullptr) {
    return const_cast<std::filesystem::path*>(&input.version->file->path);
  }
  return p.ops->buffer ? view(*input.box.get(), input.access) : input.box->object;
}

void* Running::prepare_inout(const Parameter& p) {
  Input& input = node.inputs[p.input];
  Output& output = node.outputs[p.output];
  if (input.claimed)
    return p.ops->buffer ? view(*input.box.get(), input.access) : input.box->object;
  if (attempt == 1) bump(worker.copies, std::uint64_t{1});
  copied_ = true;
  if (p.ops->buffer) return prepare_buffer_copy(p);
  output.box = BoxRef(Box::create(*p.ops));
  p.ops->copy(output.box->object, input.box->object);
  output.box->made = true;
  return output.box->object;
}

void* Running::prepare_buffer_copy(const Parameter& p) {
  Input& input = node.inputs[p.input];
  Output& output = node.outputs[p.output];
  Box& to = *output.box.get();
  if (to.bytes != 0) engine.backend().copy(bytes_[output.access], bytes_[input.access], to.bytes);
  to.clear();
  p.ops->view(to.object, input.box->object, to.memory);
  to.made = true;
  return view(to, output.access);
}

void* Running::prepare_out(const Parameter& p) {
  Output& output = node.outputs[p.output];
  if (!p.ops->buffer) {
    output.box = BoxRef(Box::create(*p.ops));
    p.ops->make(output.box->object);
    output.box->made = true;
    return output.box->object;
  }
  Box& box = *output.box.get();
  box.clear();
  p.ops->view(box.object, node.inputs[p.input].box->object, box.memory);
  box.made = true;
  return view(box, output.access);
}

void* Running::prepare_commutative(const Parameter& p) {
  Box& box = *node.inputs[p.input].box.get();
  if (node.info->keeps_inputs() && attempt == 1) {
    // Other calls must wait while this one has its turn, so nobody else changes the content between
    // the attempts.
    BoxRef copy(p.ops->buffer ? Box::create_buffer(*p.ops, box.bytes) : Box::create(*p.ops));
    if (p.ops->buffer) {
      p.ops->view(copy->object, box.object, copy->memory);
      engine.backend().copy(copy->memory, bytes_[node.inputs[p.input].access], box.bytes);
    } else {
      p.ops->copy(copy->object, box.object);
    }
    copy->made = true;
    snapshots_.push_back(std::move(copy));
    copied_ = true;
  }
  return p.ops->buffer ? view(box, node.inputs[p.input].access) : box.object;
}

/// After the body returned: what it left must still have the shape of its place.
void Running::conclude() {
  unsigned i = 0;
  auto path = paths_.begin();
  for (const Parameter& p : node.signature().parameters) {
    void* object = slots_[i++];
    const bool written =
        p.mode == Mode::inout || p.mode == Mode::out || p.mode == Mode::commutative;
    if (written && p.ops->buffer) conclude_buffer(p, object);
    if (p.mode == Mode::file_out) {
      const std::filesystem::path& target = node.outputs[p.output].version->file->path;
      int code = base::sync_file(*path);
      if (code == 0 && ::rename(path->c_str(), target.c_str()) != 0) code = errno;
      if (code != 0) {
        throw base::Error(base::Errc::storage, "task '" + node.info->name +
                                                   "' did not leave the file " + path->string() +
                                                   " for " + target.string() + ": " +
                                                   base::errno_words(code));
      }
      code = base::sync_folder(base::folder_of(target));
      if (code != 0) throw base::storage_error("sync the folder of", target, code);
      ++path;
    }
  }
  temporaries_.clear();
  paths_.clear();
  node.outputs[node.signature().outputs - 1].box = std::move(result_);
}

void Running::conclude_buffer(const Parameter& p, void* object) {
  const Output& output = node.outputs[p.output];
  Box& box = *output.box.get();
  std::byte* const here = output.access != Input::kNoAccess ? bytes_[output.access] : nullptr;
  const std::span<std::byte> now_there = p.ops->bytes(object);
  if (p.ops->byte_size(object) != box.bytes || (box.bytes != 0 && now_there.data() != here)) {
    throw ShapeError("the body left " + p.ops->describe(object) + " in a place of " +
                     std::to_string(box.bytes) + " bytes: return a new value to change a size");
  }
  if (object == box.object) return;
  // The body saw a view on a device: the host's object takes its header over, and what owns the
  // bytes stays.
  std::byte* const host = box.host_bytes();
  if (box.memory == nullptr && box.owner == nullptr) {
    box.owner = Box::create(*p.ops);
    p.ops->move(box.owner->object, box.object);
    box.owner->made = true;
  }
  box.clear();
  p.ops->view(box.object, object, host);
  box.made = true;
}

void Running::undo() noexcept {
  temporaries_.clear();
  for (const std::filesystem::path& path : paths_) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  paths_.clear();
  result_ = BoxRef();
  auto snapshot = snapshots_.begin();
  for (const Parameter& p : node.signature().parameters) {
    if (p.mode != Mode::commutative || snapshot == snapshots_.end()) continue;
    Box& box = *node.inputs[p.input].box.get();
    const Box& saved = *(snapshot++)->get();
    if (p.ops->buffer) {
      engine.backend().copy(bytes_[node.inputs[p.input].access], saved.memory, box.bytes);
    } else {
      box.clear();
      p.ops->copy(box.object, saved.object);
      box.made = true;
    }
  }
}

void Running::give_up(const std::exception_ptr& error) noexcept {
  bump(worker.failed, std::uint64_t{1});
  Failure* failure = nullptr;
  std::exception_ptr cause = error;
  if (node.info->last == OnFailure::ignore) {
    try {
      ignore_failure();
      return end(Stage::ready, nullptr);
    } catch (...) {
      cause = std::current_exception();
      undo();
    }
  }
  failure = describe_failure(cause);
  if (node.info->last == OnFailure::fail) {
    engine.group_of(node).cancel(failure);
    engine.root().cancel(failure);
  }
  end(Stage::failed, failure);
  failure->unref();
}

/// Leaves what the policy `ignore` promises: inputs as before, defaults for the rest.
void Running::ignore_failure() {
  auto next = node.info->defaults.begin();
  for (const Parameter& p : node.signature().parameters) {
    if (p.mode == Mode::inout) {
      (void)prepare_inout(p);
    } else if (p.mode == Mode::redux) {
      node.outputs[p.output].box = p.fold->identity(
          p.input != Parameter::kNone ? node.inputs[p.input].box->object : nullptr);
    } else if (p.mode == Mode::out) {
      const BoxRef& given = *next++;
      Output& output = node.outputs[p.output];
      if (!p.ops->buffer) {
        output.box = given;
        given->shared.store(true);
        continue;
      }
      (void)prepare_out(p);
      if (given->bytes != output.box->bytes) {
        throw ShapeError("the default for an out argument has " + std::to_string(given->bytes) +
                         " bytes, its place " + std::to_string(output.box->bytes));
      }
      engine.backend().copy(bytes_[output.access], given->host_bytes(), given->bytes);
    }
  }
  temporaries_.clear();
  if (next != node.info->defaults.end()) {
    (*next)->shared.store(true);
    result_ = *next;
  }
  node.outputs[node.signature().outputs - 1].box = result_;
}

std::string Running::arguments() const {
  std::string text;
  unsigned i = 0;
  for (const Parameter& p : node.signature().parameters) {
    if (!text.empty()) text += ", ";
    if (p.mode == Mode::constant) {
      text += node.signature().describe_constant(node, i);
    } else if (p.mode == Mode::file_in) {
      text += node.inputs[p.input].version->file->text;
    } else if (p.mode == Mode::file_out) {
      text += node.outputs[p.output].version->file->text;
    } else if (p.input != Parameter::kNone && node.inputs[p.input].box &&
               node.inputs[p.input].box->made) {
      text += p.ops->describe(node.inputs[p.input].box->object);
    } else {
      text += p.ops->name;
    }
    ++i;
  }
  return text;
}

Failure* Running::describe_failure(const std::exception_ptr& error) const {
  auto* failure = new Failure;
  TaskError::Details details;
  details.task = node.info->name;
  details.attempt = attempt;
  details.attempts = node.info->retries + 1;
  details.worker = worker.name();
  details.where = node.where;
  try {
    details.arguments = arguments();
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    details.reason = e.what();
    failure->error = std::make_exception_ptr(TaskError(std::move(details)));
  } catch (...) {
    details.reason = "an exception that is not a std::exception";
    failure->error = std::make_exception_ptr(TaskError(std::move(details)));
  }
  return failure;
}

}  // namespace rt::inline v0::detail
