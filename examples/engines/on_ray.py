"""A study on the nodes of a Ray cluster: python on_ray.py STUDY.yaml AGENTS"""
import sys

import ray
import trellis


@ray.remote(num_cpus=1, max_retries=-1)  # where a node dies, its agents start again on another one
def agent(ticket):
    return trellis.agent(ticket, workers=1, gpus=len(ray.get_gpu_ids()))


ray.init(address="auto")
with trellis.nodes(sys.argv[1]) as run:
    agents = [agent.remote(run.ticket()) for _ in range(int(sys.argv[2]))]
    print(len(run.result().trials), "trials")
