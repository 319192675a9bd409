#include "runtime/core/calls.h"

#include "base/text.h"
#include "base/words.h"
#include "runtime/core/engine.h"
#include "runtime/core/keys.h"
#include "runtime/core/open.h"
#include "runtime/core/shipping.h"
#include "runtime/core/thread.h"

namespace rt::inline v0::detail {

const TaskInfo* begin_call(const std::shared_ptr<const TaskInfo>& info,
                           const std::source_location& where) {
  if (!this_thread().driver || this_thread().running != nullptr) {
    (void)where;
    (void)Engine::for_driver(("calling task '" + info->name + "'").c_str());
  }
  const TaskInfo* known = info->registered.load(std::memory_order_acquire);
  return known != nullptr ? known : register_task(info);
}

namespace {

[[noreturn]] void refuse_need(const Node& node, const std::string& need, const std::string& there) {
  throw base::Error(base::Errc::no_device,
                    "task '" + node.info->name + "' needs " + need + ", but " + there);
}

}  // namespace

void check_needs(Node& node) {
  const Engine& engine = *Engine::current();
  const Backend& backend = engine.backend();
  const TaskInfo& info = *node.info;
  node.needs = info.needs_of != nullptr ? info.needs_of(node) : info.needs;
  const Resources& needs = node.needs;
  node.limited = needs.cpus > 1 || needs.memory.value != 0;
  if (needs.cpus < 1 || needs.gpus < 0) {
    throw base::Error(base::Errc::usage, "task '" + info.name + "' needs " +
                                             std::to_string(needs.cpus) + " cpus and " +
                                             std::to_string(needs.gpus) +
                                             " gpus: at least 1 and 0 are expected");
  }
  const bool travels = engine.shipping() != nullptr && engine.shipping()->may_take(info);
  if (!travels && needs.cpus > backend.cpu_workers()) {
    refuse_need(node, base::counted(needs.cpus, "cpu"),
                "there are " + base::counted(backend.cpu_workers(), "CPU worker"));
  }
  if (needs.gpus > 1)
    refuse_need(node, base::counted(needs.gpus, "gpu"), "a task can use one at most");
  const bool for_gpus = info.cuda != nullptr || (backend.simulates() && info.work_of != nullptr);
  if (needs.gpus == 1 && !for_gpus) refuse_need(node, "a gpu", "it has no .cuda body");
  const bool asked = needs.gpus == 1 || (engine.scope().device() == Device::cuda && for_gpus);
  node.device = asked || info.cpu == nullptr ? Device::cuda : Device::cpu;
  if (!travels && node.device == Device::cuda && backend.cuda_workers() == 0) {
    refuse_need(
        node, "a gpu",
        "the executor (" + std::string(executor_name(engine.executor())) + ") has no CUDA worker");
  }
  if (node.device == Device::cuda && needs.cpus > 1) {
    refuse_need(node, "a gpu and " + base::counted(needs.cpus, "cpu"), "a CUDA body has one core");
  }
  const std::uint64_t memory = engine.admission().memory();
  if (!travels && needs.memory.value > memory) {
    refuse_need(node, base::format_bytes(needs.memory.value) + " of memory",
                "the limit here is " + base::format_bytes(memory));
  }
}

void check_argument(const Node& node, unsigned parameter, const Held& argument) {
  const Parameter& p = node.signature().parameters[parameter];
  if (argument) {
    if (argument->blank && p.mode != Mode::out) {
      throw base::Error(base::Errc::usage, "task '" + node.info->name + "': argument " +
                                               std::to_string(parameter + 1) +
                                               " is uninitialised: it can only be passed as out");
    }
    return;
  }
  if (p.mode == Mode::out && p.input == Parameter::kNone) return;
  throw base::Error(
      base::Errc::usage,
      "task '" + node.info->name + "': argument " + std::to_string(parameter + 1) +
          (p.mode == Mode::out ? " is an empty Value: make it with rt::uninitialised<T>(header)"
                               : " is an empty Value"));
}

void check_distinct(const Node& node, std::span<const Written> arguments) {
  Engine& engine = *Engine::current();
  const auto& parameters = node.signature().parameters;
  const auto file_of = [&](std::size_t i) {
    return &engine.files().at(*arguments[i].file, parameters[i].mode == Mode::file_out);
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = arguments[i].value != nullptr && arguments[i].value == arguments[j].value;
      const bool of_files =
          arguments[i].file != nullptr && arguments[j].file != nullptr &&
          (parameters[i].mode != Mode::file_in || parameters[j].mode != Mode::file_in) &&
          file_of(i) == file_of(j);
      if (!same && !of_files) continue;
      const std::string both = "task '" + node.info->name + "': arguments " +
                               std::to_string(j + 1) + " and " + std::to_string(i + 1);
      throw base::Error(
          base::Errc::usage,
          same ? both + " are one Value, and the task writes both: pass a copy of it as one of them"
               : both + " are one file, '" + arguments[i].file->string() +
                     "', and the task writes it: it would wait for itself");
    }
  }
}

