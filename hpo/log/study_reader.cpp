#include "hpo/log/study_reader.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/clock.h"
#include "base/enum_names.h"
#include "base/json.h"
#include "base/text.h"
#include "hpo/log/event_rows.h"
#include "hpo/log/records.h"
#include "hpo/log/schema.h"
#include "hpo/log/sqlite.h"
#include "hpo/log/study_claim.h"
#include "hpo/log/study_lock.h"
#include "hpo/log/use_rows.h"

namespace hpo {

namespace {

base::Error no_study(const base::Path& folder) {
  // The first driver of a study reads the data before it logs anything.
  const bool begins = StudyLock::look(folder) == StudyLock::State::held;
  return {base::Errc::storage,
          base::cat("there is no study in ", folder.string(), " yet: ",
                    begins ? "its driver still reads the data, so try again in a moment"
                           : "start one with trellis sweep FILE")};
}

/// Opens beside a writer; where even a reader's helper files cannot be made (a read-only folder),
/// the file alone, which is right when no log of unfinished writes lies beside it.
std::unique_ptr<sql::Database> open_for_reading(const base::Path& folder) {
  base::Path path = folder / kStudyDb;
  // Of an empty one SQLite thinks that its writer is gone, where no lock says otherwise, and
  // removes that writer's journal.
  if (base::file_size(path).value_or(0) == 0) throw no_study(folder);
  const sql::Locks locks = StudyLock::look(folder) == StudyLock::State::unknown
                               ? sql::Locks::none
                               : sql::Locks::of_files;
  try {
    auto db = std::make_unique<sql::Database>(path, sql::Access::read, sql::Wanted{}, locks);
    if (!has_tables(*db)) throw no_study(folder);
    return db;
  } catch (const base::Error&) {
    base::Path wal = path;
    wal += "-wal";
    if (::access(folder.c_str(), W_OK) == 0 || base::file_size(wal).value_or(0) > 0) throw;
    auto db = std::make_unique<sql::Database>(path, sql::Access::immutable);
    if (!has_tables(*db)) throw no_study(folder);
    return db;
  }
}

}  // namespace

struct StudyReader::Impl {
  explicit Impl(const base::Path& where) : folder(where), db(open_for_reading(where)) {
    if (!study_facts_of(read_facts(*db), db->path())) throw no_study(folder);
  }

  [[nodiscard]] bool driven() const {
    const StudyLock::State lock = StudyLock::look(folder);
    if (lock == StudyLock::State::held || away(lock)) return true;
    if (lock == StudyLock::State::free) return false;
    const auto who = read_holder(*db);
    return who && who->address.empty() && who->alive().value_or(false);
  }

  /// Who drives the study without a lock that is seen here. Asked at most once in a while: a driver
  /// that does not answer takes a second.
  [[nodiscard]] const std::optional<Holder>& away(StudyLock::State lock) const {
    if (!asked_at || base::seconds_since(*asked_at) > 5) {
      claimed_by = claimant(folder, lock);
      asked_at = base::now();
    }
    return claimed_by;
  }

  [[nodiscard]] bool asked() const { return !fact(kAskedFact).empty(); }

  [[nodiscard]] std::vector<TrialRow> trials(const std::string& rest,
                                             std::optional<std::int64_t> argument = {}) const {
    bool live = driven() || asked();
    std::vector<TrialRow> rows;
    // A driver may add a column meanwhile.
    const sql::Snapshot snapshot(*db);
    sql::Statement query(*db, base::cat("SELECT ", trial_columns(*db), " FROM trials ", rest));
    if (argument) query.bind(0, *argument);
    while (query.step()) {
      rows.push_back(read_trial(query, db->path()));
      // The driver of a running trial may be gone: then the trial waits for the next one.
      if (rows.back().state == TrialState::running && !live)
        rows.back().state = TrialState::waiting;
    }
    return rows;
  }

  [[nodiscard]] std::string fact(const std::string& key) const {
    auto facts = read_facts(*db);
    auto found = facts.find(key);
    return found == facts.end() ? "" : found->second;
  }

