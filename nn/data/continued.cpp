#include "nn/data/continued.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "nn/data/continued_columns.h"
#include "nn/data/csv_names.h"
#include "nn/data/csv_stream.h"
#include "nn/data/source_file.h"
#include "nn/data/table_fit.h"
#include "nn/fields.h"

namespace nn {

namespace {

/// Columns of a table without a header are known by their places.
bool has_named_columns(const Dataset::Header& header) {
  return !header.columns.empty() && header.places.value_or(0) == 0;
}

std::string task_word(LearningTask task) {
  return task == LearningTask::classification ? "classes" : "numbers";
}

std::vector<std::string> target_names(const Dataset::Header& header) {
  std::vector<std::string> names;
  for (const TargetColumn& target : header.targets) names.push_back(target.name);
  return names;
}

/// The names in the first line of a csv, or what stands there instead.
std::set<std::string> first_line(const DataSpec& spec, const Dataset& model) {
  CsvStream stream(
      spec.path,
      {.missing = spec.missing, .decimal_comma = model.header().decimal_comma, .one_field = {}});
  std::vector<CsvField> fields;
  std::set<std::string> names;
  if (stream.next(fields))
    for (const CsvField& field : fields) names.insert(field.value());
  return names;
}

void add_new(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& word : more)
    if (std::ranges::find(list, word) == list.end()) list.push_back(word);
}

/// What the columns of a csv are to be read as.
void read_columns_as(DataSpec& spec, const Dataset& model) {
  const Dataset::Header& known = model.header();
  add_new(spec.missing, known.missing);
  if (!has_named_columns(known)) return;
  const std::set<std::string> there = first_line(spec, model);
  const auto left_out = [&](const std::string& name) {
    return std::ranges::find(spec.ignore, name) != spec.ignore.end();
  };
  bool any = false;
  for (const FeatureColumn& column : known.columns) {
    if (!there.contains(column.name) || left_out(column.name)) continue;
    any = true;
    if (std::ranges::find(spec.targets, column.name) != spec.targets.end()) continue;
    const bool texts =
        column.kind() == ColumnKind::categories || column.kind() == ColumnKind::hashed;
    add_new(texts ? spec.categories : spec.keep, {column.name});
  }
  if (!any) {
    std::vector<std::string> names;
    for (const FeatureColumn& column : known.columns) names.push_back(column.name);
    throw Error("expected a table that names some of its columns: " + first_names(names));
  }
  spec.header = HeaderRow::yes;
  const std::vector<std::string> last{"-1"}, targets = target_names(known);
  if (spec.targets.empty() || spec.targets == last) spec.targets = targets;
}

}  // namespace

DataSpec spec_for_model(DataSpec spec, const Dataset& model) {
  const Dataset::Header& known = model.header();
  if (spec.task != LearningTask::guess && spec.task != known.task)
    throw Error(
        "expected task: " +
        std::string(known.task == LearningTask::classification ? "classification" : "regression") +
        ": the model is one of " + task_word(known.task));
  spec.task = known.task;
  spec.scale = known.scaling;
  spec.classes.clear();
  if (spec.kind == DataKind::csv && known.input.is_image())
    throw Error("expected images of " + known.input.text() + ", as it takes; the data is a csv");
  if (spec.kind == DataKind::csv) read_columns_as(spec, model);
  return spec;
}

DataSpec replay_spec(const std::string& path, std::uint64_t seed, const Dataset& model) {
  std::error_code ignored;
  DataSpec spec{.path = path};
  if (std::filesystem::is_directory(path, ignored))
    spec.kind = DataKind::idx;
  else if (path.ends_with(".safetensors"))
    spec.kind = DataKind::safetensors;
  spec.split = {.valid = kReplayHeldOut, .test = 0, .seed = seed, .group = {}, .time = {}};
  return spec_for_model(std::move(spec), model);
}

namespace {

/// Numbers of a data set's classes in the new one; nothing: rows of it are left out.
std::vector<std::optional<std::int32_t>> numbers_of_classes(const std::vector<std::string>& names,
                                                            const std::vector<std::string>& now) {
  std::vector<std::optional<std::int32_t>> numbers;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(now, name);
    if (at == now.end())
      numbers.emplace_back();
    else
      numbers.emplace_back(static_cast<std::int32_t>(at - now.begin()));
  }
  return numbers;
}

/// Some rows of a data set that become rows of the new one, from `first` on.
struct Taken {
  std::vector<std::uint32_t> rows;
  std::uint32_t first = 0;

