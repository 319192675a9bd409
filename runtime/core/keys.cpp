#include "runtime/core/keys.h"

#include "runtime/core/engine.h"
#include "runtime/core/hosted.h"
#include "runtime/process.h"

namespace rt::inline v0 {

namespace {

std::string& stored_fingerprint(Device kind) {
  static std::string of_cpu, of_cuda;
  return kind == Device::cpu ? of_cpu : of_cuda;
}

}  // namespace

void set_fingerprint(std::string text) { set_fingerprint(Device::cpu, std::move(text)); }
void set_fingerprint(Device kind, std::string text) {
  detail::require_before_init("set_fingerprint()");
  stored_fingerprint(kind) = std::move(text);
}

namespace detail {

namespace {

/// Asks the driver to go on with a node once an input without a key is there.
struct KeyWait : Waiter, Event {
  explicit KeyWait(Node* waiting) {
    node = waiting;
    node->ref();
    Waiter::fire = [](Waiter* self) noexcept {
      Engine::current()->mailbox().send(static_cast<KeyWait*>(self));
    };
    Event::handle = [](Event* self, Engine& engine) {
      const std::unique_ptr<KeyWait> wait(static_cast<KeyWait*>(self));
      engine.demand_outputs(wait->node, true);
      wait->node->unref();
    };
  }
};

base::Key output_key(const base::Key& node, std::size_t output) {
  return base::Hasher().add(node).add(static_cast<std::uint64_t>(output)).finish();
}

}  // namespace

void key_by_content(Version& version, Handles& handles) {
  if (version.key || version.at() != Stage::ready) return;
  if (version.file != nullptr) {
    version.key = key_of_file(version.file->path);
    return;
  }
  if (!version.box) {
    version.key = base::Hasher().add("nothing").finish();
    return;
  }
  Box& box = *version.box.get();
  base::Bytes bytes;
  box.ops->encode(box.object, nullptr, bytes);
  base::Hasher hasher;
  hasher.raw(bytes);
  if (box.ops->buffer && !version.blank) {
    handles.fetch(box);
    hasher.raw({box.host_bytes(), box.bytes});
  }
  version.key = hasher.finish();
}

void key_file(Version& content) {
  if (content.producer == nullptr) content.key = key_of_file(content.file->path);
}

bool key_node(Node& node, FileKeys files, Handles& handles) {
  if (node.keyed) return true;
  for (const Input& input : node.all_inputs()) {
    Version& version = *input.version;
    if (version.file != nullptr && files == FileKeys::changing) key_file(version);
    if (version.open != nullptr) return false;
    key_by_content(version, handles);
    if (!version.key) return false;
  }
  const TaskInfo& info = *node.info;
  Writer constants;
  info.signature->encode_constants(node, constants);
  base::Hasher hasher;
  hasher.add("task").add(info.name).add(info.version).add(stored_fingerprint(Device::cpu));
  if (node.device == Device::cuda) hasher.add(stored_fingerprint(Device::cuda));
  hasher.add(node.device == Device::cpu ? "cpu" : "cuda").add(constants.bytes());
  for (const Input& input : node.all_inputs()) hasher.add(input.version->key);
  node.key = hasher.finish();
  node.keyed = true;
  for (std::size_t i = 0; i < node.all_outputs().size(); ++i) {
    Version& version = *node.outputs[i].version;
    if (version.gather == Gather::no) version.key = output_key(node.key, i);
  }
  return true;
}

void wait_for_keys(Node& node, Mailbox& mailbox) {
  if (std::exchange(node.keys_awaited, true)) return;
  for (const Input& input : node.all_inputs()) {
    if (input.version->key || input.version->settled()) continue;
    auto wait = std::make_unique<KeyWait>(&node);
    if (input.version->on_complete.add(wait.get())) {
      (void)wait.release();
    } else {
      mailbox.send(wait.release());
    }
  }
}

}  // namespace detail
}  // namespace rt::inline v0
