#include "hpo/import/optuna.h"

#include <algorithm>
#include <cmath>

#include "hpo/import/names.h"
#include "hpo/log/json.h"
#include "hpo/log/python_json.h"
#include "hpo/study/spec.h"
#include "hpo/study/substitute.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

std::string names_of(const std::map<std::size_t, OptunaStudy>& studies) {
  std::string names;
  for (const auto& [id, study] : studies)
    names += rt::cat(names.empty() ? "" : ", ", rt::printable(study.name, 60));
  return names.empty() ? "none" : names;
}

std::size_t find_study(const std::map<std::size_t, OptunaStudy>& studies, const std::string& name,
                       const std::string& file) {
  if (name.empty() && studies.size() == 1) return studies.begin()->first;
  const auto found =
      std::ranges::find_if(studies, [&](const auto& one) { return one.second.name == name; });
  if (name.empty() || found == studies.end())
    throw rt::Error(rt::Errc::data,
                    rt::cat(rt::printable(file, 4096), ": ",
                            name.empty() ? "there is not one study" : "there is no such study",
                            ", expected one of ", names_of(studies), " with --study"));
  return found->first;
}

/// A domain in the words of a study file, and a param's value out of it.
class ForeignDomain {
 public:
  /// Throws rt::Error (data) for one that a study file has no words for.
  explicit ForeignDomain(const std::string& distribution) {
    const std::string text = from_python_json(distribution);
    if (text != distribution)
      throw rt::Error(rt::Errc::data,
                      rt::cat("has a bound or a choice that is no number, expected ",
                              "texts, finite numbers, true, false and None"));
    const Json json = Json::parse(text);
    const std::string name = json.at("name").text();
    const Json& attributes = json.at("attributes");
    categorical_ = name == "CategoricalDistribution";
    ints_ = name == "IntDistribution";
    if (categorical_) {
      for (const auto& [none, choice] : attributes.at("choices").members()) add_choice(choice);
      return;
    }
    if (!ints_ && name != "FloatDistribution")
      throw rt::Error(rt::Errc::data, rt::cat("the distribution ", rt::printable(name, 60),
                                              " is unknown, expected one of Optuna 3 to 5"));
    low_ = attributes.at("low").number();
    high_ = attributes.at("high").number();
    if (!(std::abs(low_) <= kLargest && std::abs(high_) <= kLargest))
      throw rt::Error(rt::Errc::data, rt::cat("has a bound beyond ", kLargest));
    log_ = attributes.at("log").raw() == "true";
    if (!attributes.at("step").is_null()) step_ = attributes.at("step").number();
  }

  [[nodiscard]] std::string yaml() const {
    if (categorical_) {
      std::string list;
      for (const ParamValue& choice : choices_)
        list += rt::cat(list.empty() ? "" : ", ", yaml_of(choice));
      return choices_.size() == 1 ? rt::cat("value: ", list) : rt::cat("values: [", list, "]");
    }
    if (low_ == high_) return rt::cat("value: ", text_of(value(low_)));
    std::string text = rt::cat("type: ", ints_ ? "int" : "float", ", min: ", text_of(value(low_)),
                               ", max: ", text_of(value(high_)));
    if (log_) text += ", scale: log";
    if (step_ > 0 && !(ints_ && step_ == 1)) text += rt::cat(", step: ", text_of(value(step_)));
    return text;
  }

  [[nodiscard]] ParamValue value(double internal) const {
    if (ints_) return whole(internal);
    if (!categorical_) return step_ > 0 && low_ < high_ ? on_grid(internal) : internal;
    const auto place = static_cast<std::size_t>(std::clamp(internal, 0.0, 1e9));
    if (place >= choices_.size())
      throw rt::Error(rt::Errc::data, rt::cat("choice ", internal, " of ", choices_.size()));
    return choices_[place];
  }

  [[nodiscard]] bool categorical() const { return categorical_; }

