#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <span>

#include "base/error.h"
#include "base/shell.h"
#include "base/text.h"

namespace cli {

namespace {

std::string long_name(const std::string& name) { return name.substr(0, name.find(',')); }

}  // namespace

void Arguments::positional(std::string name, std::string doc, bool required) {
  items_.push_back(
      {.name = std::move(name), .doc = std::move(doc), .positional = true, .required = required});
}

void Arguments::positionals(std::string name, std::string doc) {
  items_.push_back({.name = std::move(name),
                    .doc = std::move(doc),
                    .positional = true,
                    .required = true,
                    .repeatable = true});
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

void Arguments::flag(std::string name, std::string value_name, std::string plain, std::string doc) {
  items_.push_back({.name = std::move(name),
                    .value_name = std::move(value_name),
                    .doc = std::move(doc),
                    .plain = std::move(plain),
                    .flag = true});
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
  const std::optional<std::int64_t> value = base::parse_int(given);
  if (!value || *value < min || *value > max)
    throw base::Error(base::Errc::usage, std::string(name) + ": '" + base::printable(given, 60) +
                                             "', expected a whole number from " +
                                             std::to_string(min) + " to " + std::to_string(max));
  return value;
}

std::string Arguments::retyped(std::initializer_list<std::string_view> but) const {
  std::string line;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::string name = words_[i].substr(0, words_[i].find('='));
    if (std::ranges::find(but, name) != but.end()) {
      const auto item = std::ranges::find(items_, name, &Item::name);
      if (item != items_.end() && !item->flag && name == words_[i]) ++i;  // its value
      continue;
    }
    line += (line.empty() ? "" : " ") + base::shell_quoted(words_[i]);
  }
  return line;
}

base::Error Arguments::missing(const Item& item) {
  return {base::Errc::usage, item.name + " is missing: " + item.doc};
}

/// What CLI11 does not take is an option without its value or a flag with one; it says the name
/// first, a flag's without dashes.
base::Error Arguments::refusal(std::string_view what) const {
  const std::string name(what.substr(0, what.find_first_of(": ")));
  for (const Item& item : items_) {
    const std::string known = long_name(item.name);
    if (known != name && known != "--" + name) continue;
    return {base::Errc::usage,
            item.flag ? known + " takes no value" : known + " needs a value: " + item.doc};
  }
  return {base::Errc::usage, base::printable(what)};
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
    if (item.flag && !item.plain.empty()) {
      bound[i] = app.add_flag(item.name + "{" + item.plain + "}");
    } else if (item.flag) {
      bound[i] = app.add_flag(item.name)->disable_flag_override();
    } else {
      bound[i] = app.add_option(item.name, given[i]);
      bound[i]
          ->expected(item.repeatable ? -1 : 1)
          ->allow_extra_args(item.positional && item.repeatable);
    }
  }
  app.allow_extras();
  std::vector<std::string> words(argv.rbegin(), argv.rend());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    throw refusal(error.what());
  }
  if (help) return Outcome::help;
  for (const std::string& word : app.remaining()) {
    if (word == "--") continue;
    // CLI11 takes -.5 and -inf for letters of options: a number is the next positional argument.
    std::size_t next = 0;
    while (next < items_.size() && (!items_[next].positional || !given[next].empty())) ++next;
    if (next < items_.size() && word.starts_with('-') && base::parse_double(word)) {
      given[next].push_back(word);
      continue;
    }
    throw unexpected(word);
  }
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (!items_[i].plain.empty()) given[i] = bound[i]->results();
    if (bound[i]->count() > 0 || !given[i].empty()) {
      if (items_[i].required && given[i].back().empty()) throw missing(items_[i]);
      values_[long_name(items_[i].name)] =
          given[i].empty() ? std::vector<std::string>{""} : given[i];
    } else if (items_[i].required) {
      throw missing(items_[i]);
    }
  }
  return Outcome::run;
}

base::Error Arguments::unexpected(const std::string& word) const {
  std::vector<std::string> options{"--help"};
  std::string places;
  for (const Item& item : items_) {
    if (item.positional)
      places += base::cat(" ", item.name);
    else
      options.push_back(long_name(item.name));
  }
  const std::string shown = base::cat("'", base::printable(word, 60), "'");
  if (word.starts_with('-'))
    return {base::Errc::usage,
            base::cat("unknown option ", shown, base::did_you_mean(word, options))};
  return {base::Errc::usage, base::cat("unexpected argument ", shown, ", expected ",
                                       places.empty() ? "options alone" : "only", places)};
}

std::string Arguments::help(std::string_view verb, std::string_view summary) const {
  std::string usage = "usage: trellis " + std::string(verb);
  std::string lines;
  std::size_t width = 6;
  auto label = [](const Item& item) {
    if (item.flag && !item.plain.empty()) return item.name + "[=" + item.value_name + "]";
    return item.value_name.empty() ? item.name : item.name + " " + item.value_name;
  };
  for (const Item& item : items_) {
    width = std::max(width, label(item).size());
    if (item.positional) usage += item.required ? " " + item.name : " [" + item.name + "]";
    if (item.positional && item.repeatable) usage += "...";
  }
  for (const Item& item : items_)
    lines +=
        "  " + label(item) + std::string(width + 2 - label(item).size(), ' ') + item.doc + "\n";
  return usage + " [options]\n" + std::string(summary) + "\n\n" + lines + "  --help" +
         std::string(width > 4 ? width - 4 : 2, ' ') + "this text\n";
}

}  // namespace cli
