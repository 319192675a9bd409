// A node while a worker runs it: its arguments, its attempts, its end.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <vector>

#include "runtime/context.h"
#include "runtime/core/engine.h"
#include "runtime/core/pack_calls.h"
#include "runtime/core/team.h"

namespace rt::inline v0::detail {

/// An object made for one attempt: a view on a buffer at another address than the host's.
class Temporary {
 public:
  Temporary(const TypeOps& ops, const void* like, std::byte* memory);
  Temporary(Temporary&& other) noexcept
      : ops_(other.ops_), object_(std::exchange(other.object_, nullptr)) {}
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary();
  [[nodiscard]] void* object() const noexcept { return object_; }

 private:
  const TypeOps* ops_;
  void* object_;
};

class Running {
 public:
  Running(Engine& the_engine, Node& the_node, Worker& the_worker, std::byte* const* bytes) noexcept
      : engine(the_engine), node(the_node), worker(the_worker), bytes_(bytes) {}
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void run() noexcept;
  /// Context::split.
  void split(int parts, PartBody body, void* object);

  Engine& engine;
  Node& node;
  Worker& worker;
  int attempt = 0;
  bool stop_seen = false;  ///< the body knows that it was asked to stop, or could know

 private:
  void run_and_finish() noexcept;
  /// The node's, whatever came of it.
  void end(Stage stage, Failure* failure) noexcept;
  bool attempt_once(std::exception_ptr& error);
  void run_body();
  void run_pack(PackMember& own, Body alone, Context& context);
  void share_out(base::Moment from, base::Moment to, std::size_t parts) noexcept;
  void take_outcome(PackMember& own);
  void end_others() noexcept;
  void prepare();
  void* prepare_input(const Parameter& p);
  void* prepare_inout(const Parameter& p);
  void* prepare_buffer_copy(const Parameter& p);
  void* prepare_out(const Parameter& p);
  void* prepare_commutative(const Parameter& p);
  void* view(Box& box, std::uint8_t access);
  void conclude();
  void conclude_buffer(const Parameter& p, void* object);
  void undo() noexcept;
  void ignore_failure();
  void end_team() noexcept;
  [[nodiscard]] Failure* describe_failure(const std::exception_ptr& error) const;
  [[nodiscard]] std::string arguments() const;
  void give_up(const std::exception_ptr& error) noexcept;

  std::byte* const* bytes_;
  std::array<void*, kMostParameters> slots_{};
  std::vector<Temporary> temporaries_;
  std::vector<std::filesystem::path> paths_;  ///< of files in the making
  std::vector<BoxRef> snapshots_;  ///< of commutative arguments, when the policy needs them
  BoxRef result_;
  base::Moment end_;         ///< of the last attempt
  base::Duration inside_{};  ///< all attempts together
  base::Duration split_{};   ///< of this attempt, in parts and waiting for those of others
  Team* team_ = nullptr;
  std::vector<PackMember*> others_;   ///< that ran in this attempt, and are still to be ended
  std::size_t pack_ = 0;              ///< calls that the pack ended which it ran in
  base::Moment part_from_, part_to_;  ///< of the pack's time, this node's
  base::Moment pack_to_;              ///< of the node that ran it
  bool copied_ = false;
};

}  // namespace rt::inline v0::detail
