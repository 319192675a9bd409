#include "nn/data/continued.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/words.h"
#include "nn/data/continued_columns.h"
#include "nn/data/csv_names.h"
#include "nn/data/load.h"
#include "nn/data/scaling.h"
#include "nn/data/source_file.h"
#include "nn/fields.h"

namespace nn {

namespace {

/// Numbers to predict that spread so much more, or less, are in another unit.
bool is_other_unit(const TargetColumn& was, const TargetColumn& is) {
  constexpr double kTimes = 5;
  return is.unit > kTimes * was.unit || kTimes * is.unit < was.unit;
}

// More new classes than these, and none that is known, are another target.
constexpr std::size_t kMostNewClasses = 20;

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
      : fresh_(fresh), old_(old), model_(model), filled_(filled(fresh)), header_(filled_.header()) {
    check(fresh, "");
    if (old != nullptr) check(*old, kOfReplay);
    set_columns();
    set_classes(chosen);
    note_targets();
    note_ranges();
  }

  Dataset make(const base::Key& content) {
    take_rows();
    set_storage();
    std::vector<base::Key> contents{fresh_.header().content, content};
    if (old_ != nullptr) contents.push_back(old_->header().content);
    header_.content = combine(contents);
    const std::size_t bytes = Dataset::byte_size(header_), most = LoadLimits{}.dataset_bytes;
    if (bytes > most)
      throw base::Error(base::Errc::study, "expected data that takes at most " + size_text(most) +
                                               " in memory, not " + size_text(bytes));
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
  /// A copy whose missing numbers are filled and whose inputs are scaled by its own rows.
  static Dataset filled(const Dataset& fresh) {
    Dataset copy(fresh.header());
    std::ranges::copy(fresh.bytes(), copy.bytes().begin());
    fill_missing(copy);
    fit_scaling(copy, "the data");
    return copy;
  }

  void note_targets() {
    for (std::size_t t = 0; t < header_.targets.size() && !fresh_.is_classification(); ++t)
      if (is_other_unit(model_.header().targets[t], header_.targets[t]))
        header_.notes.push_back(
            "the target " + in_quotes(header_.targets[t].name) +
            " has another spread than in the model's training: treated as another unit, in which "
            "the network answers from now on");
  }

  /// Where numbers lie far from those of the model's training.
  void note_ranges() {
    if (header_.scaling != Scale::standard || header_.columns.empty()) return;
    constexpr double kFar = 10;  // standard deviations
    const Columns known(model_.header().columns), fresh(filled_.header().columns);
    std::vector<std::string> far;
    for (const FeatureColumn& column : header_.columns) {
      const Columns::Place *was = known.find(column.name), *is = fresh.find(column.name);
      if (column.kind() != ColumnKind::number || column.absent || was == nullptr || is == nullptr)
        continue;
      const double mean = filled_.shift()[is->input] + is->column->offset - was->column->offset;
      const double deviations = (mean - model_.shift()[was->input]) * model_.scale()[was->input];
      if (std::abs(deviations) > kFar) far.push_back(column.name);
    }
    if (!far.empty())
      header_.notes.push_back("numbers far from those that the model was trained on: " +
                              first_names(far) + ", as in another unit");
  }

  /// Throws where data, the new or the old rows, is of another kind than the model's; `of` begins
  /// the message.
  void check(const Dataset& data, const std::string& of) const {
    const Dataset::Header &now = data.header(), &known = model_.header();
    if (now.task != known.task)
      throw base::Error(base::Errc::study, of + "expected a target of " + task_word(known.task) +
                                               ", as it predicts; the data has " +
                                               task_word(now.task));
    if (now.targets.size() != known.targets.size())
      throw base::Error(base::Errc::study,
                        of + "expected " + base::counted(known.targets.size(), "target") +
                            ", as it predicts; the data has " + std::to_string(now.targets.size()));
    if (has_named_columns(now) && has_named_columns(known) &&
        target_names(now) != target_names(known))
      throw base::Error(base::Errc::study, of + "expected a network that predicts " +
                                               first_names(target_names(now)) +
                                               ", the target of the data; it predicts " +
                                               first_names(target_names(known)));
    const bool tables = !now.columns.empty() && !known.columns.empty();
    if (!tables && now.input != known.input)
      throw base::Error(base::Errc::study, of + "expected rows of size " + known.input.text() +
                                               ", as the model takes; the data has " +
                                               now.input.text());
    if (tables && !(has_named_columns(now) && has_named_columns(known)) &&
        (has_named_columns(now) != has_named_columns(known) || now.places != known.places))
      throw base::Error(base::Errc::study,
                        of + "expected a table of the same columns, as they have no names");
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
      if (std::isfinite(place->column->fill)) both.fill = place->column->fill;
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
      const std::string near = did_you_mean(name, there);
      throw base::Error(base::Errc::study,
                        kOfClasses + ("names " + in_quotes(name)) +
                            ", but the data has no such class" +
                            (near.empty() ? " (it has " + first_names(there) + ")" : near));
    }
    header_.class_names = model_.header().class_names;
    for (const std::string& name : there) {
      const bool known = std::ranges::find(header_.class_names, name) != header_.class_names.end();
      if (!known && std::ranges::find(wanted, name) != wanted.end()) added.push_back(name);
    }
    header_.class_names.insert(header_.class_names.end(), added.begin(), added.end());
    if (!added.empty()) header_.notes.push_back("new classes: " + first_names(added));
    const std::size_t known = model_.header().class_names.size();
    if (header_.class_names.size() - added.size() == known && added.size() > kMostNewClasses &&
        added.size() > 2 * known && added.size() == wanted.size())
      throw base::Error(base::Errc::study,
                        "expected rows of classes that it knows, or a few new ones; the data has " +
                            std::to_string(added.size()) + " others: " + first_names(added));
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

  /// The units of the new rows of a part that are left.
  [[nodiscard]] std::vector<std::uint32_t> units_left(Part part) const {
    const std::span<const std::uint32_t> units = fresh_.header().units_of(part);
    if (units.empty()) return {};
    const auto taken = std::ranges::find(parts_, part, [](const auto& p) { return p.first; });
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0, next = 0; i < units.size(); ++i) {
      const std::vector<std::uint32_t>& rows = taken->second.rows;
      if (next == rows.size() || rows[next] != fresh_.part(part)[i]) continue;
      left.push_back(units[i]);
      ++next;
    }
    return left;
  }

