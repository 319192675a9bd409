// Programs that may run on several machines.
//
//   const auto square = ...;  // a pure task, as a constant of the program
//   int main(int argc, char** argv) {
//     rt::init(argc, argv);  // an agent works in here and never returns
//     rt::Runtime runtime;
//     std::printf("%g\n", square(3.0).get());
//   }
//
// `./square --trellis-hosts=a,b` then runs the pure tasks on the machines a and b, to which ssh
// leads and which have the same program at the same path; `localhost` is a part of this machine's
// cores. In a step of a Slurm job, `srun -N 4 --no-kill ./square`, the first task is the driver and
// all are agents. Config::workers holds for each agent too. docs/runtime.md says what travels and
// what not.
#pragma once

namespace rt::inline v0 {

/// To be called first in main, once; takes its own options out of argc and argv:
/// --trellis-hosts=A,B,... and --trellis-agent=NODE, with which it starts itself there. In a
/// process that was started as an agent it does not return.
///
/// Every task that is called later must have been defined before, as a constant of the program: so
/// an agent finds it by its name, version and signature. A call of another one is a base::Error
/// (usage), whether there are agents or not, and so are rt::set_fingerprint and rt::on_worker_start
/// from then on. Throws base::Error (usage) for a bad option, for two tasks that an agent could not
/// tell apart, and when it was called before.
void init(int& argc, char** argv);

}  // namespace rt::inline v0
