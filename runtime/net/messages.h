// The messages between driver and agents, and their bytes.
//
// A frame is four bytes that name the protocol, then the canonical bytes (runtime/codec.h) of a
// Frame. Every frame says which epoch of the driver and which agent it belongs to: one of another
// epoch or of a retired agent is dropped, so that whoever was thought dead can do no harm.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/net/parcel.h"

namespace rt::net {

/// Frames go two ways at a time, so that contents never stand in the way of what says that somebody
/// is alive.
enum class Channel : std::uint8_t { control, bulk };

inline constexpr std::size_t kChannels = 2;
/// Bytes of a frame, at most, on either channel.
inline constexpr std::size_t kMostFrame = 512 << 10;
/// Bytes of a content in one message, and of what is asked for at a time.
inline constexpr std::uint64_t kPiece = 256 << 10;
inline constexpr std::uint64_t kAsked = 8 * kPiece;
/// Contents up to this size travel inside a parcel or an answer.
inline constexpr std::uint64_t kSmall = 16 << 10;

// --- from an agent

/// The first message of an agent.
struct Hello {
  std::uint64_t nonce = 0;  ///< another one each time it knocks
  std::uint64_t epoch = 0;  ///< the highest one it has seen; 0: none
  std::string build;        ///< what its program was built from
  std::string arithmetic;   ///< what its results depend on besides
  std::string node;         ///< the name of its machine
  std::uint32_t slots = 1;  ///< parcels it can run at a time
  std::uint32_t gpus = 0;
};

/// Contents that an agent keeps from before; their sizes in bytes.
struct Holds {
  std::vector<std::pair<base::Key, std::uint64_t>> contents;
};

/// How a call of a parcel ended; `call` counts its sources first.
struct Answer {
  ParcelId parcel = 0;
  std::uint32_t call = 0;
  base::Key result;  ///< of the call: its last output
  Outcome outcome;
  std::vector<double> totals;  ///< of what the agent counts, since it was welcomed
};

/// The agent is about to go, and takes no more parcels.
struct Leaving {};

/// What the body of a call says while it runs.
struct Told {
  ParcelId parcel = 0;
  std::uint32_t call = 0;
  base::Key result;  ///< as in an Answer
  std::string text;
};

/// Workers of any agents that an agent could use now, besides its own, for work that it describes.
struct Wish {
  std::uint64_t number = 0;  ///< the agent's own, of that work
  std::uint32_t least = 1;   ///< workers: fewer are of no use
  std::uint32_t most = 1;
  base::Bytes terms;  ///< what the agent that lends a worker is told
  bool operator==(const Wish&) const = default;
};
/// All of its wishes, in place of those before.
struct Wishes {
  std::vector<Wish> all;
};
inline constexpr std::size_t kMostWishes = 256;      ///< of an agent
inline constexpr std::size_t kMostWishBytes = 1024;  ///< bytes of each

// --- from the driver

/// Lends a worker that has nothing to do, until LoanOver, or until a parcel needs it.
struct Lend {
  std::uint64_t loan = 0;
  base::Bytes terms;
};

/// The answer to Hello: the agent's number from now on, and the epoch.
struct Welcome {
  std::uint64_t nonce = 0;  ///< of the Hello that it answers
  std::uint32_t agent = 0;
  std::uint64_t epoch = 0;
};

/// Why an agent is not wanted.
enum class Unwanted : std::uint8_t {
  other_program,  ///< another build or arithmetic
  retired,        ///< thought lost: it may knock again
};
struct Refused {
  std::uint64_t nonce = 0;  ///< of the Hello that it answers; 0: none
  Unwanted why = Unwanted::other_program;
  std::string text;
};

struct Run {
  Parcel parcel;
};

/// Nobody wants the parcel any more.
struct Cancel {
  ParcelId parcel = 0;
};

/// Contents that the driver will not ask for any more.
struct Drop {
  std::vector<base::Key> keys;
};

// --- both ways

/// Asks for up to kAsked bytes of a content, beginning at `from`.
struct Ask {
  base::Key key;
  std::uint64_t from = 0;
};
/// A piece of a content of `total` bytes.
struct Give {
  base::Key key;
  std::uint64_t from = 0;
  std::uint64_t total = 0;
  base::Bytes bytes;
};
/// The sender does not have the content (any more).
struct Gone {
  base::Key key;
};

/// From the driver: the worker is taken back. From an agent: what it was lent for has ended.
struct LoanOver {
  std::uint64_t loan = 0;
};

/// A sign of life. `bulk`: frames sent so far on the other channel.
struct Beat {
  std::uint64_t bulk = 0;
};

/// There will be no more messages: the study is over, or the agent is empty and goes.
struct Bye {};

/// The receiver belongs to an epoch that is over.
struct Fenced {
  std::uint64_t epoch = 0;  ///< the highest one that was seen
};

using Message = std::variant<Hello, Holds, Answer, Leaving, Welcome, Refused, Run, Cancel, Drop,
                             Ask, Give, Gone, Beat, Bye, Fenced, Told, Wishes, Lend, LoanOver>;

/// A message with its place. A Hello and its answer have none: all three numbers are 0.
struct Frame {
  std::uint64_t epoch = 0;
  std::uint32_t agent = 0;
  std::uint64_t number = 0;  ///< counts an agent's frames on that channel, from 1
  Message message;
};

/// The channel that a message takes.
[[nodiscard]] Channel channel_of(const Message& message) noexcept;

[[nodiscard]] base::Bytes encode_frame(const Frame& frame);
/// Throws base::Error (data) for bytes that are no frame of this protocol, and for too many.
[[nodiscard]] Frame decode_frame(std::span<const std::byte> bytes);

}  // namespace rt::net
