#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <span>

#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

std::string long_name(const std::string& name) { return name.substr(0, name.find(',')); }

}  // namespace

std::string shell_quoted(const std::string& word) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,+-@%";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string::npos) return word;
  std::string quoted = "'";
  for (char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

void Arguments::positional(std::string name, std::string doc, bool required) {
  items_.push_back(
      {.name = std::move(name), .doc = std::move(doc), .positional = true, .required = required});
}

void Arguments::option(std::string name, std::string value_name, std::string doc, bool repeatable) {
  items_.push_back({.name = std::move(name),
                    .value_name = std::move(value_name),
                    .doc = std::move(doc),
                    .repeatable = repeatable});
}

void Arguments::flag(std::string name, std::string doc) {
  items_.push_back({.name = std::move(name), .doc = std::move(doc), .flag = true});
}

bool Arguments::has(std::string_view name) const { return values_.find(name) != values_.end(); }

std::string Arguments::text(std::string_view name) const {
  auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second.back();
}

std::vector<std::string> Arguments::texts(std::string_view name) const {
  auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>() : found->second;
}

std::optional<std::int64_t> Arguments::integer(std::string_view name, std::int64_t min,
                                               std::int64_t max) const {
  if (!has(name)) return std::nullopt;
  std::string given = text(name);
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (error != std::errc() || end != given.data() + given.size() || value < min || value > max)
    throw rt::Error(rt::Errc::usage, std::string(name) + ": '" + given +
                                         "', expected a whole number from " + std::to_string(min) +
                                         " to " + std::to_string(max));
  return value;
}

std::string Arguments::retyped() const {
  std::string line;
  for (const std::string& word : words_) line += (line.empty() ? "" : " ") + shell_quoted(word);
  return line;
}

Arguments::Outcome Arguments::parse(std::span<char* const> argv) {
  words_.assign(argv.begin(), argv.end());
  CLI::App app;
  app.set_help_flag();
  bool help = false;
  app.add_flag("-h,--help", help);
  std::vector<std::vector<std::string>> given(items_.size());
  std::vector<CLI::Option*> bound(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.flag) {
      bound[i] = app.add_flag(item.name);
    } else {
      bound[i] = app.add_option(item.name, given[i]);
      bound[i]->expected(item.repeatable ? -1 : 1)->allow_extra_args(false);
    }
  }
  app.allow_extras();
  std::vector<std::string> words(argv.rbegin(), argv.rend());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw rt::Error(rt::Errc::usage, error.what());
  }
  if (help) return Outcome::help;
  for (const std::string& word : app.remaining()) {
    std::vector<std::string> known{"--help"};
    for (const Item& item : items_)
      if (!item.positional) known.push_back(long_name(item.name));
    std::string hint = word.starts_with("-") ? rt::did_you_mean(word, known) : std::string();
    throw rt::Error(rt::Errc::usage, "unknown argument '" + word + "'" + hint);
  }
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (bound[i]->count() > 0) {
      values_[long_name(items_[i].name)] =
          given[i].empty() ? std::vector<std::string>{""} : given[i];
    } else if (items_[i].required) {
      throw rt::Error(rt::Errc::usage, items_[i].name + " is missing: " + items_[i].doc);
    }
  }
  return Outcome::run;
}

std::string Arguments::help(std::string_view verb, std::string_view summary) const {
  std::string usage = "usage: trellis " + std::string(verb);
  std::string lines;
  std::size_t width = 6;
  auto label = [](const Item& item) {
    return item.value_name.empty() ? item.name : item.name + " " + item.value_name;
  };
  for (const Item& item : items_) {
    width = std::max(width, label(item).size());
    if (item.positional) usage += item.required ? " " + item.name : " [" + item.name + "]";
  }
  for (const Item& item : items_)
    lines +=
        "  " + label(item) + std::string(width + 2 - label(item).size(), ' ') + item.doc + "\n";
  return usage + " [options]\n" + std::string(summary) + "\n\n" + lines + "  --help" +
         std::string(width > 4 ? width - 4 : 2, ' ') + "this text\n";
}

}  // namespace cli