  void take_rows() {
    for (const Part part : {Part::train, Part::valid, Part::test})
      parts_.emplace_back(part, taken(fresh_, part, fresh_classes_));
    header_.train_rows = parts_[0].second.rows.size();
    header_.valid_rows = parts_[1].second.rows.size();
    header_.test_rows = parts_[2].second.rows.size();
    header_.valid_units = units_left(Part::valid);
    header_.test_units = units_left(Part::test);
    const bool trains = header_.train_rows > 0;
    const bool validates = header_.valid_rows > 0 || fresh_.part(Part::valid).empty();
    if (!trains || !validates)
      throw base::Error(base::Errc::study, std::string(kOfClasses) +
                                               "leaves no rows to train on or none to validate on");
    if (old_ != nullptr) {
      replayed_ = taken(*old_, Part::train, old_classes_);
      held_ = taken(*old_, Part::valid, old_classes_);
      if (replayed_.rows.empty() || held_.rows.empty())
        throw base::Error(base::Errc::study, std::string(kOfReplay) +
                                                 "expected rows of classes that the model knows: " +
                                                 first_names(model_.header().class_names));
      header_.replayed_rows = replayed_.rows.size();
      header_.replay_rows = held_.rows.size();
      header_.train_rows *= 2;
      const std::size_t all = old_->part(Part::train).size() + old_->part(Part::valid).size();
      const std::size_t left_out = all - replayed_.rows.size() - held_.rows.size();
      header_.notes.push_back(
          "replay: " + base::counted(replayed_.rows.size(), "old row") + " to train on, " +
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
      const std::size_t first = input;
      const double offset = place != nullptr ? place->column->offset - column.offset : 0;
      for (const std::size_t end = input + column.inputs(); input < end; ++input) {
        const bool has = fresh[input].has_value(), had = known[input].has_value();
        // An input that was constant was switched off: it counts as a new one.
        const bool off = had && model_.scale()[*known[input]] == 0;
        if (had && !(off && has)) {
          shift[input] = model_.shift()[*known[input]];
          scale[input] = model_.scale()[*known[input]];
        } else if (has) {
          shift[input] =
              static_cast<float>(filled_.shift()[*fresh[input]] + (input == first ? offset : 0));
          scale[input] = filled_.scale()[*fresh[input]];
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
        const TargetColumn& known = model_.header().targets[t];
        const TargetColumn& unit = is_other_unit(known, now[t]) ? known : now[t];
        data.mutable_targets()[(taken.first + i) * now.size() + t] =
            &from == &fresh_ ? y : static_cast<float>((value - unit.shift) / unit.unit);
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
  const Dataset filled_;
  Dataset::Header header_;
  std::vector<std::optional<std::int32_t>> fresh_classes_, old_classes_;
  std::vector<std::pair<Part, Taken>> parts_;
  Taken replayed_, held_;
  std::uint64_t rows_ = 0;
};

}  // namespace

Dataset continued_data(const Dataset& fresh, const Dataset* old, const Dataset& model,
                       const std::vector<std::string>& chosen, const base::Key& content) {
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
      const bool other = is_other_unit(was[t], now[t]);
      out.factor.push_back(other ? 1 : was[t].unit / now[t].unit);
      out.shift.push_back(other ? 0 : (was[t].shift - now[t].shift) / now[t].unit);
    }
  }
  return out;
}

}  // namespace nn
