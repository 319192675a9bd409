#include "hpo/import/optuna.h"

#include <algorithm>
#include <cmath>

#include "hpo/log/json.h"
#include "hpo/study/spec.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

/// A param as Optuna keeps it: a number, which of a category is its place.
struct Raw {
  double internal = 0;
  std::string distribution;
};

struct RawTrial {
  std::size_t study = 0;
  std::int64_t state = 0;  ///< running 0, complete 1, pruned 2, failed 3, waiting 4
  std::optional<double> value;
  std::map<std::string, Raw> params;
  std::map<std::int64_t, double> reports;
};

struct RawStudy {
  std::string name;
  std::vector<std::int64_t> directions;
};

/// Python writes what JSON has no number for as words of its own; ours are texts.
std::string readable(std::string_view line) {
  std::string out;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) quoted = !quoted;
    const auto stands = [&](std::string_view word) { return line.substr(i).starts_with(word); };
    std::string_view word, text;
    if (!quoted && stands("NaN")) word = "NaN", text = "\"nan\"";
    if (!quoted && stands("Infinity")) word = "Infinity", text = "\"inf\"";
    if (!quoted && stands("-Infinity")) word = "-Infinity", text = "\"-inf\"";
    if (word.empty()) {
      out += line[i];
    } else {
      out += text;
      i += word.size() - 1;
    }
  }
  return out;
}

class Journal {
 public:
  std::vector<RawStudy> studies;
  std::vector<RawTrial> trials;

  void apply(const Json& line) {
    switch (line.at("op_code").integer()) {
      case 0: {
        RawStudy& study = studies.emplace_back();
        study.name = line.at("study_name").text();
        for (const auto& [none, one] : line.at("directions").members())
          study.directions.push_back(one.integer());
        break;
      }
      case 4:
        begin(line);
        break;
      case 5:
        trial_of(line).params[line.at("param_name").text()] = {
            line.at("param_value_internal").number(), line.at("distribution").text()};
        break;
      case 6:
        trial_of(line).state = line.at("state").integer();
        set_value(trial_of(line), line.find("values"));
        break;
      case 7:
        trial_of(line).reports[line.at("step").integer()] = line.at("intermediate_value").number();
        break;
      default:  // attributes: nothing of the search
        break;
    }
  }

 private:
  /// A trial may come whole (enqueued, or added by hand).
  void begin(const Json& line) {
    RawTrial& trial = trials.emplace_back();
    trial.study = static_cast<std::size_t>(line.at("study_id").integer());
    if (const Json* state = line.find("state")) trial.state = state->integer();
    if (const Json* value = line.find("value"); value != nullptr && !value->is_null())
      trial.value = value->number();
    set_value(trial, line.find("values"));
    if (const Json* params = line.find("params")) {
      for (const auto& [name, value] : params->members())
        trial.params[name] = {value.number(), line.at("distributions").at(name).text()};
    }
    if (const Json* reports = line.find("intermediate_values")) {
      for (const auto& [step, value] : reports->members())
        trial.reports[rt::parse_int(step).value_or(0)] = value.number();
    }
  }

  static void set_value(RawTrial& trial, const Json* values) {
    if (values != nullptr && !values->members().empty())
      trial.value = values->members().front().second.number();
  }

  RawTrial& trial_of(const Json& line) {
    const std::int64_t id = line.at("trial_id").integer();
    if (id < 0 || id >= static_cast<std::int64_t>(trials.size()))
      throw rt::Error(rt::Errc::data, rt::cat("there is no trial ", id));
    return trials[static_cast<std::size_t>(id)];
  }
};

Journal read_journal(const std::string& text, const std::string& file) {
  Journal journal;
  std::size_t begin = 0, number = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = readable(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    ++number;
    try {
      if (!line.empty()) journal.apply(Json::parse(line));
    } catch (const rt::Error& error) {
      throw rt::Error(rt::Errc::data, rt::cat(rt::printable(file, 4096), ":", number, ":1: ",
                                              error.what(), ", expected a journal of Optuna"));
    }
  }
  return journal;
}

