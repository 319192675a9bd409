#include "runtime/core/task_info.h"

#include <mutex>
#include <set>
#include <vector>

#include "base/hash.h"
#include "runtime/core/hosted.h"

namespace rt::inline v0::detail {

namespace {

/// Every definition that there is, finished or not. A task is found here before its first call.
struct Definitions {
  std::mutex mutex;
  std::set<TaskInfo*> all;
};

Definitions& definitions() {
  static Definitions& known = *new Definitions;  // tasks are constants: some go after it would
  return known;
}

void enter(TaskInfo* info) {
  Definitions& known = definitions();
  const std::scoped_lock lock(known.mutex);
  known.all.insert(info);
}

}  // namespace

TaskInfo::TaskInfo() : late(initialised()) { enter(this); }

TaskInfo::~TaskInfo() {
  Definitions& known = definitions();
  const std::scoped_lock lock(known.mutex);
  known.all.erase(this);
}

TaskInfo::TaskInfo(const TaskInfo& other)
    : std::enable_shared_from_this<TaskInfo>(other),
      name(other.name),
      version(other.version),
      signature(other.signature),
      type(other.type),
      cpu(other.cpu),
      cuda(other.cuda),
      simulated(other.simulated),
      pack(other.pack),
      pack_fit(other.pack_fit),
      pure(other.pure),
      late(other.late || initialised()),
      inside(other.inside),
      long_running(other.long_running),
      keep(other.keep),
      retries(other.retries),
      last(other.last),
      defaults(other.defaults),
      needs(other.needs),
      needs_of(other.needs_of),
      cost_of(other.cost_of),
      work_of(other.work_of),
      priority(other.priority),
      priority_of(other.priority_of) {
  enter(this);
}

std::uint64_t signature_id(const TaskInfo& info) { return base::hash64(info.type->name()); }

const TaskInfo* find_task(std::string_view name, int version, std::uint64_t signature) {
  std::shared_ptr<const TaskInfo> found;
  {
    Definitions& known = definitions();
    const std::scoped_lock lock(known.mutex);
    for (const TaskInfo* info : known.all) {
      if (info->name == name && info->version == version && info->type != nullptr &&
          signature_id(*info) == signature)
        found = info->weak_from_this().lock();
      if (found) break;
    }
  }
  return found ? register_task(found) : nullptr;
}

namespace {

struct Registry {
  std::mutex mutex;
  std::vector<std::shared_ptr<const TaskInfo>>
      tasks;  // kept: nodes point at them, and a process defines a few dozen
};

Registry& registry() {
  static Registry all;
  return all;
}

bool same_bodies(const TaskInfo& a, const TaskInfo& b) {
  return *a.type == *b.type && a.cpu == b.cpu && a.cuda == b.cuda && a.simulated == b.simulated &&
         a.pack == b.pack;
}

bool same(const TaskInfo& a, const TaskInfo& b) {
  return a.name == b.name && a.version == b.version && same_bodies(a, b) && a.pure == b.pure &&
         a.keep == b.keep && a.long_running == b.long_running && a.retries == b.retries &&
         a.last == b.last && a.defaults.empty() && b.defaults.empty() &&
         a.needs.cpus == b.needs.cpus && a.needs.gpus == b.needs.gpus &&
         a.needs.memory == b.needs.memory && a.needs_of == b.needs_of && a.cost_of == b.cost_of &&
         a.work_of == b.work_of && a.pack_fit == b.pack_fit && a.priority == b.priority &&
         a.priority_of == b.priority_of;
}

void check(const TaskInfo& info, const std::vector<std::shared_ptr<const TaskInfo>>& tasks) {
  if (info.pure) {
    for (const auto& other : tasks) {
      if (other->pure && other->name == info.name && other->version == info.version &&
          !same_bodies(*other, info)) {
        throw base::Error(
            base::Errc::usage,
            "two pure tasks are called '" + info.name + "', version " +
                std::to_string(info.version) +
                ": their results would be mixed up; give one of them another name or version");
      }
    }
  }
}

}  // namespace

void require_distinct_tasks() {
  Definitions& known = definitions();
  const std::scoped_lock lock(known.mutex);
  for (const TaskInfo* one : known.all) {
    for (const TaskInfo* other : known.all) {
      if (one->name == other->name && one->version == other->version && one->type != nullptr &&
          other->type != nullptr && *one->type == *other->type && !same_bodies(*one, *other))
        throw base::Error(base::Errc::usage,
                          "two tasks are called '" + one->name + "', version " +
                              std::to_string(one->version) +
                              ", with the same parameters: an agent could not tell them apart");
    }
  }
}

const TaskInfo* register_task(const std::shared_ptr<const TaskInfo>& info) {
  if (info->late && !info->inside)
    throw base::Error(base::Errc::usage,
                      "task '" + info->name +
                          "' was defined after rt::init: make it a constant outside of functions, "
                          "so that agents know it, too");
  Registry& all = registry();
  const std::scoped_lock lock(all.mutex);
  if (const TaskInfo* known = info->registered.load()) return known;
  const TaskInfo* found = nullptr;
  for (const auto& known : all.tasks) {
    if (same(*known, *info)) found = known.get();
  }
  if (found == nullptr) {
    check(*info, all.tasks);
    all.tasks.push_back(info);
    found = info.get();
  }
  info->registered.store(found, std::memory_order_release);
  return found;
}

}  // namespace rt::inline v0::detail
