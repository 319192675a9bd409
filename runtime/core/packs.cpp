#include "runtime/core/packs.h"

#include <algorithm>
#include <memory>

#include "base/clock.h"
#include "base/error.h"
#include "runtime/core/engine.h"

namespace rt::inline v0::detail {

namespace {

/// Where the arguments are for a worker that has not been given them by the executor. False: not
/// all are where they stay, or what came of the task before is an error.
bool find_arguments(const Node& node, std::array<void*, kMostParameters>& slots) noexcept {
  std::size_t i = 0;
  for (const Parameter& p : node.signature().parameters) {
    void*& slot = slots[i++];
    if (p.mode == Mode::constant) continue;
    if (p.mode != Mode::in && p.mode != Mode::inout) return false;
    const Input& input = node.inputs[p.input];
    if (!input.box || !input.box->made || (p.mode == Mode::inout && !input.claimed)) return false;
    slot = input.box->object;
  }
  return node.first_failure() == nullptr;
}

bool is_cancelled(const Node& node) noexcept {
  return Engine::current()->group_of(node).cancelled.load(std::memory_order_acquire);
}

}  // namespace

void Packs::wait(Node& node) noexcept {
  std::array<void*, kMostParameters> slots{};
  if (node.device != Device::cpu || node.gang != nullptr || node.info->keeps_inputs() ||
      !find_arguments(node, slots))
    return;
  try {
    const PackFit fit = node.info->pack_fit(node, slots.data());
    if (fit.with == 0 || fit.most < 2) return;
    auto member = std::make_unique<PackMember>(node, fit);
    member->slots = slots;
    const std::scoped_lock lock(mutex_);
    Alike& alike = alike_[fit.with];
    alike.waiting.push_back(member.get());
    ++alike.all;
    node.member = member.release();
    node.ref();  // for its launch, which may come to a worker when the node has ended
  } catch (...) {
    return;  // then it runs alone, and says what is wrong
  }
}

bool Packs::begin(PackMember& own) noexcept {
  std::unique_lock lock(mutex_);
  if (own.stands == PackMember::Stands::waits) {
    std::erase(alike_.find(own.fit.with)->second.waiting, &own);
  } else {
    own.wanted.store(true, std::memory_order_relaxed);
    left_.wait(lock, [&] {
      return own.stands == PackMember::Stands::back || own.stands == PackMember::Stands::over;
    });
    if (own.stands == PackMember::Stands::over) return false;
    own.wanted.store(false, std::memory_order_relaxed);
  }
  own.stands = PackMember::Stands::runs;
  return true;
}

bool Packs::is_alone(const PackMember& own) {
  const std::scoped_lock lock(mutex_);
  return alike_.find(own.fit.with)->second.waiting.empty();
}

std::vector<PackMember*> Packs::take(PackMember& own, int workers) {
  constexpr double kShare = 1e-3, kMost = 2e-4;  // seconds
  std::vector<PackMember*> taken{&own};
  if (own.progress.has_value()) return taken;
  if (is_alone(own))
    base::sleep_for(base::Duration(
        static_cast<std::int64_t>(1e9 * std::min(kMost, kShare * own.node.seconds))));
  const std::scoped_lock lock(mutex_);
  Alike& alike = alike_.find(own.fit.with)->second;
  const auto share =
      static_cast<std::size_t>(std::min(own.fit.most, (alike.all + workers - 1) / workers));
  taken.reserve(share);
  std::erase_if(alike.waiting, [&](PackMember* other) {
    if (taken.size() >= share || is_cancelled(other->node)) return false;
    other->stands = PackMember::Stands::taken;
    taken.push_back(other);
    return true;
  });
  return taken;
}

void Packs::give_back(PackMember& member) noexcept {
  const std::scoped_lock lock(mutex_);
  member.stands = PackMember::Stands::back;
  left_.notify_all();
}

void Packs::end(PackMember& member) noexcept {
  const std::scoped_lock lock(mutex_);
  member.stands = PackMember::Stands::over;
  const auto alike = alike_.find(member.fit.with);
  if (--alike->second.all == 0) alike_.erase(alike);
  left_.notify_all();
}

bool PackCalls::stop_requested(int call) const noexcept {
  PackMember& member = at(call);
  const bool asked = is_cancelled(member.node);
  member.stop_seen = member.stop_seen || asked;
  return asked;
}

void PackCalls::finish(int call, BoxRef result) const noexcept {
  at(call).result = std::move(result);
  at(call).ended = true;
}

void PackCalls::fail(int call, std::exception_ptr error) const noexcept {
  at(call).error = std::move(error);
  at(call).ended = true;
}

void PackCalls::give_back(int call, std::any progress) {
  PackMember& member = at(call);
  member.progress = std::move(progress);
  members_[static_cast<std::size_t>(call)] = nullptr;
  packs_.give_back(member);
}

std::vector<PackMember*> PackCalls::settle(std::exception_ptr error) {
  std::erase(members_, nullptr);
  for (PackMember* member : members_) {
    if (member->ended) continue;
    if (error == nullptr)
      error = std::make_exception_ptr(
          base::Error(base::Errc::internal, "the body of a pack left a call open"));
    member->error = error;
    member->ended = true;
  }
  return std::move(members_);
}

}  // namespace rt::inline v0::detail
