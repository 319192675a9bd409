"""A study on the executors of a Spark cluster: spark-submit --master URL on_spark.py STUDY.yaml AGENTS"""
import sys
import threading

import trellis
from pyspark import SparkContext

spark = SparkContext(appName="trellis")
with trellis.nodes(sys.argv[1]) as run:
    tickets = [run.ticket() for _ in range(int(sys.argv[2]))]
    tasks = spark.parallelize(tickets, len(tickets)).barrier()  # all of them run, or none
    stage = tasks.mapPartitions(lambda ticket: [trellis.agent(next(ticket), workers=1)])
    stage = stage.repartition(1)  # Spark restarts a barrier stage after a lost node only where a shuffle follows
    agents = threading.Thread(target=stage.collect)
    agents.start()
    print(len(run.result().trials), "trials")
    agents.join()
