#include "hpo/mlflow/mlflow.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/text.h"
#include "hpo/export/courses.h"
#include "hpo/export/tensorboard.h"
#include "hpo/mlflow/names.h"

namespace hpo {

namespace {

// Tags of a run. The first names the study: another one may have the same name.
constexpr const char* kCreated = "trellis.created";
constexpr const char* kTrial = "trellis.trial";
constexpr const char* kLogged = "trellis.logged";

/// A trial that a rule stopped was killed, in MLflow's words.
std::string status_of(const TrialRow& trial) {
  switch (trial.state) {
    case TrialState::complete:
      return "FINISHED";
    case TrialState::stopped:
      return "KILLED";
    case TrialState::failed:
      return "FAILED";
    case TrialState::running:
      return "RUNNING";
    case TrialState::waiting:
      break;
  }
  return "SCHEDULED";
}

/// How many of a run's points the server has, and which: two studies with one beginning agree on
/// it.
std::string mark(std::span<const MlflowPoint> points) {
  base::Hasher hash;
  for (const MlflowPoint& point : points)
    hash.add(point.key).add(point.value).add(point.at).add(point.step);
  return base::cat(points.size(), ' ', hash.finish().hex());
}

class Sending {
 public:
  Sending(const StudyReader& study, MlflowServer& server)
      : server_(server), info_(study.info()), courses_(courses_of(study)) {}

  MlflowSent send(std::span<const TrialRow> trials) {
    experiment_ = server_.experiment(info_.name);
    for (MlflowRun& run : server_.runs(experiment_, kCreated, info_.created)) {
      const auto trial = base::parse_int(run.tags[kTrial]);
      if (trial) there_.emplace(static_cast<std::uint64_t>(*trial), std::move(run));
    }
    for (const TrialRow& trial : trials)
      if (trial.trial < courses_.size()) send(trial, courses_[trial.trial]);
    return sent_;
  }

 private:
  void send(const TrialRow& trial, const Course& course) {
    MlflowRun run;
    const auto found = there_.find(trial.trial);
    if (found != there_.end()) {
      run = found->second;
    } else {
      const MlflowTags named{{kCreated, info_.created}, {kTrial, std::to_string(trial.trial)}};
      run.id = server_.create(experiment_, base::cat(info_.name, ' ', trial.trial),
                              course.began / 1000, named);
    }
    const bool logged = log(run, trial, course);
    const std::string status = status_of(trial);
    if (run.status != status) server_.update(run.id, status, course.ended / 1000);
    const bool changed = logged || run.status != status;
    ++(found == there_.end() ? sent_.created : changed ? sent_.changed : sent_.unchanged);
  }

  /// Sends what the run does not have; false: it has all of it.
  bool log(const MlflowRun& run, const TrialRow& trial, const Course& course) {
    const std::vector<MlflowPoint> points = points_of(trial, course);
    const std::span<const MlflowPoint> all(points);
    MlflowTags params = new_params(run, trial), tags = new_tags(run, trial);
    std::size_t done = logged_of(run, all);
    const auto logged = run.tags.find(kLogged);
    const bool marked = logged != run.tags.end() && logged->second == mark(all);
    if (marked && params.empty() && tags.empty()) return false;
    do {
      const std::size_t count = std::min(MlflowServer::kMostPoints, all.size() - done);
      MlflowBatch batch;
      batch.points.assign(all.begin() + static_cast<std::ptrdiff_t>(done),
                          all.begin() + static_cast<std::ptrdiff_t>(done + count));
      done += count;
      const std::size_t few = std::min(MlflowServer::kMostParams, params.size());
      batch.params.assign(params.end() - static_cast<std::ptrdiff_t>(few), params.end());
      params.resize(params.size() - few);
      batch.tags = std::exchange(tags, {});
      batch.tags.emplace_back(kLogged, mark(all.first(done)));
      server_.log(run.id, batch);
    } while (done < all.size() || !params.empty());
    return true;
  }

  /// Of the points, how many at the beginning the server has.
  [[nodiscard]] static std::size_t logged_of(const MlflowRun& run,
                                             std::span<const MlflowPoint> points) {
    const auto logged = run.tags.find(kLogged);
    if (logged == run.tags.end()) return 0;
    const auto count = base::parse_int(logged->second.substr(0, logged->second.find(' ')));
    if (!count || *count < 0 || static_cast<std::size_t>(*count) > points.size()) return 0;
    const auto first = points.first(static_cast<std::size_t>(*count));
    return mark(first) == logged->second ? first.size() : 0;
  }

  /// A study that goes on only adds to them.
  std::vector<MlflowPoint> points_of(const TrialRow& trial, const Course& course) {
    std::vector<MlflowPoint> points;
    const auto add = [&](const CoursePoint& point) {
      points.push_back({metrics_.of(point.name), point.value, point.at / 1000, point.step});
    };
    std::ranges::for_each(reported_points(course), add);
    if (!has_ended(trial.state) || course.ended == 0) return points;
    if (trial.value) add({course.ended, trial.step, kValueTag, *trial.value});
    std::ranges::for_each(points_after_end(trial, course), add);
    return points;
  }

  MlflowTags new_params(const MlflowRun& run, const TrialRow& trial) {
    MlflowTags params;
    bool frozen = false;
    for (const auto& [name, value] : trial.params) {
      const std::string key = params_.of(name);
      const std::string text = cut_text(plain_text_of(value), kMostParamBytes);
      const auto found = run.params.find(key);
      if (found == run.params.end()) {
        params.emplace_back(key, text);
      } else if (found->second != text) {
        frozen = true;
      }
    }
    sent_.frozen += frozen ? 1 : 0;
    return params;
  }

  static MlflowTags new_tags(const MlflowRun& run, const TrialRow& trial) {
    MlflowTags all{{"mlflow.source.name", "trellis"},
                   {"trellis.state", std::string(name_of(trial.state))},
                   {"trellis.cause", std::string(name_of(trial.cause))},
                   {"trellis.message", cut_text(trial.message, kMostTagBytes)},
                   {"trellis.parent", trial.parent ? std::to_string(*trial.parent) : ""}};
    std::erase_if(all, [&](const auto& tag) {
      const auto found = run.tags.find(tag.first);
      return tag.second == (found != run.tags.end() ? found->second : "");
    });
    return all;
  }

  MlflowServer& server_;
  StudyInfo info_;
  std::vector<Course> courses_;
  std::string experiment_;
  std::map<std::uint64_t, MlflowRun> there_;
  MlflowNames metrics_, params_;
  MlflowSent sent_;
};

}  // namespace

MlflowSent send_to_mlflow(const StudyReader& study, std::span<const TrialRow> trials,
                          MlflowServer& server) {
  return Sending(study, server).send(trials);
}

}  // namespace hpo
