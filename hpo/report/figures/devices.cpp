// How busy each worker was over time.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "hpo/report/figures/clock_axis.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"

namespace hpo::figures {

namespace {

constexpr double kWorker = 14;
constexpr int kShadesOfUse = 20;  // neighbors with the same shade are one element

/// Share of a bucket that the worker was in the state "busy".
double busy_share(const SessionUse& session, std::size_t worker, std::size_t bucket) {
  const auto busy = std::ranges::find(session.states, "busy") - session.states.begin();
  return std::clamp(session.share(worker, bucket, static_cast<std::size_t>(busy)), 0.0, 1.0);
}

std::vector<std::string> worker_names(const std::vector<SessionUse>& sessions) {
  std::vector<std::string> names;
  for (const SessionUse& session : sessions)
    for (const WorkerUse& worker : session.workers)
      if (std::ranges::find(names, worker.name) == names.end()) names.push_back(worker.name);
  return names;
}

void draw_worker(Svg& svg, const Plot& plot, const SessionUse& session, std::size_t worker,
                 const Box& row, const std::vector<double>& times) {
  const std::size_t buckets = times.size() - 1;
  for (std::size_t from = 0; from < buckets;) {
    const auto shade = [&](std::size_t bucket) {
      return std::lround(kShadesOfUse * busy_share(session, worker, bucket));
    };
    std::size_t until = from + 1;
    while (until < buckets && shade(until) == shade(from)) ++until;
    if (shade(from) > 0)
      svg.rect({plot.x(times[from]), row.top, plot.x(times[until]), row.bottom}, kData,
               static_cast<double>(shade(from)) / kShadesOfUse);
    from = until;
  }
  svg.outline({plot.x(times.front()), row.top, plot.x(times.back()), row.bottom},
              {.color = kSoft, .width = 0.4});
}

}  // namespace

std::optional<Drawn> draw_devices(const report::Gathered& study, double width) {
  std::vector<SessionUse> sessions = study.use;
  std::erase_if(sessions, [](const SessionUse& one) {
    return one.workers.empty() || std::ranges::count(one.states, "busy") == 0;
  });
  if (sessions.empty()) return std::nullopt;
  std::int64_t origin = sessions.front().began;
  for (const SessionUse& one : sessions) origin = std::min(origin, one.began);
  const auto begin_of = [&](const SessionUse& one) {
    return static_cast<double>(one.began - origin) * 1e-6;
  };
  double end = 0;
  for (const SessionUse& one : sessions) end = std::max(end, begin_of(one) + one.seconds);
  // The first worker stands on top.
  std::vector<std::string> names = worker_names(sessions);
  std::ranges::reverse(names);
  const double height = 50 + kWorker * static_cast<double>(names.size());
  Svg svg(width, height, base::cat(shown_name(study.info.name), ": devices"),
          "How busy each worker was over time: the darker, the busier.");
  const double top = draw_legend(svg, {0, 0, width, height},
                                 {{Glyph::area, kData, "busy"},
                                  {Glyph::area, "#97b7a7", "half of the time"},
                                  {Glyph::area, kGrid, "idle"}});
  const ClockUnit unit = clock_unit(end);
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(shown_name(study.hidden(name)));
  const Plot plot(svg, {0, top, width - 2, height - 2}, clock_axis(end, unit),
                  Axis::of_words(shown), {.x = base::cat("time (", unit.name, ")"), .y = ""});
  PlotData data{.columns = {"worker", "began", "ended", "busy"}, .rows = {}};
  for (const SessionUse& session : sessions) {
    for (std::size_t worker = 0; worker < session.workers.size(); ++worker) {
      const std::size_t buckets = session.workers[worker].shares.size() / session.states.size();
      std::vector<double> times;
      for (std::size_t bucket = 0; bucket <= buckets; ++bucket)
        times.push_back((begin_of(session) +
                         std::min(session.width * static_cast<double>(bucket), session.seconds)) /
                        unit.seconds);
      for (std::size_t bucket = 0; bucket < buckets; ++bucket)
        data.rows.push_back({study.hidden(session.workers[worker].name),
                             times[bucket] * unit.seconds, times[bucket + 1] * unit.seconds,
                             busy_share(session, worker, bucket)});
      const auto place = std::ranges::find(names, session.workers[worker].name) - names.begin();
      const double middle = plot.y(static_cast<double>(place));
      if (buckets > 0)
        draw_worker(svg, plot, session, worker, {0, middle - 5, 0, middle + 5}, times);
    }
  }
  return Drawn{.svg = std::move(svg).text(), .data = std::move(data)};
}

}  // namespace hpo::figures
