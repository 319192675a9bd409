/* How long a damped spring with a mass of 1 swings: one trial of command-c.yaml.
   usage: spring STIFFNESS DAMPING */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: spring STIFFNESS DAMPING\n");
    return 2;
  }
  const double stiffness = atof(argv[1]), damping = atof(argv[2]), step = 1e-4;
  double place = 1, speed = 0, rest = 0;
  for (double time = 0; time < 20; time += step) {
    speed += step * (-stiffness * place - damping * speed);
    place += step * speed;
    if (fabs(place) > 0.01) rest = time;
  }
  const char* metrics = getenv("TRELLIS_METRICS");
  FILE* file = metrics ? fopen(metrics, "a") : stdout;
  if (!file) {
    perror(metrics);
    return 1;
  }
  fprintf(file, "{\"rest\": %.6f}\n", rest);
  return fclose(file) == 0 ? 0 : 1;
}
