// An agent's engine: from parcels to nodes, and from their ends to answers.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_folder.h"
#include "runtime/core/node.h"
#include "runtime/core/pulse.h"
#include "runtime/core/version.h"
#include "runtime/group.h"
#include "runtime/net/agent.h"
#include "runtime/net/transport.h"
#include "runtime/nodes.h"

namespace rt::inline v0::detail {

class Engine;

/// Serves one driver after the other. Driver thread only, but where it says otherwise.
class Serving final : private net::Agent::Work, private net::Inbox {
 public:
  Serving(Engine& engine, const AgentConfig& config);
  ~Serving() override;

  /// Until there is nothing left to do.
  net::Dismissal serve(std::string& text);

 private:
  struct Arrived;
  struct End;
  struct Running {
    Group group;
    std::size_t left = 0;         ///< calls that have not ended
    std::vector<base::Key> keys;  ///< of what they make
    explicit Running(std::string name) : group(name) {}
  };

  void begin(net::ParcelId parcel, std::uint32_t index, const net::Call& call, Running& running,
             const std::map<base::Key, std::string>& files);
  [[nodiscard]] bool waits_for_file(base::Key key) const;
  [[nodiscard]] Held input_of(const TypeOps& ops, base::Key key);
  [[nodiscard]] std::optional<std::filesystem::path> file_of(base::Key key,
                                                             const std::string& path);
  void look(base::Key key, const std::string& path);
  void looked(base::Key key, const std::string& path);
  void refuse(net::ParcelId parcel, std::uint32_t index, const net::Call& call,
              const std::exception& error);
  void ended(const End& end);
  [[nodiscard]] net::Output output_of(Version& version, bool back);
  void retry_waiting();
  void see_to_loans();

  // What the agent says:
  void run(net::Parcel parcel) override;
  void cancel(net::ParcelId parcel) override;
  void drop(const std::vector<base::Key>& keys) override;
  net::Agent::Blob content(base::Key key) override;
  void arrived(base::Key key, const net::Agent::Blob& content) override;
  std::vector<std::pair<base::Key, std::uint64_t>> holds() override;
  void dial() override;
  void welcomed(std::uint32_t number, std::uint64_t epoch) override;
  void dismissed(net::Dismissal why, const std::string& text) override;
  void lend(std::uint64_t loan, base::Bytes terms) override;
  void take_back(std::uint64_t loan) override { config_.loans->end(loan); }  // it has begun
  std::vector<double> totals() override;
  // What the transport says, on its threads:
  void opened(net::LinkId link) override;
  void received(net::LinkId link, base::Bytes frame) override;
  void closed(net::LinkId link, std::string why) override;

  /// A call that waits for the content of a file, or for one that does.
  struct Waiting {
    net::ParcelId parcel;
    std::uint32_t index;
    net::Call call;
    std::map<base::Key, std::string> files;
  };

  Engine& engine_;
  const AgentConfig& config_;
  std::map<base::Key, Held> kept_;   ///< values that are here, or in the making
  std::map<base::Key, Held> asked_;  ///< those whose content the driver was asked for
  std::map<net::ParcelId, Running> running_;
  std::vector<Waiting> waiting_;
  std::map<base::Key, std::filesystem::path> fetched_;  ///< contents of files, in a folder here
  std::map<base::Key, bool> looked_;                    ///< at the path that the driver named: done
  std::vector<std::jthread> looks_;
  std::map<base::Key, bool> files_asked_;        ///< true: the driver has none
  std::optional<base::HeldFolder> room_;         ///< that folder
  std::map<base::Key, net::Agent::Blob> given_;  ///< small contents that came with parcels
  std::vector<double> before_;                   ///< what was counted before the driver welcomed it
  std::optional<net::Dismissal> over_;
  std::string text_;
  std::atomic<bool> closing_{false};
  std::unique_ptr<net::Transport> transport_;
  std::unique_ptr<net::Agent> agent_;
  std::optional<Pulse> pulse_;
};

}  // namespace rt::inline v0::detail
