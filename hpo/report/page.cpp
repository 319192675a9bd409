#include "hpo/report/page.h"

#include "base/text.h"
#include "hpo/report/html.h"

namespace hpo::report {

namespace {

/// Nothing is loaded from anywhere, no script but ours runs.
std::string policy(const Page& page) {
  return base::cat("default-src 'none'; script-src '", page.script->hash, "'; style-src '",
                   kStyle.hash, "'; img-src data:; base-uri 'none'; form-action 'none'");
}

std::string policy_element(const Page& page) {
  return base::cat("<meta http-equiv=\"Content-Security-Policy\" content=\"", policy(page),
                   "\">\n");
}

/// A browser asks a server for an icon, unless the page says that there is none.
std::string style_elements(const Page& page) {
  if (page.assets.empty()) return base::cat("<style>", kStyle.text, "</style>\n");
  return base::cat("<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"",
                   page.assets, "page.css\">\n");
}

std::string script_element(const Page& page) {
  if (page.assets.empty()) return base::cat("<script>", page.script->text, "</script>\n");
  return base::cat("<script src=\"", page.assets, page.script_file, "\"></script>\n");
}

std::string head(const Page& page) {
  return base::cat("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
                   page.assets.empty() ? policy_element(page) : "",
                   "<meta name=\"referrer\" content=\"no-referrer\">\n"
                   "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                   "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" "
                   "content=\"Trellis ",
                   escaped(page.version), "\">\n<meta name=\"description\" content=\"",
                   escaped(page.summary), "\">\n<title>", escaped(page.title), "</title>\n",
                   style_elements(page), "</head>\n");
}

std::string navigation(const Page& page) {
  std::string out =
      base::cat("<nav aria-label=\"Sections\"><b>", escaped(page.name, kLongName), "</b>");
  for (const Section& section : page.sections)
    out += base::cat(" <a href=\"#", section.id, "\">", escaped(section.title), "</a>");
  return out + "</nav>\n";
}

std::string html_of(const Section& section) {
  const std::string_view tag = section.is_headline ? "h1" : "h2";
  return base::cat("<section id=\"", section.id, "\">\n<", tag, ">", escaped(section.heading), "</",
                   tag, ">\n", paragraph(section.lead, "lead"), section.body, "</section>\n");
}

}  // namespace

std::string html_of(const Page& page) {
  std::string out = base::cat(head(page), "<body>\n", navigation(page), "<main>\n", page.banner);
  for (const Section& section : page.sections) out += html_of(section);
  out += base::cat("</main>\n<footer>Made by Trellis ", escaped(page.version), ".</footer>\n");
  return base::cat(out, page.data, script_element(page), "</body>\n</html>\n");
}

}  // namespace hpo::report