  /// The moment from which rows count time; files of format 1 have whole moments.
  [[nodiscard]] std::int64_t origin() const {
    return format_of(*db) == 1 ? 0 : origin_of(read_facts(*db), db->path());
  }

  [[nodiscard]] StudyFacts study_facts() const {
    return study_facts_of(read_facts(*db), db->path()).value();
  }

  base::Path folder;
  std::unique_ptr<sql::Database> db;
  std::optional<std::int64_t> version;  ///< of the file, when `moved` looked last
  mutable std::optional<base::Moment> asked_at;
  mutable std::optional<Holder> claimed_by;
};

std::string_view name_of(StudyState state) noexcept {
  static constexpr base::EnumNames<StudyState> kNames{{{StudyState::running, "running"},
                                                       {StudyState::interrupted, "interrupted"},
                                                       {StudyState::finished, "finished"},
                                                       {StudyState::failed, "failed"}}};
  return kNames[state];
}

StudyReader::StudyReader(const base::Path& folder) : impl_(std::make_unique<Impl>(folder)) {}
StudyReader::~StudyReader() = default;
StudyReader::StudyReader(StudyReader&&) noexcept = default;
StudyReader& StudyReader::operator=(StudyReader&&) noexcept = default;

const base::Path& StudyReader::folder() const { return impl_->folder; }

StudyInfo StudyReader::info() const {
  auto facts = read_facts(*impl_->db);
  StudyFacts study = study_facts_of(facts, impl_->db->path()).value();
  StudyInfo info{.name = study.name, .metric = study.metric, .maximize = study.objective.maximize};
  info.asked = impl_->asked();
  info.programs = info.asked || !facts[kStepsFact].empty();
  info.created = facts["created"];
  info.trial_limit = base::parse_int(facts["trial_limit"]).value_or(0);
  info.active_seconds = base::parse_double(facts["active_seconds"]).value_or(0);
  if (impl_->driven()) {
    info.state = StudyState::running;
  } else if (const std::string& finished = facts["finished"]; !finished.empty()) {
    base::Json json = base::Json::parse(finished);
    std::string why = json.at("why").text();
    info.state = why == name_of(Finish::failed) || why == name_of(Finish::first)
                     ? StudyState::failed
                     : StudyState::finished;
    info.reason = json.at("message").text();
    info.cut_off = why == name_of(Finish::time);
  }
  return info;
}

TrialCounts StudyReader::counts() const {
  TrialCounts counts;
  sql::Statement query(*impl_->db, "SELECT state, count(*) FROM trials GROUP BY state");
  while (query.step()) {
    if (auto state = trial_state_of(query.view(0))) counts.of(*state) += query.integer(1);
  }
  if (!impl_->driven() && !impl_->asked()) counts.waiting += std::exchange(counts.running, 0);
  return counts;
}

std::optional<TrialRow> StudyReader::best() const {
  const bool asked = impl_->asked();
  const bool is_over = !impl_->fact("finished").empty();
  const bool by_time = !asked && (is_over ? info().cut_off : !impl_->fact(kByTimeFact).empty());
  if (const Objective searched = objective(); !searched.plain()) {
    const std::vector<TrialRow> rows = trials();
    const TrialRow* best = best_of(rows, searched);
    if (!asked && (!is_over || by_time || best == nullptr))
      best = choice_now(best, leader_of(rows, searched), by_time);
    return best != nullptr ? std::optional(*best) : std::nullopt;
  }
  const auto first = [&](std::string_view where) {
    return impl_->trials(
        base::cat("WHERE ", where, " AND loss IS NOT NULL ORDER BY loss, trial LIMIT 1"));
  };
  std::vector<TrialRow> rows;
  if (!by_time) rows = first("state = 'complete'");
  if (!by_time && rows.empty()) rows = first("state = 'stopped'");
  if (rows.empty() && !asked) rows = first("state <> 'failed'");
  return rows.empty() ? std::nullopt : std::optional(std::move(rows.front()));
}

Objective StudyReader::objective() const { return impl_->study_facts().objective; }

std::vector<TrialRow> StudyReader::trials() const { return impl_->trials("ORDER BY trial"); }

std::optional<TrialRow> StudyReader::trial(std::uint64_t number) const {
  auto rows = impl_->trials("WHERE trial = ?", static_cast<std::int64_t>(number));
  if (rows.empty()) return {};
  return std::move(rows.front());
}

std::vector<std::string> StudyReader::parameter_names() const {
  return impl_->study_facts().parameters;
}

std::vector<EventRow> StudyReader::events(std::optional<std::uint64_t> trial) const {
  std::vector<EventRow> rows;
  // A driver may add columns, or bring the file to today's format, meanwhile.
  const sql::Snapshot snapshot(*impl_->db);
  EventCursor cursor(*impl_->db, impl_->origin(), trial);
  while (cursor.next()) {
    const Event& event = cursor.event();
    rows.push_back({.seq = cursor.seq(),
                    .epoch = cursor.epoch(),
                    .vtime = event.vtime,
                    .trial = event.trial,
                    .kind = std::string(kind_of(event.body)),
                    .body = event.body,
                    .wall = base::wall_text(event.real.at)});
  }
  return rows;
}

std::optional<ModelInfo> StudyReader::model() const {
  std::string text = impl_->fact("model");
  if (text.empty()) return {};
  base::Json json = base::Json::parse(text);
  return ModelInfo{.file = impl_->folder / json.at("file").text(),
                   .trial = static_cast<std::uint64_t>(json.at("trial").integer())};
}

std::vector<BaselineRow> StudyReader::baselines() const {
  const std::string text = impl_->fact(kBaselinesFact);
  return text.empty() ? std::vector<BaselineRow>{} : baselines_from_json(text);
}

/// What the log says of the network that was written, if that is the trial's; else empty.
std::string StudyReader::said_of_model(const char* fact, std::uint64_t trial) const {
  const std::optional<ModelInfo> written = model();
  return written && written->trial == trial ? impl_->fact(fact) : "";
}

std::optional<Verdict> StudyReader::verdict(std::uint64_t trial) const {
  const std::string text = said_of_model(kVerdictFact, trial);
  return text.empty() ? std::nullopt : std::optional(verdict_from_json(text));
}

std::optional<Calibrated> StudyReader::calibration(std::uint64_t trial) const {
  const std::string text = said_of_model(kCalibrationFact, trial);
  return text.empty() ? std::nullopt : std::optional(calibrated_from_json(text));
}

std::vector<ScoreInterval> StudyReader::intervals(std::uint64_t trial) const {
  const std::string text = impl_->fact(kIntervalsFact);
  if (text.empty() || !verdict(trial)) return {};
  return intervals_from_json(text);
}

WorkCounters StudyReader::work() const {
  std::string text = impl_->fact("work");
  if (text.empty()) return {};
  base::Json json = base::Json::parse(text);
  const auto newer = [&](const char* name) {
    const base::Json* const found = json.find(name);
    return found != nullptr ? found->number() : 0;
  };
  return {.tasks = json.at("tasks").integer(),
          .epochs = json.at("epochs").integer(),
          .distinct_epochs = json.at("distinct_epochs").integer(),
          .datasets_loaded = json.at("datasets_loaded").integer(),
          .overhead_us_per_task = json.at("overhead_us_per_task").number(),
          .tree_seconds = newer("tree_seconds"),
          .visitors = std::llround(newer("visitors")),
          .visitor_seconds = newer("visitor_seconds")};
}

std::vector<WorkerInfo> StudyReader::workers() const {
  const std::string text = impl_->fact(kWorkersFact);
  return text.empty() ? std::vector<WorkerInfo>{} : workers_from_json(text);
}

std::vector<NodeInfo> StudyReader::nodes() const {
  const std::string text = impl_->fact(kNodesFact);
  std::vector<NodeInfo> nodes = text.empty() ? std::vector<NodeInfo>{} : nodes_from_json(text);
  if (nodes.empty() || impl_->driven()) return nodes;
  // The driver wrote down how they stood, and has sent them away since, or died.
  for (NodeInfo& node : nodes) {
    if (node.state != "lost") node.state = "left";
    node.parcels = node.lent = 0;
  }
  return nodes;
}

std::vector<SessionUse> StudyReader::device_use() const {
  const sql::Snapshot snapshot(*impl_->db);
  // Files of format 1 have no such table.
  if (format_of(*impl_->db) == 1) return {};
  return read_use(*impl_->db, impl_->origin());
}

ReportColumns StudyReader::reports() const {
  const sql::Snapshot snapshot(*impl_->db);
  return read_reports(*impl_->db);
}

std::vector<TrialSpan> StudyReader::spans() const {
  const sql::Snapshot snapshot(*impl_->db);
  return read_spans(*impl_->db, impl_->origin());
}

std::vector<Turn> StudyReader::turns() const {
  const sql::Snapshot snapshot(*impl_->db);
  return read_turns(*impl_->db, impl_->origin());
}

bool StudyReader::moved() {
  const std::int64_t version = impl_->db->query_integer("PRAGMA data_version");
  return std::exchange(impl_->version, version) != version;
}

std::int64_t StudyReader::position() const { return newest_event(*impl_->db); }

Changes StudyReader::changes_since(std::int64_t position) const {
  const sql::Snapshot snapshot(*impl_->db);
  Changes changes = read_changes(*impl_->db, position, impl_->origin());
  changes.trials = impl_->trials(condition_of_changed(*impl_->db), position);
  return changes;
}

struct StudyReader::Held::Impl {
  explicit Impl(sql::Database& db) : snapshot(db) {}