std::string names_of(const std::vector<RawStudy>& studies) {
  std::string names;
  for (const RawStudy& study : studies)
    names += rt::cat(names.empty() ? "" : ", ", rt::printable(study.name, 60));
  return names.empty() ? "none" : names;
}

std::size_t find_study(const std::vector<RawStudy>& studies, const std::string& name,
                       const std::string& file) {
  if (name.empty() && studies.size() == 1) return 0;
  const auto found = std::ranges::find(studies, name, &RawStudy::name);
  if (name.empty() || found == studies.end())
    throw rt::Error(rt::Errc::data,
                    rt::cat(rt::printable(file, 4096), ": ",
                            name.empty() ? "there is not one study" : "there is no such study",
                            ", expected one of ", names_of(studies), " with --study"));
  return static_cast<std::size_t>(found - studies.begin());
}

/// A domain in the words of a study file, and a param's value out of it.
class ForeignDomain {
 public:
  explicit ForeignDomain(const std::string& distribution) : json_(distribution) {
    const Json json = Json::parse(json_);
    const std::string name = json.at("name").text();
    const Json& attributes = json.at("attributes");
    categorical_ = name == "CategoricalDistribution";
    ints_ = name == "IntDistribution";
    if (categorical_) {
      for (const auto& [none, choice] : attributes.at("choices").members())
        choices_.push_back(
            choice.is_null()
                ? ParamValue(std::string("None"))
                : params_from_json(rt::cat("{\"x\": ", choice.raw(), "}")).begin()->second);
      return;
    }
    if (!ints_ && name != "FloatDistribution")
      throw rt::Error(rt::Errc::data, rt::cat("the distribution ", rt::printable(name, 60),
                                              " is unknown, expected one of Optuna 3 to 5"));
    low_ = attributes.at("low").number();
    high_ = attributes.at("high").number();
    log_ = attributes.at("log").raw() == "true";
    if (!attributes.at("step").is_null()) step_ = attributes.at("step").number();
  }

  [[nodiscard]] std::string yaml() const {
    if (categorical_) {
      std::string list;
      for (const ParamValue& choice : choices_)
        list += rt::cat(list.empty() ? "" : ", ", text_of(choice));
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
    if (!categorical_) return ints_ ? ParamValue(static_cast<std::int64_t>(internal)) : internal;
    const auto place = static_cast<std::size_t>(std::clamp(internal, 0.0, 1e9));
    if (place >= choices_.size())
      throw rt::Error(rt::Errc::data, rt::cat("choice ", internal, " of ", choices_.size()));
    return choices_[place];
  }

  [[nodiscard]] bool categorical() const { return categorical_; }

 private:
  std::string json_;
  bool categorical_ = false, ints_ = false, log_ = false;
  double low_ = 0, high_ = 0, step_ = 0;
  std::vector<ParamValue> choices_;
};

/// Makes our study out of the trials of one of theirs.
class Importer {
 public:
  Importer(const RawStudy& study, std::vector<const RawTrial*> trials)
      : study_(study), trials_(std::move(trials)) {}

  ImportedStudy run() {
    if (study_.directions.size() != 1)
      throw rt::Error(rt::Errc::data, rt::cat("the study has ", study_.directions.size(),
                                              " objectives, expected one"));
    find_domains();
    std::string body =
        rt::cat("metric: {name: value, goal: ", study_.directions[0] == 2 ? "maximize" : "minimize",
                "}\nparameters:\n");
    for (const std::string& name : order_)
      body +=
          rt::cat("  ", our_name(name), ": {", domains_.at(name).yaml(), condition_of(name), "}\n");
    if (order_.empty())
      body.replace(body.rfind("parameters:"), std::string::npos, "parameters: {}\n");
    ImportedStudy out;
    for (const RawTrial* trial : trials_) add(out, *trial);
    left_.push_back("sampler and pruner, which its storage does not keep: tpe, and no rule");
    for (const std::string& line : left_)
      out.yaml += rt::cat("# not carried over: ", rt::printable(line, 300), "\n");
    out.yaml += body;
    out.left_out = left_;
    return out;
  }

