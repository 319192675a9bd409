#pragma once
// The log of a study: append-only events in runs/<name>/study.db, with the tables that read verbs
// look at.
//
// Life: take the lock and open, `replay` what is there, then `append` and `commit`. What was
// appended counts only after commit returned: then it is on disk (synced) together with its effect
// on the tables, all of it or nothing. One driver at a time: lock and claim keep others out, and
// every transaction first checks that this driver's claim stands and that the log still carries its
// epoch, so that a driver that lost its study while it was frozen or cut off writes no more.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "hpo/log/event.h"
#include "hpo/log/session_use.h"
#include "hpo/log/trial_table.h"

namespace hpo {

/// What a study is, written once when it begins.
struct StudyFacts {
  std::string name;
  std::string metric;
  Objective objective;
  std::vector<std::string> parameters;  ///< names, in the order of the space
  std::string resolved;                 ///< the resolved study file
};

/// Not thread-safe. After any exception from `commit` the log takes no more events: what was
/// committed stays valid.
class EventLog {
 public:
  /// Takes the lock of the study in `folder` (made if missing), claims the study and opens its log.
  /// Waits 10 s where the last driver was on another machine and did not end in order. Throws
  /// base::Error: locked, naming host, pid and since when, if another driver has the study; storage
  /// if folder or file cannot be used, with the remedy.
  explicit EventLog(const base::Path& folder);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// The facts of the study that is there; nothing in a fresh folder.
  [[nodiscard]] const std::optional<StudyFacts>& facts() const;

  /// Makes the tables and writes the facts: for a fresh folder only.
  void begin(const StudyFacts& facts);

  /// Number of trials that are committed, before `replay` too.
  [[nodiscard]] std::int64_t recorded() const;
  /// Whether the search has learnt nothing from what the log has: no trial ever reported, and all
  /// have ended or the first one's failure ended the study.
  [[nodiscard]] bool is_void() const;
  /// Forgets all events and facts and writes these facts in their place: only before `replay`.
  void begin_anew(const StudyFacts& facts);

  /// Hands over every event in order, checked against its checksum, and starts this driver's epoch.
  /// Call it once, after `begin` where there were no facts, and before the first append. Throws
  /// base::Error (storage) naming the event where the log is damaged.
  void replay(const std::function<void(const Event&)>& take);

  /// Adds an event to the next commit, and takes it into `trials()`.
  void append(Event event);
  /// Number of events that wait for a commit.
  [[nodiscard]] std::size_t pending() const;
  /// Puts a fact for read verbs ("work.tasks") into the next commit.
  void note(const std::string& key, const std::string& value);

  /// Puts what the workers of this session did so far into the next commit, in the place of what
  /// was put there before. The session's epoch is the log's.
  void note_use(SessionUse use);

  /// Writes and syncs what waits, in one transaction, and hands the events back. Nothing waiting:
  /// returns at once. Throws base::Error: storage, or locked when another driver took the study
  /// over. `cached`: survives the death of every process, but a power cut only with the next
  /// durable one; facts without an event may wait some seconds for a log on a network file system.
  std::vector<Event> commit(base::Durability how = base::Durability::durable);

  /// All trials, pending events included.
  [[nodiscard]] const TrialTable& trials() const;
  /// Another driver, of that epoch, has been seen: from now on `commit` writes nothing and throws
  /// base::Error (locked).
  void fence(std::int64_t epoch);
  [[nodiscard]] bool fenced() const;
  /// False once another driver has claimed the study. Looks into its folder.
  [[nodiscard]] bool stands() const;
  /// The epoch of this driver: 1 for the first, one more each time.
  [[nodiscard]] std::int64_t epoch() const;
  /// A fact written by `note` in this or an earlier session.
  [[nodiscard]] std::optional<std::string> noted(const std::string& key) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hpo