  sql::Snapshot snapshot;
};

StudyReader::Held::Held(const StudyReader& study)
    : impl_(std::make_unique<Impl>(*study.impl_->db)) {}
StudyReader::Held::~Held() = default;

std::optional<DriverInfo> StudyReader::driver() const {
  if (!impl_->driven()) return {};
  // The lock's file is written before the log is.
  auto holder = impl_->claimed_by;
  if (!holder) holder = StudyLock::holder(impl_->folder);
  if (!holder) holder = read_holder(*impl_->db);
  if (!holder) return {};
  return DriverInfo{.host = holder->host,
                    .pid = holder->pid,
                    .since = holder->since,
                    .epoch = impl_->db->query_integer("SELECT epoch FROM holder")};
}

std::string StudyReader::resolved() const { return impl_->fact("resolved"); }

base::Path find_run(std::string_view run, const base::Path& runs) {
  for (const base::Path& folder : {base::Path(run), runs / run}) {
    if (base::file_size(folder / kStudyDb)) return folder;
  }
  for (const base::Path& folder : {base::Path(run), runs / run}) {
    if (base::file_size(folder / "model.safetensors"))
      throw base::Error(
          base::Errc::usage,
          base::cat(base::printable(folder.string()),
                    " holds a trained network and no study: predict takes it, and export "
                    "--format onnx; a sweep makes a study"));
  }
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(runs, ignored)) {
    if (base::file_size(entry.path() / kStudyDb)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  const base::Path file(run);
  const bool is_study_file = file.extension() == ".yaml" || file.extension() == ".yml";
  if (is_study_file && base::file_size(file)) {
    const std::string stem = file.stem().string();
    const bool swept = std::ranges::find(names, stem) != names.end();
    throw base::Error(
        base::Errc::usage,
        base::cat(
            base::printable(run), " is a study file, expected the name of a study in ",
            runs.string(), " or its folder",
            swept ? base::cat("; did you mean ", base::printable(stem), "?") : std::string()));
  }
  throw base::Error(base::Errc::usage,
                    base::cat("no study \"", base::printable(run), "\" in ", runs.string(),
                              is_study_file ? " and no such file or folder" : " and no such folder",
                              base::did_you_mean(run, names)));
}

}  // namespace hpo
