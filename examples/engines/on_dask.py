"""A study on the workers of a Dask cluster: python on_dask.py STUDY.yaml SCHEDULER:PORT"""
import functools
import sys

import trellis
from dask.distributed import Client

client = Client(sys.argv[2])
with trellis.nodes(sys.argv[1]) as run:
    agents = [client.submit(functools.partial(trellis.agent, workers=cores), run.ticket(), workers=[worker],
                            allow_other_workers=True, pure=False) for worker, cores in client.nthreads().items()]
    print(len(run.result().trials), "trials")
