# SPDX-License-Identifier: GPL-2.0-or-later
"""What a packet costs, as a recipe of LNST: one machine receives and is measured by xdpzoom record, the other one sends.

    from lnst.Controller import Controller
    from xdpzoom_lnst import XdpzoomRecipe

    recipe = XdpzoomRecipe(history="runs.db", record_args="--tune steer")
    Controller().run(recipe)

xdpzoom is installed on both machines and on the controller. The run directory comes to the controller, into runs (a parameter);
its variants are results, with the numbers of xdpzoom report --format json as their data. With history, the run is added to that
file of xdpzoom history, and held against the run before or against another one: a variant that was slower fails, and one that
cannot be told is a warning. Tried with LNST 16.1.0.
"""

import json
import os
import shlex
import signal
import subprocess
import tarfile
import time

from lnst.Common.Parameters import FloatParam, IntParam, StrParam
from lnst.Controller import DeviceReq, HostReq
from lnst.Controller.RecipeResults import ResultLevel, ResultType
from lnst.RecipeCommon.BaseResultEvaluator import BaseResultEvaluator
from lnst.RecipeCommon.Perf.Measurements.BaseMeasurement import BaseMeasurement
from lnst.RecipeCommon.Perf.Measurements.MeasurementError import MeasurementError
from lnst.RecipeCommon.Perf.Measurements.Results import BaseMeasurementResults
from lnst.RecipeCommon.Perf.Recipe import Recipe, RecipeConf


def xdpzoom(*words):
    """Runs xdpzoom here: its exit status, its output, and the sentence that explains a failure."""
    done = subprocess.run(["xdpzoom", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr.strip()


class XdpzoomResults(BaseMeasurementResults):
    """A run: its directory on this machine, and its report, a dictionary as xdpzoom report --format json prints it."""

    def __init__(self, measurement, directory, report, started, ended):
        super().__init__(measurement)
        self.directory = directory
        self.report = report
        self.start_timestamp = started
        self.end_timestamp = ended

    def time_slice(self, start, end):
        """A run is whole: what of it counts, its windows say."""
        return self


class XdpzoomMeasurement(BaseMeasurement):
    """Records on receiver, a device, while sender sends out of its own."""

    version = 1

    def __init__(self, receiver, sender, params, directory):
        super().__init__(params)
        self._receiver, self._sender, self._params, self._directory = receiver, sender, params, directory
        self._there = f"/var/tmp/xdpzoom-lnst-{os.getpid()}-{os.path.basename(directory)}"
        self._record = self._sending = self._started = None

    def start(self):
        params, host = self._params, self._receiver.netns
        sender = params.sender_command.format(nic=self._sender.name, mac=self._receiver.hwaddr)
        self._sending = self._sender.netns.run(f"exec {sender}", bg=True, fail=True, job_level=ResultLevel.DEBUG)
        self._started = time.time()
        self._record = host.run(
            f"xdpzoom record {self._receiver.name} -q --force -o {self._there}"
            f" -V {shlex.quote(params.variants)} --for {params.seconds} {params.record_args}", bg=True)

    def finish(self):
        ended = self._record.wait(timeout=4 * self._params.seconds + 120)
        sent = not self._sending.finished
        for job in (self._record, self._sending):
            if not job.finished:
                job.kill(signal.SIGTERM)
                job.wait(timeout=30)
        for job, what in ((self._record, ended and self._record.passed), (self._sending, sent)):
            if not what:
                raise MeasurementError(f"{job.what} failed: {job.stderr}")

    def collect_results(self):
        host, archive = self._receiver.netns, f"{self._there}.tar"
        host.run(f"tar -C {self._there} -cf {archive} .", job_level=ResultLevel.DEBUG)
        os.makedirs(self._directory, exist_ok=True)
        here = f"{self._directory}.tar"
        host.copy_file_from_machine(archive, here)
        with tarfile.open(here) as tar:
            tar.extractall(self._directory, filter="data")
        os.remove(here)
        host.run(f"rm -rf {self._there} {archive}", job_level=ResultLevel.DEBUG)
        status, text, why = xdpzoom("report", self._directory, "-f", "json")
        if status not in (0, 3):
            raise MeasurementError(why)
        return [XdpzoomResults(self, self._directory, json.loads(text), self._started, time.time())]

    @classmethod
    def report_results(cls, recipe, results):
        for result in results:
            for variant in result.report["variants"]:
                failed = [check["check"] for check in variant["quality"] if check["verdict"] == "failed"]
                recipe.add_result(
                    ResultType.WARNING if failed else ResultType.PASS,
                    f"{variant['id']}: {variant['base_ns']:.1f} ns per packet" + "".join(f"; check {check} failed" for check in failed),
                    data=variant)

    @classmethod
    def aggregate_results(cls, first, second):
        return (first or []) + second


class XdpzoomEvaluator(BaseResultEvaluator):
    """Holds each run against another one in a file of xdpzoom history."""

    def __init__(self, history, against, threshold):
        self._history, self._against, self._threshold = history, against, threshold

    def evaluate_results(self, recipe, recipe_conf, results):
        for result in results:
            status, number, why = xdpzoom("history", "add", "--db", self._history, result.directory)
            if status == 0:
                status, text, why = xdpzoom("history", "check", "--db", self._history, number.strip(), "--against", self._against,
                                            "--threshold", str(self._threshold), "-f", "json")
            if status == 4:  # the first run of this machine
                recipe.add_result(ResultType.WARNING, why)
                continue
            if status not in (0, 3):
                recipe.add_result(ResultType.FAIL, why)
                continue
            for variant in json.loads(text)["variants"]:
                verdict = {"SLOWER": ResultType.FAIL, "same": ResultType.PASS, "faster": ResultType.PASS}
                recipe.add_result(verdict.get(variant["verdict"], ResultType.WARNING),
                                  f"{variant['id']}: {variant['verdict']} {variant['why']}".strip(), data=variant)


class XdpzoomRecipe(Recipe):
    """Two machines with a wire between them, label net1."""

    receiver = HostReq()
    receiver.nic = DeviceReq(label="net1")
    sender = HostReq()
    sender.nic = DeviceReq(label="net1")

    variants = StrParam(default="drop/no-touch@native,drop/no-touch@skb")
    seconds = IntParam(default=30)
    iterations = IntParam(default=1)
    record_args = StrParam(default="")
    # {nic} is the device that sends, and {mac} the address that it sends to.
    sender_command = StrParam(default="xdpzoom gen {nic} --dst-mac {mac}")
    runs = StrParam(default="xdpzoom-runs")
    history = StrParam(default="")
    against = StrParam(default="prev")
    threshold = FloatParam(default=0.0)

    def describe_perf_test_tweak(self, recipe_conf):
        self.add_result(ResultType.PASS, "\n".join(self.generate_perf_test_tweak_description(recipe_conf)))

    def test(self):
        receiver, sender = self.matched.receiver.nic, self.matched.sender.nic
        for nic in (receiver, sender):
            nic.up()
        measurement = XdpzoomMeasurement(receiver, sender, self.params, os.path.join(self.params.runs, time.strftime("%Y%m%dT%H%M%S")))
        conf = RecipeConf(measurements=[measurement], iterations=self.params.iterations)
        if self.params.history:
            conf.register_evaluators(measurement, [XdpzoomEvaluator(self.params.history, self.params.against, self.params.threshold)])
        self.perf_report_and_evaluate(self.perf_test(conf))
