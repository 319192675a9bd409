// The nodes of a cluster as numbers: links between them, how often one is lost, and what the
// runtime takes for each parcel.
#pragma once

#include <cstddef>
#include <vector>

namespace rt::inline v0 {

/// A link with full duplex: a message of n bytes takes latency + n / bandwidth.
struct LinkModel {
  double latency = 0;    ///< seconds until the first byte comes
  double bandwidth = 0;  ///< bytes a second, in each direction
  bool operator==(const LinkModel&) const = default;
};

/// Groups of consecutive nodes, each behind one link that they share: a switch with its uplink.
struct LevelModel {
  int nodes = 1;   ///< of a group
  LinkModel link;  ///< from a group to the rest
  bool operator==(const LevelModel&) const = default;
};

/// Equal nodes. The driver has a link like theirs, and is in the first group of each level.
struct NodesModel {
  int count = 0;  ///< 0: one machine without a network
  LinkModel link;
  std::vector<LevelModel> levels;
  double losses = 0;  ///< nodes that are lost in a second, of all `count` together
  double back = 0;    ///< seconds until a lost node works again; 0: never
  bool operator==(const NodesModel&) const = default;
};

/// What the runtime takes beside what tasks compute, in seconds; rates where it says so.
struct RuntimeModel {
  double parcel = 0;  ///< of the driver, for each parcel
  double step = 0;    ///< of a worker, for each step of an optimizer
  double start = 0;   ///< from the request for a program until the program runs
  double stop = 0;    ///< from its end, or the request to stop, until its worker is free
  double report = 0;  ///< until the driver has read what a program reported
  double load = 0;    ///< bytes a second at which a node reads a data set; 0: that takes no time
  bool operator==(const RuntimeModel&) const = default;
};

/// The platform's nodes, `count` of them: fewer nodes lose fewer of them, in proportion.
[[nodiscard]] NodesModel with_count(NodesModel nodes, int count);

}  // namespace rt::inline v0
