#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

namespace {

/// Prints the options of the verb before it: what `--help` says, so that they never differ.
constexpr std::string_view kOptions = R"(--help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p')";

constexpr std::string_view kBash = R"sh(_trellis() {
  local cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} IFS=$'\n'
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "@VERBS@" -- "$cur"))
    return
  fi
  if [ "${cur#-}" != "$cur" ]; then
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" "$verb" @OPTIONS@)" -- "$cur"))
    return
  fi
  case "$verb" in
    @FILES@) COMPREPLY=($(compgen -f -X '!*.y?(a)ml' -- "$cur") $(compgen -d -- "$cur")) ;;
    @RUNS@)
      COMPREPLY=($(cd runs 2>/dev/null && compgen -d -- "$cur" | grep -vx store)
        $(compgen -f -- "$cur")) ;;
    *) COMPREPLY=($(compgen -f -- "$cur")) ;;
  esac
}
shopt -s extglob
complete -o filenames -F _trellis trellis
)sh";

constexpr std::string_view kZsh = R"sh(#compdef trellis
_trellis() {
  local -a verbs options
  verbs=(@VERBS@)
  if (( CURRENT == 2 )); then
    _describe verb verbs
  elif [[ $words[CURRENT] == -* ]]; then
    options=(${(f)"$($words[1] $words[2] @OPTIONS@)"})
    compadd -a options
  else
    case $words[2] in
      (@FILES@) _files -g '*.(yaml|yml)' ;;
      (@RUNS@) compadd -- runs/*~runs/store(N/:t); _files ;;
      (*) _files ;;
    esac
  fi
}
compdef _trellis trellis
)sh";

constexpr std::string_view kFishVerb =
    R"sh(complete -c trellis -n "not __trellis_seen" -f -a @VERB@ -d '@SUMMARY@'
)sh";

constexpr std::string_view kFishRest = R"sh(function __trellis_options
  set -l words (commandline -opc)
  $words[1] $words[2] @OPTIONS@
end
complete -c trellis -n "__trellis_seen; and string match -q -- '-*' (commandline -ct)" -f \
  -a '(__trellis_options)'
complete -c trellis -n "__fish_seen_subcommand_from @RUNS@" \
  -a '(path basename runs/*/ | string match -v store)'
)sh";

std::string replaced(std::string text, std::string_view mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), by);
    at += by.size();
  }
  return text;
}

/// Names of the verbs whose synopsis begins with one of `first`, joined by `between`.
std::string verbs_with(std::initializer_list<std::string_view> first, std::string_view between) {
  std::string out;
  for (const VerbLine& line : verb_lines()) {
    const auto begins = [&](std::string_view word) { return line.arguments.starts_with(word); };
    if (std::ranges::none_of(first, begins)) continue;
    out += (out.empty() ? "" : std::string(between)) + std::string(line.name);
  }
  return out;
}

/// Every verb through `item`.
template <class Item>
std::string every_verb(Item item) {
  std::string out;
  for (const VerbLine& line : verb_lines()) out += item(line);
  return out;
}

std::string filled(std::string_view script, const std::string& verbs, std::string_view between) {
  std::string out = replaced(std::string(script), "@VERBS@", verbs);
  out = replaced(std::move(out), "@OPTIONS@", std::string(kOptions));
  out = replaced(std::move(out), "@FILES@", verbs_with({"FILE"}, between));
  return replaced(std::move(out), "@RUNS@", verbs_with({"RUN", "MODEL"}, between));
}

std::string bash_script() {
  return filled(
      kBash, every_verb([](const VerbLine& line) { return std::string(line.name) + "\n"; }), "|");
}

std::string zsh_script() {
  return filled(kZsh, every_verb([](const VerbLine& line) {
                  return base::cat("'", line.name, ":", line.summary, "' ");
                }),
                "|");
}

std::string fish_script() {
  const std::string verbs =
      every_verb([](const VerbLine& line) { return base::cat(" ", line.name); });
  std::string out =
      base::cat("function __trellis_seen\n  __fish_seen_subcommand_from", verbs, "\nend\n");
  out += every_verb([](const VerbLine& line) {
    std::string entry = replaced(std::string(kFishVerb), "@VERB@", std::string(line.name));
    return replaced(std::move(entry), "@SUMMARY@", std::string(line.summary));
  });
  return out + filled(kFishRest, "", " ");
}

}  // namespace

void declare_completion(Arguments& arguments) {
  arguments.positional("SHELL", "bash, zsh or fish");
}

int run_completion(const Arguments& arguments) {
  const std::string shell = arguments.text("SHELL");
  const std::array<std::string, 3> known{"bash", "zsh", "fish"};
  if (shell == known[0])
    print_result(bash_script());
  else if (shell == known[1])
    print_result(zsh_script());
  else if (shell == known[2])
    print_result(fish_script());
  else
    throw base::Error(base::Errc::usage,
                      base::cat("SHELL: '", base::printable(shell, 60),
                                "', expected bash, zsh or fish", base::did_you_mean(shell, known)));
  return kDone;
}

}  // namespace cli