  /// A value as a study file has it: a dollar stands for itself when it is doubled.
  static std::string yaml_of(const ParamValue& value) {
    const auto* text = std::get_if<std::string>(&value);
    return text_of(text != nullptr ? ParamValue(study::escape(*text)) : value);
  }

 private:
  static std::int64_t whole(double number) {
    constexpr double kMost = 9e15;
    if (std::abs(number) <= kMost) return static_cast<std::int64_t>(number);
    throw rt::Error(rt::Errc::data,
                    rt::cat("has the int ", number, ", expected one below ", kMost));
  }

  /// Their 0.30000000000000004 is the third step of ours, 0.3.
  [[nodiscard]] double on_grid(double number) const {
    const Domain grid = FloatRange{.min = low_, .max = high_, .step = step_};
    if (fault_of(grid)) return number;
    const auto last = static_cast<double>(cardinality(grid).value_or(1) - 1);
    const double rank = std::clamp(std::round((number - low_) / step_), 0.0, last);
    const double ours = number_of(nth_value(grid, static_cast<std::uint64_t>(rank))).value();
    return std::abs(ours - number) < step_ * 1e-6 ? ours : number;
  }

  void add_choice(const Json& choice) {
    if (choice.raw().starts_with('[') || choice.raw().starts_with('{'))
      throw rt::Error(rt::Errc::data, rt::cat("has the choice ", rt::printable(choice.raw(), 60),
                                              ", expected texts, numbers, true, false and None"));
    choices_.push_back(
        choice.is_null()
            ? ParamValue(std::string("None"))
            : params_from_json(rt::cat("{\"x\": ", choice.raw(), "}")).begin()->second);
    if (std::ranges::count(choices_, choices_.back()) > 1)
      throw rt::Error(rt::Errc::data, rt::cat("has the choice ", yaml_of(choices_.back()),
                                              " twice as a study file writes it, expected "
                                              "different ones"));
  }

  static constexpr double kLargest = 1e300;
  bool categorical_ = false, ints_ = false, log_ = false;
  double low_ = 0, high_ = 0, step_ = 0;
  std::vector<ParamValue> choices_;
};

/// Makes our study out of the trials of one of theirs.
class Importer {
 public:
  Importer(const OptunaStudy& study, std::vector<const OptunaTrial*> trials)
      : study_(study), trials_(std::move(trials)) {}

  ImportedStudy run() {
    find_domains();
    std::string body = rt::cat("metric: ", metrics(), "\nparameters:\n");
    for (const std::string& name : order_)
      body +=
          rt::cat("  ", our_name(name), ": {", domains_.at(name).yaml(), condition_of(name), "}\n");
    if (order_.empty())
      body.replace(body.rfind("parameters:"), std::string::npos, "parameters: {}\n");
    ImportedStudy out;
    for (const OptunaTrial* trial : trials_) add(out, *trial);
    left_.push_back("sampler and pruner, which its storage does not keep: tpe, and no rule");
    for (const std::string& line : left_)
      out.yaml += rt::cat("# not carried over: ", rt::printable(line, 300), "\n");
    out.yaml += body;
    out.left_out = left_;
    return out;
  }

 private:
  [[nodiscard]] std::string metrics() const {
    std::string text;
    const std::size_t count = study_.directions.size();
    for (std::size_t i = 0; i < count; ++i) {
      std::string name = count == 1 ? "value" : rt::cat("value", i);
      if (study_.metrics.size() == count) name = ForeignDomain::yaml_of(study_.metrics[i]);
      text += rt::cat(i == 0 ? "" : ", ", "{name: ", name,
                      ", goal: ", study_.directions[i] == 2 ? "maximize" : "minimize", "}");
    }
    return count == 1 ? text : rt::cat("[", text, "]");
  }

  /// The last domain of a name counts: a search may have been widened.
  void find_domains() {
    for (const OptunaTrial* trial : trials_) {
      for (const auto& [name, raw] : trial->params) {
        const auto known = texts_.find(name);
        if (known != texts_.end() && known->second == raw.distribution) continue;
        if (known != texts_.end()) left_.push_back(rt::cat("earlier ranges of ", name));
        if (known == texts_.end()) order_.push_back(name);
        texts_[name] = raw.distribution;
        domains_.insert_or_assign(name, domain_of(name, raw.distribution));
      }
    }
  }

