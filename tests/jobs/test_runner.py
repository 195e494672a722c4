import itertools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from patience import within
from unordered import Workers

from eqlearn.jobs import runner
from eqlearn.jobs.job import (
    Job,
    Plan,
    Segment,
    Specification,
    Stage,
    Step,
    Together,
)
from eqlearn.jobs.runner import Event, Interrupts, run
from eqlearn.jobs.serial import Backend, EndedSegment, Serial
from eqlearn.jobs.store import Memory, Store

Take = Callable[[int, bytes | None], bool]


def count(data: object, specification: Specification, state: bytes | None) -> Step:
    """Append one letter a segment, up to the job's length."""
    state = (state or b"") + b"."
    return Step(state, len(state) >= specification["length"])


def broken(data: object, specification: Specification, state: bytes | None) -> Step:
    raise ValueError("it broke")


def jobs(name: str, *lengths: int) -> list[Job]:
    return [
        Job(f"{name}/{i}", count, {"length": n}, "data") for i, n in enumerate(lengths)
    ]


class Toy:
    """Stages of given jobs; notes what is taken."""

    def __init__(
        self,
        *stages: list[Job],
        is_over: Take = lambda index, state: False,
        before: Callable[[int], int] = lambda index: 0,
        share: float = 1.0,
        at_least: int = 0,
    ) -> None:
        self._stages, self._is_over = stages, is_over
        self._before, self._share, self._at_least = before, share, at_least
        self.taken: list[tuple[int, int, bytes | None]] = []

    def stages(self) -> Iterator[Stage]:
        for number, listed in enumerate(self._stages):

            def job(index: int, listed: list[Job] = listed) -> Job | None:
                return listed[index] if index < len(listed) else None

            def take(index: int, state: bytes | None, number: int = number) -> bool:
                self.taken.append((number, index, state))
                return self._is_over(index, state)

            yield Stage(job, take, self._before, self._share, self._at_least)


def states(plan: Toy) -> list[bytes | None]:
    return [state for _, _, state in plan.taken]


def test_results_are_taken_in_order_of_index_whoever_is_first() -> None:
    plan = Toy(jobs("a", 3, 1, 2), jobs("b", 1))
    backend = Workers(2)
    assert run([plan], backend, Memory()).reason == "finished"
    assert plan.taken == [(0, 0, b"..."), (0, 1, b"."), (0, 2, b".."), (1, 0, b".")]


def test_one_and_several_workers_take_the_same() -> None:
    plans = [Toy(jobs("a", 3, 1, 2, 5, 1), jobs("b", 2, 1)) for _ in range(3)]
    backends: list[Backend] = [Serial({"data": None}), Workers(2), Workers(7)]
    for plan, backend in zip(plans, backends, strict=True):
        run([plan], backend, Memory())
    assert plans[0].taken == plans[1].taken == plans[2].taken


def test_a_job_is_not_asked_for_before_what_it_depends_on() -> None:
    asked: list[tuple[int, int]] = []
    listed = jobs("a", *[1] * 6)

    class Dependent(Toy):
        def stages(self) -> Iterator[Stage]:
            def job(index: int) -> Job | None:
                asked.append((index, len(self.taken)))
                return listed[index] if index < len(listed) else None

            yield Stage(job, self.take, lambda index: max(0, index - 2))

        def take(self, index: int, state: bytes | None) -> bool:
            self.taken.append((0, index, state))
            return False

    run([Dependent()], Workers(4), Memory())
    assert {index for index, _ in asked} == set(range(7))
    assert all(n_taken >= index - 2 for index, n_taken in asked)


def test_what_a_stage_no_longer_wants_is_dropped() -> None:
    plan = Toy(jobs("a", 1, 9, 9, 9), jobs("b", 1), is_over=lambda index, state: True)
    backend = Workers(4, order=lambda jobs: jobs[0])
    run([plan], backend, Memory())
    assert plan.taken == [(0, 0, b"."), (1, 0, b".")]
    assert backend.dropped == ["a/1", "a/2", "a/3"]


def test_when_time_is_up_what_is_there_counts() -> None:
    plan = Toy(jobs("a", 1, 10**9, 10**9, 1), jobs("b", 1), at_least=1)
    backend = Workers(1, order=lambda jobs: jobs[0])
    ending = run([plan], backend, Memory(), time_limit=0.5)
    assert ending.reason == "time"
    assert plan.taken[0] == (0, 0, b".")
    assert plan.taken[1][:2] == (0, 1) and plan.taken[1][2]  # as far as it came
    # The others never ran. The next stage had one job that must run.
    assert plan.taken[2:] == [(1, 0, b".")]


