"""Timing, verdicts and tables of the benchmarks; no test asserts how long anything takes."""

from benchmarks.harness.bounds import Verdict
from benchmarks.harness.report import geometric_mean, size, table
from benchmarks.harness.timing import Contender, Effort, Timing, measure


def test_rounds_interleave_and_take_turns():
    order = []
    contenders = [Contender(name, lambda name=name: order.append(name)) for name in "abc"]
    timings = measure(contenders, Effort(rounds=3, sample_ns=1, budget_ns=10**9))
    assert [len(t.samples) for t in timings.values()] == [3, 3, 3]
    assert "".join(order[-9:]) == "abcacbcab"    # the second round goes backwards


def test_a_slow_contender_gets_three_samples():
    contenders = [Contender("slow", lambda: sum(range(20_000))), Contender("fast", lambda: None)]
    timings = measure(contenders, Effort(rounds=9, sample_ns=1, budget_ns=100_000))
    assert len(timings["slow"].samples) == 3
    assert len(timings["fast"].samples) == 9


def test_quantiles():
    timing = Timing([5.0, 1.0, 3.0, 2.0, 4.0])
    assert timing.median == 3.0
    assert timing.spread == 2.0 / 3.0


def test_verdict_allows_for_noise_and_no_more():
    verdict = Verdict()
    verdict.at_least("good", 0.98, 1.0)
    verdict.at_most("good", 1.02, 1.0)
    verdict.at_least("absent", None, 1.0)
    assert verdict.missed == []
    verdict.at_least("slow", 0.9, 1.0)
    verdict.at_most("dear", 1.1, 1.0)
    assert verdict.missed == ["slow: 0.9, must be at least 1", "dear: 1.1, must be at most 1"]


def test_tables_and_numbers():
    assert table(["case", "x"], [["title"], ["a", "1.50"]]) == "case     x\n----  ----\n\ntitle\na     1.50"
    assert [size(n) for n in (16 << 10, 1 << 20, 65 << 19)] == ["16 KiB", "1 MiB", "32.5 MiB"]
    assert geometric_mean([2.0, 8.0, None]) == 4.0
    assert geometric_mean([]) is None