  [[nodiscard]] std::vector<std::uint32_t> now() const {
    std::vector<std::uint32_t> numbers(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      numbers[i] = first + static_cast<std::uint32_t>(i);
    return numbers;
  }
};

/// Puts a new data set together.
class Making {
 public:
  Making(const Dataset& fresh, const Dataset* old, const Dataset& model,
         const std::vector<std::string>& chosen)
      : fresh_(fresh), old_(old), model_(model), header_(fresh.header()) {
    check();
    set_columns();
    set_classes(chosen);
  }

  Dataset make(const ContentHash& content) {
    take_rows();
    set_storage();
    std::vector<ContentHash> contents{fresh_.header().content, content};
    if (old_ != nullptr) contents.push_back(old_->header().content);
    header_.content = combine(contents);
    Dataset data(std::move(header_));
    set_scaling(data);
    for (const auto& [part, taken] : parts_) copy_rows(fresh_, taken, data);
    if (old_ != nullptr) {
      copy_rows(*old_, replayed_, data);
      copy_rows(*old_, held_, data);
    }
    set_parts(data);
    return data;
  }

 private:
  void check() const {
    const Dataset::Header &now = fresh_.header(), &known = model_.header();
    if (now.task != known.task)
      throw Error("expected a target of " + task_word(known.task) +
                  ", as it predicts; the data has " + task_word(now.task));
    if (now.targets.size() != known.targets.size())
      throw Error("expected " + counted(known.targets.size(), "target") +
                  ", as it predicts; the data has " + std::to_string(now.targets.size()));
    if (has_named_columns(now) && has_named_columns(known) &&
        target_names(now) != target_names(known))
      throw Error("expected the target " + first_names(target_names(known)) +
                  ", which it predicts; the data has " + first_names(target_names(now)));
    const bool tables = !now.columns.empty() && !known.columns.empty();
    if (!tables && now.input != known.input)
      throw Error("expected rows of " + known.input.text() + ", as it takes; the data has " +
                  now.input.text());
    if (tables && !(has_named_columns(now) && has_named_columns(known)) &&
        (has_named_columns(now) != has_named_columns(known) || now.places != known.places))
      throw Error("expected a table of the same columns, as they have no names");
  }

  void set_columns() {
    const std::vector<FeatureColumn>& known = model_.header().columns;
    if (known.empty()) return;
    const Columns before(known);
    std::vector<std::string> added, gone;
    for (FeatureColumn& column : header_.columns) {
      const Columns::Place* place = before.find(column.name);
      if (place == nullptr) {
        added.push_back(column.name);
        continue;
      }
      FeatureColumn both = merged(*place->column, column);
      note_categories(*place->column, both);
      column = std::move(both);
    }
    const Columns now(fresh_.header().columns);
    for (const FeatureColumn& column : known) {
      if (now.find(column.name) != nullptr) continue;
      if (!column.absent) gone.push_back(column.name);
      header_.columns.push_back(column);
      header_.columns.back().absent = true;
    }
    if (!added.empty()) header_.notes.push_back("new columns: " + first_names(added));
    if (!gone.empty())
      header_.notes.push_back("columns that are gone: " + first_names(gone) +
                              ", taken as missing in every row");
    header_.cols = 0;
    for (const FeatureColumn& column : header_.columns) header_.cols += column.inputs();
    header_.input = Shape::features(static_cast<std::int64_t>(header_.cols));
    header_.missing = fresh_.header().missing;
  }

  void note_categories(const FeatureColumn& known, const FeatureColumn& both) {
    std::vector<std::string> added;
    std::ranges::set_difference(both.categories, known.categories, std::back_inserter(added));
    if (!added.empty())
      header_.notes.push_back("new categories of " + in_quotes(known.name) + ": " +
                              first_names(added));
  }

