// Who has what: the values that parcels read and make, by key.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "runtime/net/parcel.h"

namespace rt::net {

/// How values are made (again), should everybody who has them be lost.
struct Recipe {
  Call call;
  std::vector<FileInput> files;
  bool source = false;  ///< see Parcel::sources
};

/// What is known of a value.
struct Value {
  std::set<std::uint32_t> at;      ///< agents that keep its content
  std::set<ParcelId> makers;       ///< parcels that will make it
  std::set<ParcelId> readers;      ///< parcels that wait for it
  std::uint64_t size = 0;          ///< bytes of its content, where known
  bool here = false;               ///< the driver's process can give its content
  std::uint32_t uses = 0;          ///< who may still ask for its content
  std::uint32_t heirs = 0;         ///< recipes that read it
  std::shared_ptr<Recipe> recipe;  ///< null: only the driver's process can have it

  [[nodiscard]] bool somewhere() const noexcept { return here || !at.empty(); }
};

/// The table of values. An entry stays as long as its content may be asked for, is about to be made
/// or is needed to make another one again. Not thread-safe.
class Places {
 public:
  /// What nobody will ask for any more.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// The agents that keep it need not any longer.
    virtual void dropped(base::Key key, const std::set<std::uint32_t>& at) = 0;
    /// The driver's process need not be able to give it any longer.
    virtual void unneeded(base::Key key) = 0;
  };

  explicit Places(Listener& listener) noexcept : listener_(listener) {}

  [[nodiscard]] Value* find(base::Key key) noexcept;
  [[nodiscard]] const Value* find(base::Key key) const noexcept;
  /// The entry, made if there is none; to be followed by use() or learn(), or by tidy().
  [[nodiscard]] Value& entry(base::Key key) { return values_[key]; }
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

  /// Keeps how a call's outputs are made, unless that is known.
  void learn(const Call& call, const std::vector<FileInput>& files, bool source);
  void use(base::Key key) { ++values_[key].uses; }
  /// The inverse of use().
  void release(base::Key key);
  /// Lets go what nothing keeps any more.
  void tidy(base::Key key);

 private:
  void let_go(base::Key first);

  Listener& listener_;
  std::map<base::Key, Value> values_;
};

}  // namespace rt::net