  static ForeignDomain domain_of(const std::string& name, const std::string& distribution) {
    try {
      return ForeignDomain(distribution);
    } catch (const rt::Error& error) {
      throw rt::Error(rt::Errc::data,
                      rt::cat("param ", rt::printable(name, 60), " ", error.what()));
    }
  }

  std::string our_name(const std::string& name) {
    const std::string& ours = names_.ours(name);
    if (ours != name) left_.push_back(rt::cat("the name ", name, ": it is ", ours, " here"));
    return ours;
  }

  /// Which value of which choice a param that only some trials have goes with.
  std::string condition_of(const std::string& name) {
    const auto has = [&](const OptunaTrial* trial) { return trial->params.contains(name); };
    if (std::ranges::all_of(trials_, has)) return "";
    for (const std::string& other : order_) {
      if (other == name || !domains_.at(other).categorical()) continue;
      std::map<double, std::pair<int, int>> seen;  // place: with, without
      bool always = true;
      for (const OptunaTrial* trial : trials_) {
        const auto at = trial->params.find(other);
        if (at == trial->params.end()) always = always && !has(trial);
        if (at == trial->params.end()) continue;
        ++(has(trial) ? seen[at->second.internal].first : seen[at->second.internal].second);
      }
      const auto mixed = [](const auto& one) {
        return one.second.first > 0 && one.second.second > 0;
      };
      if (!always || std::ranges::any_of(seen, mixed)) continue;
      std::string values;
      for (const auto& [place, counts] : seen)
        if (counts.first > 0)
          values += rt::cat(values.empty() ? "" : ", ",
                            ForeignDomain::yaml_of(domains_.at(other).value(place)));
      return rt::cat(", when: {", names_.ours(other), ": [", values, "]}");
    }
    left_.push_back(rt::cat("when ", name, " exists: no choice tells it"));
    return "";
  }

  void add(ImportedStudy& out, const OptunaTrial& raw) {
    constexpr std::int64_t kComplete = 1, kPruned = 2;
    if (!raw.ended()) return;  // nobody will tell of it any more
    ImportedTrial trial;
    trial.state = raw.state == kComplete ? TrialState::complete
                  : raw.state == kPruned ? TrialState::stopped
                                         : TrialState::failed;
    for (const std::string& name : order_) {
      if (const auto at = raw.params.find(name); at != raw.params.end())
        trial.params.set(names_.ours(name), domains_.at(name).value(at->second.internal));
    }
    const std::size_t metrics = study_.directions.size();
    if (raw.values.size() == metrics) trial.values = raw.values;
    if (metrics > 1) return out.trials.push_back(std::move(trial));
    const std::int64_t shift =
        !raw.reports.empty() && raw.reports.begin()->first < 1 ? 1 - raw.reports.begin()->first : 0;
    for (const auto& [step, value] : raw.reports) trial.reports[step + shift] = value;
    out.trials.push_back(std::move(trial));
  }

  const OptunaStudy& study_;
  std::vector<const OptunaTrial*> trials_;
  std::vector<std::string> order_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, ForeignDomain> domains_;
  std::vector<std::string> left_;
  Names names_;
};

}  // namespace

ImportedStudy import_optuna(const OptunaStorage& storage, const std::string& file,
                            const std::string& name) {
  const std::size_t study = find_study(storage.studies, name, file);
  std::vector<const OptunaTrial*> trials;
  for (const OptunaTrial& trial : storage.trials)
    if (trial.study == study) trials.push_back(&trial);
  try {
    return Importer(storage.studies.at(study), std::move(trials)).run();
  } catch (const rt::Error& error) {
    throw rt::Error(rt::Errc::data, rt::cat(rt::printable(file, 4096), ": ", error.what()));
  }
}

}  // namespace hpo