  void set_classes(const std::vector<std::string>& chosen) {
    if (!fresh_.is_classification()) return;
    const std::vector<std::string> there = fresh_.header().class_names;
    std::vector<std::string> wanted = chosen.empty() ? there : chosen, added;
    for (const std::string& name : wanted) {
      if (std::ranges::find(there, name) != there.end()) continue;
      const std::string near = nearest(name, there);
      throw Error("expected classes that the data has; it has no " + in_quotes(name) +
                  (near.empty() ? "" : ", did you mean " + in_quotes(near) + "?"));
    }
    header_.class_names = model_.header().class_names;
    for (const std::string& name : there) {
      const bool known = std::ranges::find(header_.class_names, name) != header_.class_names.end();
      if (!known && std::ranges::find(wanted, name) != wanted.end()) added.push_back(name);
    }
    header_.class_names.insert(header_.class_names.end(), added.begin(), added.end());
    if (!added.empty()) header_.notes.push_back("new classes: " + first_names(added));
    fresh_classes_ = numbers_of_classes(there, header_.class_names);
    for (std::size_t i = 0; i < there.size(); ++i)
      if (std::ranges::find(wanted, there[i]) == wanted.end()) fresh_classes_[i].reset();
    if (old_ == nullptr) return;
    // What the model never learnt it cannot forget.
    old_classes_ = numbers_of_classes(old_->header().class_names, model_.header().class_names);
  }

  [[nodiscard]] Taken taken(const Dataset& data, Part part,
                            const std::vector<std::optional<std::int32_t>>& classes) {
    Taken out{.rows = {}, .first = static_cast<std::uint32_t>(rows_)};
    for (const std::uint32_t row : data.part(part)) {
      if (data.is_classification() && !classes[static_cast<std::size_t>(data.labels()[row])])
        continue;
      out.rows.push_back(row);
    }
    rows_ += out.rows.size();
    return out;
  }

  void take_rows() {
    for (const Part part : {Part::train, Part::valid, Part::test})
      parts_.emplace_back(part, taken(fresh_, part, fresh_classes_));
    header_.train_rows = parts_[0].second.rows.size();
    header_.valid_rows = parts_[1].second.rows.size();
    header_.test_rows = parts_[2].second.rows.size();
    const bool trains = header_.train_rows > 0;
    const bool validates = header_.valid_rows > 0 || fresh_.part(Part::valid).empty();
    if (!trains || !validates)
      throw Error("expected rows to train and to validate on; `classes` (of data) leaves none");
    if (old_ != nullptr) {
      replayed_ = taken(*old_, Part::train, old_classes_);
      held_ = taken(*old_, Part::valid, old_classes_);
      if (replayed_.rows.empty() || held_.rows.empty())
        throw Error("expected a replay with rows of classes that it knows");
      header_.replayed_rows = replayed_.rows.size();
      header_.replay_rows = held_.rows.size();
      header_.train_rows *= 2;
      const std::size_t all = old_->part(Part::train).size() + old_->part(Part::valid).size();
      const std::size_t left_out = all - replayed_.rows.size() - held_.rows.size();
      header_.notes.push_back(
          "replay: " + counted(replayed_.rows.size(), "old row") + " to train on, " +
          std::to_string(held_.rows.size()) + " to measure what is forgotten" +
          (left_out == 0 ? ""
                         : ", " + std::to_string(left_out) +
                               " left out: the model does not know their classes"));
    }
    header_.rows = rows_;
  }

  void set_storage() {
    const bool old_bytes = old_ == nullptr || old_->header().storage == Storage::u8;
    bool bytes = fresh_.header().storage == Storage::u8 && old_bytes;
    for (const FeatureColumn& column : header_.columns)
      bytes = bytes && !column.absent && column.offset == 0 && !column.indicator;
    // A column that only one of them has is filled with a mean.
    if (old_ != nullptr && !header_.columns.empty()) {
      const Columns there(old_->header().columns);
      for (const FeatureColumn& column : header_.columns)
        bytes = bytes && there.find(column.name) != nullptr;
    }
    header_.storage = bytes ? Storage::u8 : Storage::f32;
  }

  void set_scaling(Dataset& data) const {
    const auto shift = data.mutable_shift(), scale = data.mutable_scale();
    if (data.header().columns.empty()) {
      std::ranges::copy(model_.shift(), shift.begin());
      std::ranges::copy(model_.scale(), scale.begin());
      return;
    }
    const std::vector<FeatureColumn>& columns = data.header().columns;
    const auto known = places_in(columns, model_.header().columns);
    const auto fresh = places_in(columns, fresh_.header().columns);
    const Columns before(fresh_.header().columns);
    std::size_t input = 0;
    for (const FeatureColumn& column : columns) {
      const Columns::Place* place = before.find(column.name);
      const double more = place != nullptr ? place->column->offset - column.offset : 0;
      for (const std::size_t end = input + column.inputs(); input < end; ++input) {
        const bool has = fresh[input].has_value(), had = known[input].has_value();
        // An input that was constant was switched off: it counts as a new one.
        const bool off = had && model_.scale()[*known[input]] == 0;
        if (had && !(off && has)) {
          shift[input] = model_.shift()[*known[input]];
          scale[input] = model_.scale()[*known[input]];
        } else if (has) {
          shift[input] = static_cast<float>(fresh_.shift()[*fresh[input]] + more);
          scale[input] = fresh_.scale()[*fresh[input]];
        } else {
          shift[input] = 0;
          scale[input] = 1;
        }
      }
    }
  }

