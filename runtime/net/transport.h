// What carries frames between processes, as the driver and its agents see it. No gRPC here: the
// transport is a plugin that is loaded for more than one process alone.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/net/session.h"
#include "runtime/net/sums/links.h"

namespace rt::net {

/// Who somebody is: certificates and key as PEM. Both sides must show a certificate that the
/// authority has signed; nobody talks without.
struct Identity {
  std::string authority;    ///< the certificate of who signs
  std::string certificate;  ///< one's own
  std::string key;          ///< of that, secret
};

/// The authority of a study.
struct Authority {
  std::string certificate;
  std::string key;  ///< secret: who has it can let anybody in
};

/// Where a transport leaves what happens. Called on its threads, of one link one after the other;
/// must not call the transport.
class Inbox {
 public:
  virtual ~Inbox() = default;
  virtual void opened(LinkId link) = 0;
  virtual void received(LinkId link, base::Bytes frame) = 0;
  /// Also of a link that dial() could not open; such a one has the number 0.
  virtual void closed(LinkId link, std::string why) = 0;
};

/// Its methods may be called on any thread. The end closes all links, and nothing comes any more.
class Transport : public Post {
 public:
  /// Where it listens: "host:port".
  [[nodiscard]] virtual std::string address() const { return {}; }
  /// Opens a link: opened() or closed() will follow.
  virtual void dial(const std::string& address) { (void)address; }
};

/// Who listens where a link is opened. Its certificate says so: no agent can pass for the driver.
enum class Listener : std::uint8_t { driver, agent };

/// The members of a gang that meet, as one of them sees it.
struct Meeting {
  std::uint64_t gang = 0;              ///< the number of the gang in the study
  std::uint64_t epoch = 0;             ///< of its membership
  int own = 0;                         ///< this member's number
  std::vector<std::string> addresses;  ///< of the doors of all members
};

/// Where a member of gangs can be reached by others. Not thread-safe, except for cut().
class MemberDoor {
 public:
  virtual ~MemberDoor() = default;
  /// "host:port".
  [[nodiscard]] virtual std::string address() const = 0;
  /// Waits until there is a link to each other member of this epoch. Refuses everybody who has no
  /// certificate of the study, or is of another gang or epoch. Throws sums::LinkLost for a member
  /// that has not come when `most` is over.
  [[nodiscard]] virtual std::unique_ptr<sums::Links> meet(const Meeting& meeting,
                                                          base::Duration most) = 0;
  /// Ends the last meeting and its links: nobody waits any more for a member that does nothing.
  virtual void cut() noexcept = 0;
};

/// What the plugin can do.
class Network {
 public:
  virtual ~Network() = default;

  /// Listens on a port that the system chooses, at that address of this machine ("127.0.0.1",
  /// "0.0.0.0"). Throws base::Error (storage) if that cannot be.
  virtual std::unique_ptr<Transport> listen(const Identity& own, const std::string& at,
                                            Inbox& inbox) = 0;
  /// For agents, and for members of a gang.
  virtual std::unique_ptr<Transport> connect(const Identity& own, Listener other, Inbox& inbox) = 0;

  /// A new authority, good for ten years.
  virtual Authority make_authority() = 0;
  /// A key and its certificate, for the driver or an agent. Throws base::Error (data) if that is no
  /// authority.
  virtual Identity issue(const Authority& authority, bool driver) = 0;

  /// Opens a door for links over TLS on a port that the system chooses, at that address of this
  /// machine. Throws base::Error (storage) if that cannot be.
  virtual std::unique_ptr<MemberDoor> open_door(const Identity& own, const std::string& at) = 0;
  /// What is wrong with an identity that came from outside, such as "`key` is not that of
  /// `certificate`"; empty where nothing is.
  [[nodiscard]] virtual std::string fault_of(const Identity& identity) = 0;
};

/// Loads the plugin "trellis-net", once. Throws base::Error: no_device saying what is missing,
/// storage for one that does not belong to this library.
[[nodiscard]] Network& load_network();

/// What the plugin exports under the name `trellis_make_network`.
using MakeNetwork = Network* (*)();

}  // namespace rt::net