def test_at_least_so_many_jobs_run_after_time_is_up() -> None:
    plan = Toy(jobs("a", 3, 3, 3, 3), at_least=2)
    ending = run([plan], Serial({"data": None}), Memory(), time_limit=1e-9)
    assert ending.reason == "time"
    assert plan.taken == [(0, 0, b"..."), (0, 1, b"...")]


def test_of_those_under_way_the_first_run_to_their_end() -> None:
    interrupts = Interrupts()

    def press(event: Event) -> None:
        interrupts.n = 1

    plan = Toy(jobs("a", 5, 5, 5, 5), at_least=2)
    run([plan], Workers(4), Memory(), interrupts=interrupts, callback=press)
    assert plan.taken[:2] == [(0, 0, b"....."), (0, 1, b".....")]
    assert states(plan)[2:] == [None, b"."]  # the last was first to end a segment


def test_a_share_of_the_time_is_left_for_later_stages() -> None:
    plan = Toy(jobs("a", 10**9), jobs("b", 10**9), share=0.5)
    ending = run([plan], Serial({"data": None}), Memory(), time_limit=2.4)
    assert ending.reason == "time"
    assert 1.2 <= ending.seconds < 2.4


def test_a_job_that_fails_is_listed_and_the_others_go_on() -> None:
    listed = [Job("bad", broken, {}, "data"), *jobs("a", 2)]
    plan, store = Toy(listed), Memory()
    run([plan], Serial({"data": None}), store)
    assert plan.taken == [(0, 0, None), (0, 1, b"..")]
    assert store.failures() == {listed[0].key: "ValueError: it broke"}