  void copy_rows(const Dataset& from, const Taken& taken, Dataset& data) const {
    const RowMaker maker(data.header().columns, from.header().columns, data.cols());
    const auto make = [&]<class T, class U>(std::span<const T> rows, std::span<U> out) {
      for (std::size_t i = 0; i < taken.rows.size(); ++i)
        maker.make(rows.data() + taken.rows[i] * from.cols(),
                   out.data() + (taken.first + i) * data.cols());
    };
    const bool bytes = from.header().storage == Storage::u8;
    if (data.header().storage == Storage::u8)
      make(from.x_u8(), data.mutable_x_u8());
    else if (bytes)
      make(from.x_u8(), data.mutable_x_f32());
    else
      make(from.x_f32(), data.mutable_x_f32());
    copy_targets(from, taken, data);
  }

  void copy_targets(const Dataset& from, const Taken& taken, Dataset& data) const {
    if (data.is_classification()) {
      const auto& classes = &from == &fresh_ ? fresh_classes_ : old_classes_;
      for (std::size_t i = 0; i < taken.rows.size(); ++i)
        data.mutable_labels()[taken.first + i] =
            *classes[static_cast<std::size_t>(from.labels()[taken.rows[i]])];
      return;
    }
    const auto& was = from.header().targets;
    const auto& now = data.header().targets;
    for (std::size_t i = 0; i < taken.rows.size(); ++i) {
      for (std::size_t t = 0; t < now.size(); ++t) {
        const float y = from.targets()[taken.rows[i] * now.size() + t];
        const double value = y * was[t].unit + was[t].shift;
        data.mutable_targets()[(taken.first + i) * now.size() + t] =
            &from == &fresh_ ? y : static_cast<float>((value - now[t].shift) / now[t].unit);
      }
    }
  }

  void set_parts(Dataset& data) const {
    for (const auto& [part, taken] : parts_)
      std::ranges::copy(taken.now(), data.mutable_part(part).begin());
    if (old_ == nullptr) return;
    const std::vector<std::uint32_t> replayed = replayed_.now();
    std::ranges::copy(replayed, data.mutable_replayed().begin());
    std::ranges::copy(held_.now(), data.mutable_part(Part::replay).begin());
    const auto train = data.mutable_part(Part::train);
    for (std::size_t half = train.size() / 2, i = 0; i < half; ++i)
      train[half + i] = replayed[i % replayed.size()];
  }

  const Dataset& fresh_;
  const Dataset* old_;
  const Dataset& model_;
  Dataset::Header header_;
  std::vector<std::optional<std::int32_t>> fresh_classes_, old_classes_;
  std::vector<std::pair<Part, Taken>> parts_;
  Taken replayed_, held_;
  std::uint64_t rows_ = 0;
};

}  // namespace

Dataset continued_data(const Dataset& fresh, const Dataset* old, const Dataset& model,
                       const std::vector<std::string>& chosen, const ContentHash& content) {
  return Making(fresh, old, model, chosen).make(content);
}

Continuation continuation_of(const Dataset& model, const Dataset& data) {
  Continuation out;
  if (!data.header().columns.empty() && !model.header().columns.empty()) {
    const auto places = places_in(data.header().columns, model.header().columns);
    bool same = places.size() == model.cols();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const bool off = places[i] && model.scale()[*places[i]] == 0 && data.scale()[i] != 0;
      out.inputs.push_back(places[i] && !off ? static_cast<std::int32_t>(*places[i]) : -1);
      same = same && out.inputs.back() == static_cast<std::int32_t>(i);
    }
    if (same) out.inputs.clear();
  }
  if (!data.is_classification()) {
    const auto& was = model.header().targets;
    const auto& now = data.header().targets;
    for (std::size_t t = 0; t < now.size(); ++t) {
      out.factor.push_back(was[t].unit / now[t].unit);
      out.shift.push_back((was[t].shift - now[t].shift) / now[t].unit);
    }
  }
  return out;
}

}  // namespace nn