namespace {

void add_input(Node& node, const Parameter& p, const Held& version) {
  version->hold();
  node.inputs[p.input].version = version.get();
  node.inputs[p.input].node = &node;
}

/// Makes the node the producer of a version that has a hold for the caller, and returns that.
Held add_output(Node& node, std::uint8_t index, Version* made, Release release) {
  made->ref();
  made->producer = &node;
  made->output = index;
  made->release = release;
  node.outputs[index].version = made;
  node.ref();  // given back when nobody holds the version any more
  return Held(made);
}

Held add_new_output(Node& node, std::uint8_t index, const TypeOps* ops, Release release) {
  return add_output(node, index, Version::create(ops), release);
}

/// A share in a version that several nodes make together. It has no producer: it is never demanded,
/// its nodes run anyway.
void add_share(Node& node, std::uint8_t index, const Held& gathered) {
  gathered->ref();
  gathered->shares.fetch_add(1, std::memory_order_relaxed);
  node.outputs[index].version = gathered.get();
}

/// Whether one more call may take part in what the calls before on the same value make. Another
/// handle on the version means that somebody wants it as it is.
bool joinable(const Version& version, const Parameter& p) {
  return version.open != nullptr && version.open->mode == p.mode && version.open->fold == p.fold &&
         version.holds.load() == 1;
}

Held bind_commutative(Node& node, const Parameter& p, const Held& argument) {
  const bool joins = joinable(*argument.get(), p);
  Held target = argument;
  if (!joins) {
    Engine::current()->close(argument.get());
    auto open =
        std::make_unique<Open>(Open{Mode::commutative, p.fold, p.fold->begin(argument), {}, true});
    target = gathered_version(p.ops, Gather::content);
    target->open = open.release();
  }
  add_input(node, p, target->open->base);
  add_share(node, p.output, target);
  return target;
}

Held bind_redux(Node& node, const Parameter& p, const Held& argument) {
  const bool joins = joinable(*argument.get(), p);
  Held target = argument;
  if (!joins) {
    Engine::current()->close(argument.get());
    auto open = std::make_unique<Open>(Open{Mode::redux, p.fold, argument, {}, true});
    target = Held(Version::create(p.ops));
    target->open = open.release();
  }
  Open& open = *target->open;
  if (p.input != Parameter::kNone) add_input(node, p, open.base);
  open.partials.push_back(add_new_output(node, p.output, p.ops, Release::complete));
  open.pure = open.pure && node.info->pure;
  return target;
}

}  // namespace

void bind_read(Node& node, unsigned parameter, const Held& argument) {
  if (argument->open != nullptr) Engine::current()->close(argument.get());
  add_input(node, node.signature().parameters[parameter], argument);
}

Held bind_write(Node& node, unsigned parameter, const Held& argument, Version* result) {
  const Parameter& p = node.signature().parameters[parameter];
  if (p.mode == Mode::commutative) return bind_commutative(node, p, argument);
  if (p.mode == Mode::redux) return bind_redux(node, p, argument);
  if (argument && argument->open != nullptr) Engine::current()->close(argument.get());
  if (p.input != Parameter::kNone) add_input(node, p, argument);
  const Release release = p.ops->buffer ? Release::handed : Release::complete;
  if (result == nullptr) return add_new_output(node, p.output, p.ops, release);
  result->hold();
  return add_output(node, p.output, result, release);
}

namespace {

/// Ends the time in which tasks may read the file as it is.
void close_gate(Engine& engine, FileState& file) {
  // A pure reader that somebody may still ask for must read before the file changes; others never
  // will.
  for (Node* reader : file.pure_readers) {
    engine.demand_outputs(reader, false);
    reader->unref();
  }
  file.pure_readers.clear();
  file.gate->end_share({}, nullptr);
}

}  // namespace

void bind_file(Node& node, unsigned parameter, const std::filesystem::path& path, base::Key known) {
  const Parameter& p = node.signature().parameters[parameter];
  Engine& engine = *Engine::current();
  FileState& file = engine.files().at(path, p.mode == Mode::file_out);
  if (p.mode == Mode::file_in) {
    // One that cannot be read refuses the call, while no Value names another version yet.
    if (known)
      file.content->key = known;
    else if (node.info->pure)
      key_file(*file.content.get());
    add_input(node, p, file.content);
    add_share(node, p.output, file.gate);
    if (node.info->pure) {
      node.ref();
      file.pure_readers.push_back(&node);
    }
    return;
  }
  // The next writer waits for the last one and for everybody who read since.
  close_gate(engine, file);
  add_input(node, p, std::exchange(file.gate, gathered_version(type_ops<void>(), Gather::end)));
  file.content = add_new_output(node, p.output, p.ops, Release::complete);
  file.content->file = &file.name;
  add_share(node, static_cast<std::uint8_t>(p.output + 1), file.gate);
}

std::vector<Held> bind_revived(Node& node, std::span<const Held> inputs,
                               std::span<const KnownFile> files) {
  const Signature& s = node.signature();
  std::vector<Held> made(s.outputs);
  for (unsigned i = 0; i < s.parameters.size(); ++i) {
    const Parameter& p = s.parameters[i];
    if (p.mode == Mode::file_in) {
      bind_file(node, i, files[p.input].path, files[p.input].key);
      continue;
    }
    if (p.input != Parameter::kNone) add_input(node, p, inputs[p.input]);
    if (p.output == Parameter::kNone) continue;
    const bool early = p.ops->buffer && p.mode != Mode::redux;
    made[p.output] =
        add_new_output(node, p.output, p.ops, early ? Release::handed : Release::complete);
  }
  const auto last = static_cast<std::uint8_t>(s.outputs - 1);
  made[last] = add_new_output(node, last, s.result, Release::complete);
  return made;
}

Held submit_call(Node* node) {
  const Signature& s = node->signature();
  const auto last = static_cast<std::uint8_t>(s.outputs - 1);
  Held result = add_new_output(*node, last, s.result, Release::complete);
  Engine::current()->submit(node);
  return result;
}

}  // namespace rt::inline v0::detail
