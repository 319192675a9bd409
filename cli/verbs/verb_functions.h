#pragma once
// What each file of this folder defines: how a verb declares its arguments and how it runs.

#include "cli/arguments.h"
#include "cli/verb.h"

namespace cli {

void declare_sweep(Arguments&);
int run_sweep_verb(const Arguments&);
void declare_agent(Arguments&);
int run_agent(const Arguments&);
void declare_ticket(Arguments&);
int run_ticket(const Arguments&);
void declare_member(Arguments&);
int run_member(const Arguments&);
void declare_train(Arguments&);
int run_train(const Arguments&);
void declare_predict(Arguments&);
int run_predict(const Arguments&);
void declare_ask(Arguments&);
int run_ask(const Arguments&);
void declare_tell(Arguments&);
int run_tell(const Arguments&);
void declare_import(Arguments&);
int run_import(const Arguments&);
void declare_keep(Arguments&);
int run_keep(const Arguments&);
void declare_solver(Arguments&);
int run_solver(const Arguments&);
void declare_schema(Arguments&);
int run_schema(const Arguments&);
void declare_completion(Arguments&);
int run_completion(const Arguments&);
void declare_check(Arguments&);
int run_check(const Arguments&);
void declare_plan(Arguments&);
int run_plan(const Arguments&);
void declare_simulate(Arguments&);
int run_simulate(const Arguments&);
void declare_doctor(Arguments&);
int run_doctor(const Arguments&);
void declare_bench(Arguments&);
int run_bench(const Arguments&);
void declare_status(Arguments&);
int run_status(const Arguments&);
void declare_trials(Arguments&);
int run_trials(const Arguments&);
void declare_show(Arguments&);
int run_show(const Arguments&);
void declare_best(Arguments&);
int run_best(const Arguments&);
void declare_importance(Arguments&);
int run_importance(const Arguments&);
void declare_report(Arguments&);
int run_report(const Arguments&);
void declare_serve(Arguments&);
int run_serve(const Arguments&);
void declare_stop(Arguments&);
int run_stop(const Arguments&);
void declare_rerun(Arguments&);
int run_rerun(const Arguments&);
void declare_export(Arguments&);
int run_export(const Arguments&);
int run_export_model(const Arguments&);

}  // namespace cli
