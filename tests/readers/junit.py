"""Prints what junitparser reads in test reports, as JSON: for each file its counts and its cases."""

import json
import sys

from junitparser import Error, Failure, JUnitXml, Skipped

KINDS = {Error: "error", Failure: "failure", Skipped: "skipped"}


def case_of(case):
    results = [(KINDS[type(result)], result.message) for result in case.result]
    return {
        "name": case.name,
        "classname": case.classname,
        "results": results,
        "output": case.system_out,
    }


def report_of(path):
    report = JUnitXml.fromfile(path)
    stated = [report.tests, report.failures, report.errors, report.skipped]
    suites = []
    for suite in report:
        written = [suite.tests, suite.failures, suite.errors, suite.skipped]
        cases = [case_of(case) for case in suite]
        suite.update_statistics()
        counted = [suite.tests, suite.failures, suite.errors, suite.skipped]
        suites.append({"name": suite.name, "written": written, "counted": counted, "cases": cases})
    return {"stated": stated, "suites": suites}


print(json.dumps([report_of(path) for path in sys.argv[1:]]))
