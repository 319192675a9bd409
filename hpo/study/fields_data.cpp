// The rows of the table under `data`.

#include <algorithm>
#include <iterator>

#include "hpo/study/field_rows.h"

namespace hpo::study {

namespace {

std::vector<Field> source_rows() {
  return {
      {.name = "data",
       .type = Type::block,
       .required = true,
       .only = "data",
       .doc = "What is learnt from: one of `csv`, `idx`, `npy` and `safetensors`. A relative path "
              "is looked for beside "
              "the study file, then in "
              "`$TRELLIS_DATA`, then in `/usr/share/datasets`."},
      {.name = "data.csv",
       .type = Type::text,
       .count = Count::one_or_list,
       .doc = "A file with one row a line, gz or not. Of a list, the first that exists."},
      {.name = "data.idx",
       .type = Type::text,
       .count = Count::one_or_list,
       .doc = "A folder with the four MNIST-style files, gz or not; the t10k pair is the test "
              "part. Of a list, the first "
              "that exists."},
      {.name = "data.npy",
       .type = Type::block,
       .only = "npy",
       .doc = "Two NumPy arrays in files, gz or not. Rows come first; images have the dimensions "
              "rows, height, width and perhaps channels."},
      {.name = "data.npy.x", .type = Type::text, .required = true, .doc = "The inputs."},
      {.name = "data.npy.y",
       .type = Type::text,
       .required = true,
       .doc = "The target: a number for each row, or several (rows, targets)."},
      {.name = "data.safetensors",
       .type = Type::text,
       .count = Count::one_or_list,
       .doc = "A file with the tensors `x` and `y`, as for `npy`; `x_test` and `y_test`, where it "
              "has them, are the test part. Of a list, the first that exists."},
      {.name = "data.test",
       .type = Type::text,
       .otherwise = "a share of the rows, see `split.test`",
       .only = "csv",
       .doc = "A second file with the same columns: the test part."}};
}

std::vector<Field> column_rows() {
  return {
      {.name = "data.target",
       .type = Type::text,
       .count = Count::one_or_list,
       .fallback = "-1",
       .only = "csv",
       .doc = "The column to predict: its name, or its number (1 is the first, -1 the last). "
              "Several of numbers in a list."},
      {.name = "data.header",
       .type = Type::word,
       .words = {"true", "false", "guess"},
       .fallback = "guess",
       .only = "csv",
       .doc = "Whether the first line names the columns."},
      {.name = "data.ignore",
       .type = Type::text,
       .count = Count::list,
       .fallback = "[]",
       .only = "csv",
       .doc = "Columns left out, by name or number."},
      {.name = "data.keep",
       .type = Type::text,
       .count = Count::list,
       .fallback = "[]",
       .only = "csv",
       .doc = "Columns that are inputs although they number the rows, have a text of its own in "
              "nearly every row or the same text in all, or decide the split."},
      {.name = "data.categories",
       .type = Type::text,
       .count = Count::list,
       .fallback = "[]",
       .only = "csv",
       .doc = "Columns whose values are names, by name or number, also where they look like "
              "numbers or dates: codes, zip codes, months. Inputs as those of `keep`."},
      {.name = "data.missing",
       .type = Type::text,
       .count = Count::list,
       .fallback = "[]",
       .only = "csv",
       .doc = "Texts that stand for a missing value, as they are in the file, beside the empty "
              "field, NA, NaN, null, ? and the like."},
      {.name = "data.classes",
       .type = Type::text,
       .count = Count::list,
       .fallback = "[]",
       .doc = "Only the rows of these classes, of those that are read; none named: all of them."},
      {.name = "data.rows",
       .type = Type::integer,
       .min = 1,
       .max = 4e9,
       .otherwise = "all",
       .unit = "rows",
       .doc = "Only the first so many rows (of `idx`: training rows).",
       .per_trial = true},
      {.name = "data.task",
       .type = Type::word,
       .words = {"classification", "regression"},
       .otherwise = "guessed from the target, and said",
       .doc = "Whether the target is one of several classes or a number."},
      {.name = "data.scale",
       .type = Type::word,
       .words = {"standard", "minmax", "unit", "none"},
       .otherwise = "`unit` for idx, else `standard`",
       .doc = "How features are scaled, fitted on the training part: to mean 0 and deviation 1, to "
              "0 .. 1, bytes / 255, "
              "not at all.",
       .per_trial = true}};
}

std::vector<Field> split_rows() {
  return {
      {.name = "data.split",
       .type = Type::block,
       .doc = "Which rows are kept out of training. The same for all trials."},
      {.name = "data.split.valid",
       .type = Type::number,
       .min = 0,
       .max = 1,
       .min_excluded = true,
       .max_excluded = true,
       .fallback = "0.2",
       .doc = "Share of the rows that trials are compared on."},
      {.name = "data.split.test",
       .type = Type::number,
       .min = 0,
       .max = 1,
       .max_excluded = true,
       .fallback = "0.2",
       .only = "csv, npy, safetensors",
       .doc = "Share of the rows that nothing but the final score of the best trial sees."},
      {.name = "data.split.seed",
       .type = Type::integer,
       .min = 0,
       .max = kLargestSeed,
       .fallback = "0",
       .doc = "Of the shuffle that deals out the rows; never follows the study's seed."},
      {.name = "data.split.group",
       .type = Type::text,
       .otherwise = "each row by itself; classes in equal shares",
       .only = "csv",
       .doc = "A column whose equal values stay together in one part: rows of one patient, "
              "pictures of one scene."},
      {.name = "data.split.time",
       .type = Type::text,
       .otherwise = "the order does not count",
       .only = "csv",
       .doc = "A column of numbers or dates to split by: the last rows are the test part, "
              "those before it are the validation part."},
      {.name = "data.folds",
       .type = Type::integer,
       .min = 2,
       .max = 100,
       .words = {"auto"},
       .otherwise = "`auto` for a csv whose search is left open, see `parameters`, and whose "
                    "`split.valid` is not given; else none: one split",
       .unit = "folds",
       .doc = "Cross-validation: all rows but the test part make so many folds, each trial "
              "trains as many networks, each chosen by one fold and trained on the others, and "
              "reports the mean of every metric and the `spread` of the objective. `split.valid` "
              "does not count then. The network that is written in the end is trained again on "
              "all rows but the test part, with the best trial's parameters and epochs; with "
              "`adapt` the network of each fold finds its own size, and that one repeats what "
              "the one of the middle size did. `auto`: 5 folds for 20 to 3,999 rows outside of "
              "the test part, else one split; with `split.group` or `split.time` one split."}};
}

}  // namespace

std::vector<Field> data_rows() {
  std::vector<Field> rows = source_rows();
  for (const auto more : {column_rows, split_rows})
    std::ranges::move(more(), std::back_inserter(rows));
  return rows;
}

}  // namespace hpo::study