@pytest.fixture(params=["memory", "store"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory | Store]:
    if request.param == "memory":
        yield Memory()
        return
    with Store(tmp_path, {}) as opened:
        yield opened


def test_a_deadly_job_is_tried_three_times(store: Memory | Store) -> None:
    listed = jobs("a", 4, 4, 4, 4)
    plan, backend = Toy(listed), Workers(2, deadly=["a/1"])
    events: list[Event] = []
    run([plan], backend, store, callback=events.append)
    assert backend.started.count("a/1") == runner.MOST_TRIES
    assert store.failures() == {listed[1].key: "its worker process died"}
    # The neighbours lose time, but never their place.
    assert states(plan) == [b"....", None, b"....", b"...."]
    assert [e.status for e in events if e.job.name == "a/1"] == ["failed"]


def test_the_last_attempt_is_made_alone(store: Memory | Store) -> None:
    def deadly_first(listed: list[Job]) -> Job:
        return min(listed, key=lambda job: job.name != "a/1")

    plan, backend = Toy(jobs("a", 4, 4, 4)), Workers(3, deadly_first, ["a/1"])
    run([plan], backend, store)
    with_deadly = [together for together in backend.together if "a/1" in together]
    assert with_deadly == [{"a/0", "a/1", "a/2"}] * 2 + [{"a/1"}]
    assert states(plan) == [b"....", None, b"...."]


def test_a_death_now_and_then_is_forgotten(store: Memory | Store) -> None:
    seen = itertools.count()

    class Unlucky(Workers):
        def ended(self, timeout: float) -> list[EndedSegment]:
            if next(seen) % 3 or not self.waiting:
                return super().ended(timeout)
            job, _ = self.waiting.popitem()[1]
            return [EndedSegment(job, None, "its worker process died", 1)]

    plan = Toy(jobs("a", 6, 6, 6))
    run([plan], Unlucky(2), store)
    assert states(plan) == [b"......"] * 3
    assert store.failures() == {}


def test_deaths_are_counted_across_sessions(tmp_path: Path) -> None:
    (job,) = listed = jobs("a", 2)
    with Store(tmp_path, {}) as store:
        store.begin([job.key])
        store.fail(job.key, "its worker process died", 2, False)
    plan, backend = Toy(listed), Workers(2, deadly=["a/0"])
    with Store(tmp_path, {}) as store:
        run([plan], backend, store)
    assert backend.started == ["a/0"]
    assert plan.taken == [(0, 0, None)]


def test_what_a_store_has_is_not_computed_again(tmp_path: Path) -> None:
    first, again = (Toy(jobs("a", 2, 3), jobs("b", 1)) for _ in range(2))
    with Store(tmp_path, {}) as store:
        run([first], Serial({"data": None}), store)
    backend = Workers(1)
    with Store(tmp_path, {}) as store:
        run([again], backend, store)
    assert backend.started == []
    assert again.taken == first.taken


def interrupted_run(directory: Path, n_segments: int, plan: Plan) -> None:
    """Compute so many segments, then die."""

    class Mortal(Serial):
        def ended(self, timeout: float) -> list[EndedSegment]:
            if self.n_ended == n_segments:
                raise MemoryError
            self.n_ended += 1
            return super().ended(timeout)

        n_ended = 0

    with Store(directory, {}) as store, pytest.raises(MemoryError):
        run([plan], Mortal({"data": None}), store)


@pytest.mark.parametrize("n_segments", range(8))
def test_no_segment_is_lost_wherever_it_stops(tmp_path: Path, n_segments: int) -> None:
    listed = jobs("a", 3, 2), jobs("b", 2, 1)
    interrupted_run(tmp_path, n_segments, Toy(*listed))
    plan, backend = Toy(*listed), Workers(1)
    with Store(tmp_path, {}) as store:
        run([plan], backend, store)
    assert len(backend.started) == 8 - n_segments
    assert plan.taken == [(0, 0, b"..."), (0, 1, b".."), (1, 0, b".."), (1, 1, b".")]


def test_an_earlier_session_counts_even_if_its_time_is_up(tmp_path: Path) -> None:
    stages = jobs("a", 2, 10**9, 1), jobs("b", 3)
    with Store(tmp_path, {}) as store:
        first = Toy(*stages, share=0.5)
        run([first], Workers(2, lambda jobs: jobs[0]), store, time_limit=2.0)
    assert first.taken[0] == (0, 0, b"..") and first.taken[1][2]
    again, backend = Toy(*stages, share=0.5), Workers(2)
    with Store(tmp_path, {}) as store:
        ending = run([again], backend, store, time_limit=1e-9)
    assert ending.reason == "time"
    assert again.taken == first.taken
    assert backend.started == []


def test_a_finished_run_is_finished_whatever_the_time_limit(tmp_path: Path) -> None:
    for time_limit in (None, 1e-9):
        with Store(tmp_path, {}) as store:
            plan = Toy(jobs("a", 2, 3), jobs("b", 1))
            ending = run([plan], Serial({"data": None}), store, time_limit=time_limit)
        assert ending.reason == "finished"
        assert states(plan) == [b"..", b"...", b"."]


def test_plans_share_the_workers_evenly() -> None:
    plans = [Toy(jobs("a", *[1] * 20)), Toy(jobs("b", *[1] * 20))]
    backend = Workers(1, order=lambda jobs: jobs[0])
    run(plans, backend, Memory())
    for n in range(len(backend.started)):
        begun = [name[0] for name in backend.started[:n]]
        assert abs(begun.count("a") - begun.count("b")) <= 1


class Forked:
    """A stage, then plans side by side, then another stage."""

    def __init__(self, *plans: Toy) -> None:
        self.plans = plans
        self.ends = Toy(jobs("first", 2)), Toy(jobs("last", 1))

    def stages(self) -> Iterator[Stage | Together]:
        first, last = self.ends
        yield from first.stages()
        yield Together(self.plans)
        self.taken_before_last = [list(plan.taken) for plan in self.plans]
        yield from last.stages()


def forked() -> Forked:
    lengths = ((3, 1), (1,)), ((1,), (1, 2)), ()
    return Forked(
        *(
            Toy(*(jobs(f"{k}{i}", *some) for i, some in enumerate(stages)))
            for k, stages in enumerate(lengths)
        )
    )


@pytest.mark.parametrize("n_workers", [1, 2, 5])
def test_what_comes_after_plans_side_by_side_waits_for_the_last(n_workers: int) -> None:
    plan = forked()
    assert run([plan], Workers(n_workers), Memory()).reason == "finished"
    assert [states(toy) for toy in plan.plans] == [
        [b"...", b".", b"."],
        [b".", b".", b".."],
        [],
    ]
    assert plan.taken_before_last == [toy.taken for toy in plan.plans]
    assert states(plan.ends[1]) == [b"."]


def test_plans_side_by_side_share_the_workers_evenly() -> None:
    backend = Workers(1, lambda jobs: jobs[0])
    run([Forked(Toy(jobs("a", 1, 1)), Toy(jobs("b", 1, 1)))], backend, Memory())
    assert backend.started == ["first/0"] * 2 + ["a/0", "b/0", "a/1", "b/1", "last/0"]


def test_no_plans_side_by_side_are_over_at_once() -> None:
    plan = Forked()
    assert run([plan], Workers(2), Memory()).reason == "finished"
    assert states(plan.ends[1]) == [b"."]


def test_when_time_is_up_plans_side_by_side_end_with_what_is_there() -> None:
    endless = 10**9
    plan = Forked(Toy(jobs("a", 1, endless)), Toy(jobs("b", endless), jobs("c", 1)))
    backend = Workers(2, lambda jobs: jobs[0])
    assert run([plan], backend, Memory(), time_limit=1.0).reason == "time"
    (one, cut), (other,) = (states(toy) for toy in plan.plans)
    assert one == b"." and cut and other  # and nothing of c
    assert plan.taken_before_last == [toy.taken for toy in plan.plans]


def test_what_plans_side_by_side_left_counts_though_time_is_up(tmp_path: Path) -> None:
    whole = forked()
    with Store(tmp_path, {}) as store:
        run([whole], Workers(2), store)
    again, backend = forked(), Workers(2)
    with Store(tmp_path, {}) as store:
        assert run([again], backend, store, time_limit=1e-9).reason == "finished"
    assert [toy.taken for toy in again.plans] == [toy.taken for toy in whole.plans]
    assert not backend.started


def test_a_plan_with_branches_has_no_more_turns_than_another() -> None:
    backend = Workers(1, lambda jobs: jobs[0])
    many = Forked(*(Toy(jobs(name, 1, 1, 1)) for name in "abc"))
    run([many, Toy(jobs("other", *[1] * 12))], backend, Memory())
    n_others = [name.startswith("other/") for name in backend.started[:12]]
    assert sum(n_others) == 6


def test_a_branch_goes_ahead_of_its_results_only_if_nothing_else_is_to_do() -> None:
    backend = Workers(3, lambda jobs: jobs[-1])
    run([Forked(*(Toy(jobs(name, 1, 1)) for name in "abc"))], backend, Memory())
    assert {"a/0", "b/0", "c/0"} == backend.together[2]


@pytest.mark.parametrize("n_segments", range(11))
def test_plans_side_by_side_go_on_in_another_session(
    tmp_path: Path, n_segments: int
) -> None:
    whole, again, backend = forked(), forked(), Workers(1)
    run([whole], Workers(2), Memory())
    interrupted_run(tmp_path, n_segments, forked())
    with Store(tmp_path, {}) as store:
        run([again], backend, store)
    assert len(backend.started) == 12 - n_segments
    assert [toy.taken for toy in again.plans] == [toy.taken for toy in whole.plans]


def test_a_callback_sees_everything_that_is_running() -> None:
    events: list[Event] = []
    run([Toy(jobs("a", 2, 2))], Workers(2), Memory(), callback=events.append)
    seen = [(e.status, e.n_done, e.n_running, e.n_failed) for e in events]
    assert seen[0] == ("running", 0, 2, 0)
    assert seen[-1] == ("done", 2, 0, 0)
    assert all(n_done + n_running == 2 for _, n_done, n_running, _ in seen)


def test_one_interrupt_keeps_what_is_there() -> None:
    interrupts = Interrupts()
    plan = Toy(jobs("a", 1, 10**9), jobs("b", 1), at_least=1)

    def press(event: Event) -> None:
        if event.job.name == "a/1" and not interrupts.n:
            os.kill(os.getpid(), signal.SIGINT)

    with interrupts.listening():
        ending = run(
            [plan], Workers(2), Memory(), interrupts=interrupts, callback=press
        )
    assert ending.reason == "interrupt"
    assert plan.taken == [(0, 0, b"."), (0, 1, b"."), (1, 0, b".")]


def test_a_second_interrupt_stops_at_once() -> None:
    def press(data: object, specification: Specification, state: bytes | None) -> Step:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
        return Step(b"", True)

    segment: Segment = press
    plan = Toy([Job("a", segment, {}, "data")])
    before = signal.getsignal(signal.SIGINT)
    with (
        pytest.raises(KeyboardInterrupt),
        Interrupts().listening() as interrupts,
    ):
        run([plan], Serial({"data": None}), Memory(), interrupts=interrupts)
    assert plan.taken == []
    assert signal.getsignal(signal.SIGINT) == before


def test_other_threads_leave_the_signals_alone() -> None:
    before, seen = signal.getsignal(signal.SIGINT), []

    def listen() -> None:
        with Interrupts().listening():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert seen == [before]


def test_waiting_for_workers_does_not_hide_the_clock() -> None:
    class Slow(Workers):
        def ended(self, timeout: float) -> list[EndedSegment]:
            time.sleep(timeout)
            return []

    with within(2 * runner.WAIT_SECONDS, after=0.1 + runner.WAIT_SECONDS):
        ending = run([Toy(jobs("a", 1))], Slow(1), Memory(), time_limit=0.1)
    assert ending.reason == "time"
