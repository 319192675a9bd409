#pragma once
// Training one network by several members at the same time, which see each other through this
// interface alone.
//
// Each member runs the same training on a copy of the network. Of every batch it computes some
// consecutive shards; the gradients are summed over all members, and each applies the whole update.
// So all have the same network after each step, with the bits of a training by one. Or each member
// has a stage of the network, through which all shards go: a pipeline (StageLinks).
//
// Members may leave in the middle of a step and come between two. A step is done as soon as one
// member has applied its whole gradient: members that have not copy what it has. If nobody has, the
// step is open. What was applied of its gradient is undone, and those that are left run it again.

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>

namespace nn {

/// Sums throw it where a member is lost, and agree() is to be called.
class MembersChanged final : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "a member of a gang is lost"; }
};

/// What a member has after a step. Members that have done equally many steps have equal bytes.
struct GangPoint {
  std::int64_t done = 0;  ///< steps of the segment, one that ended the training included
  /// The numbers of the slab, and everything else that a step changes. Sizes are multiples of 4.
  std::array<std::span<std::byte>, 2> parts{};
};

/// Sums that are on their way while a member computes. They end in the order in which they are
/// begun. All members make the same calls of the begin_ kind in the same order.
class SumsUnderWay {
 public:
  /// Counts what was begun.
  using Ticket = std::uint64_t;
  /// A part of the slab: elements [offset, offset + count). `blocks` as GradientSums::sum() takes
  /// them; nothing may touch the part in them until its sum is there.
  struct Part {
    std::size_t offset = 0, count = 0;
    std::span<float* const> blocks;
    int shards = 0;  ///< of a batch
  };

  virtual ~SumsUnderWay() = default;

  /// As GradientSums::gather(), in a training whose batches have that many shards. The words stay
  /// until then.
  virtual Ticket begin_gather(std::span<std::uint32_t> words, int shards) = 0;
  /// Begins the sum of a part. When it has ended, each member has some elements of it.
  virtual Ticket begin_reduce(const Part& part) = 0;
  /// Begins to bring these elements to all members, into the first block.
  virtual Ticket begin_share(const Part& part) = 0;
  /// Does what can be done without waiting.
  virtual void advance() = 0;
  /// Waits until everything up to that ticket has ended.
  virtual void await(Ticket ticket) = 0;

  struct Rules {
    /// True if the update of a step may wait for the next step, where each layer is updated before
    /// its forward pass. Sums then have that time, too.
    bool defers = true;
    /// True if such an update can be undone until it is whole, because a member may be lost.
    bool undoes = false;
    /// The least elements of a sum, about: fewer take as long, because of their messages.
    std::size_t bucket = std::size_t{64} << 10;
    /// The most bytes of layers' outputs that a member keeps at a time.
    std::size_t memory = std::size_t{256} << 20;
  };
  /// The same for all trainings.
  [[nodiscard]] virtual Rules rules() const { return {}; }
};

/// The stages of a pipeline whose members compute one stage each: the links between neighbors.
/// Stage s is on member s. Members that are more than the stages have none.
///
/// A member needs no gradient of another stage to compute its own. So each one adds its layers'
/// gradients up over all shards, in the tree over neighbors in which a trainer sums them. Then all
/// get the sums of all, and each applies the whole update.
class StageLinks {
 public:
  /// A shard's pass at a cut between two stages. On its way forward that is what the later stage
  /// reads of the earlier one, on its way backward the gradients of that.
  struct Crossing {
    std::int64_t step = 0;  ///< Step::number
    int shard = 0;
    bool forward = true;
  };
  /// Elements [offset, offset + count) of the slab, whose sum `member` has.
  struct Piece {
    int member = 0;
    std::size_t offset = 0, count = 0;
  };

  virtual ~StageLinks() = default;

  /// Returns this member's number, the number of members now, and the most there can ever be.
  [[nodiscard]] virtual int own() const = 0;
  [[nodiscard]] virtual int members() const = 0;
  [[nodiscard]] virtual int most_members() const = 0;

  /// Begins to send arrays to the next member, or on their way backward to the one before. They
  /// stay unchanged until the shard has come back, or until await_handed_back().
  virtual void hand_on(const Crossing& crossing,
                       std::span<const std::span<const float>> arrays) = 0;
  /// Waits for arrays from the member before, or on their way backward from the next one.
  virtual void take(const Crossing& crossing, std::span<const std::span<float>> arrays) = 0;
  /// Sends what can be sent without waiting.
  virtual void advance() = 0;
  /// Waits until all that was handed on backward has left.
  virtual void await_handed_back() = 0;
  /// Brings each piece from the member that has it to all others. `block` is a whole slab.
  virtual void share(std::int64_t step, std::span<const Piece> pieces, float* block) = 0;
};

/// What a member asks of the others. All members make the same calls in the same order. What a
/// method throws, except for MembersChanged, ends the training in the middle of a step.
class GradientSums {
 public:
  /// Some of the shards of a batch: [first, last).
  struct Shards {
    int first = 0, last = 0;
    [[nodiscard]] constexpr int size() const noexcept { return last - first; }
  };

  virtual ~GradientSums() = default;

  /// Returns those of `shards` that this member computes, none if there are more members. Those of
  /// all members are all shards, in order.
  [[nodiscard]] virtual Shards own(int shards) const = 0;

  /// Adds `words` up over the members, modulo 2^32. Of each word all members but one have 0.
  virtual void gather(std::span<std::uint32_t> words) = 0;

  /// Sums elements [0, count) over the shards of all members, in the tree over neighbors in which a
  /// trainer sums them. `blocks` has the gradient of each of this member's shards of a batch of
  /// `shards`, or one block with anything in it. The sum replaces the first block; the others then
  /// hold anything.
  virtual void sum(std::span<float* const> blocks, std::size_t count, int shards) = 0;

  /// Returns what sums layer by layer instead, while the backward pass goes on. Null: gather() and
  /// sum() do, behind it.
  [[nodiscard]] virtual SumsUnderWay* under_way() { return nullptr; }

  /// Returns the links of a pipeline if members have stages of the network instead of shards: own()
  /// and sum() are then of no use. The same on all members of a training. Null: they have shards.
  [[nodiscard]] virtual StageLinks* stages() { return nullptr; }

  // What follows is for members that come and go. Others need no more than what is here.

  /// Agrees with the others on who is a member from now on. Copies the point of the member that is
  /// ahead, unless this one is there. Returns false if the training needs this member no more: then
  /// it is over, and the point of no use. Called before the first step, too.
  [[nodiscard]] virtual bool agree(GangPoint& /*point*/) { return true; }
  /// Returns false before a step if agree() is to be called before it. Says the same to all.
  [[nodiscard]] virtual bool goes_on() { return true; }
  /// Waits until all have what they need of this member, which has done all steps. Returns false if
  /// agree() is to be called.
  [[nodiscard]] virtual bool leave() { return true; }
};

}  // namespace nn