 private:
  /// The last domain of a name counts: a search may have been widened.
  void find_domains() {
    for (const RawTrial* trial : trials_) {
      for (const auto& [name, raw] : trial->params) {
        const auto known = texts_.find(name);
        if (known != texts_.end() && known->second == raw.distribution) continue;
        if (known != texts_.end()) left_.push_back(rt::cat("earlier ranges of ", name));
        if (known == texts_.end()) order_.push_back(name);
        texts_[name] = raw.distribution;
        domains_.insert_or_assign(name, ForeignDomain(raw.distribution));
      }
    }
  }

  std::string our_name(const std::string& name) {
    const std::string ours = plain(name);
    if (ours != name) left_.push_back(rt::cat("the name ", name, ": it is ", ours, " here"));
    return ours;
  }

  /// Which value of which choice a param that only some trials have goes with.
  std::string condition_of(const std::string& name) {
    const auto has = [&](const RawTrial* trial) { return trial->params.contains(name); };
    if (std::ranges::all_of(trials_, has)) return "";
    for (const std::string& other : order_) {
      if (other == name || !domains_.at(other).categorical()) continue;
      std::map<double, std::pair<int, int>> seen;  // place: with, without
      bool always = true;
      for (const RawTrial* trial : trials_) {
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
          values += rt::cat(values.empty() ? "" : ", ", text_of(domains_.at(other).value(place)));
      return rt::cat(", when: {", plain(other), ": [", values, "]}");
    }
    left_.push_back(rt::cat("when ", name, " exists: no choice tells it"));
    return "";
  }

  void add(ImportedStudy& out, const RawTrial& raw) {
    constexpr std::int64_t kComplete = 1, kPruned = 2, kFailed = 3;
    if (raw.state < kComplete || raw.state > kFailed) return;  // nobody will tell of it any more
    ImportedTrial trial;
    trial.state = raw.state == kComplete ? TrialState::complete
                  : raw.state == kPruned ? TrialState::stopped
                                         : TrialState::failed;
    for (const std::string& name : order_) {
      if (const auto at = raw.params.find(name); at != raw.params.end())
        trial.params.set(plain(name), domains_.at(name).value(at->second.internal));
    }
    trial.value = raw.value;
    const std::int64_t shift =
        !raw.reports.empty() && raw.reports.begin()->first < 1 ? 1 - raw.reports.begin()->first : 0;
    for (const auto& [step, value] : raw.reports) trial.reports[step + shift] = value;
    out.trials.push_back(std::move(trial));
  }

  static std::string plain(const std::string& name) {
    std::string ours;
    for (const char c : name) {
      const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      ours += fits ? c : '_';
    }
    return ours.empty() || (ours[0] >= '0' && ours[0] <= '9') ? "_" + ours : ours;
  }

  const RawStudy& study_;
  std::vector<const RawTrial*> trials_;
  std::vector<std::string> order_;
  std::map<std::string, std::string> texts_;
  std::map<std::string, ForeignDomain> domains_;
  std::vector<std::string> left_;
};

}  // namespace

ImportedStudy import_optuna(const std::string& text, const std::string& file,
                            const std::string& name) {
  const Journal journal = read_journal(text, file);
  const std::size_t study = find_study(journal.studies, name, file);
  std::vector<const RawTrial*> trials;
  for (const RawTrial& trial : journal.trials)
    if (trial.study == study) trials.push_back(&trial);
  return Importer(journal.studies[study], std::move(trials)).run();
}

}  // namespace hpo
