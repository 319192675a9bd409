#pragma once
// The protocol of ask and tell: one JSON object a line in both directions (docs/ask-tell.md).

#include <string>
#include <string_view>

#include "hpo/ask/asked_study.h"

namespace hpo {

/// What whoever connects hears first: the version, the study and its metrics.
[[nodiscard]] std::string ask_greeting(const StudySpec& study);

/// Whether a line asks for a trial.
[[nodiscard]] bool is_asking(std::string_view line);

/// Whether the answer to a line waits for a proposal, which others may be waiting for already.
[[nodiscard]] bool ask_waits(const AskedStudy& study, std::string_view line, bool others);

/// The answer to one line, without its end, to be sent when the study was committed. Never throws
/// for what a line says: a refusal is an answer too, {"error", "kind"}.
[[nodiscard]] std::string ask_answer(AskedStudy& study, std::string_view line);

}  // namespace hpo
