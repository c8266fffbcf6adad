package turnstiletest

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
)

// CrashTestResult counts what a [CrashTest] did.
type CrashTestResult struct {
	// Runs is the number of runs of the scenario.
	Runs int
	// Calls is the number of calls to the store, the queues and the timers in a run without a
	// crash. Skipped is the number of crashes that [WithMaxRuns] left out.
	Calls, Skipped int
}

// CrashTest runs a scenario many times: without a crash, with every turn replayed from the store,
// with every message delivered twice, and then, for each call that leaves a process (a read, a
// commit, a message sent, a timer set), with a crash before the call takes effect and with a crash
// after it. After a crash the queue redelivers the messages that the process had received. The test
// fails at the first run whose outcome or history differs, and names the call at which the process
// crashed.
//
//	turnstiletest.CrashTest(t, app, func(env *turnstiletest.Env) {
//		turnstiletest.On(env, Charge).Return(Receipt{ID: "r-1"}, nil)
//		run := turnstiletest.Start(env, Fulfil, order)
//		env.After(time.Hour, func() { turnstiletest.Raise(env, Approved, run.Instance, Approval{By: "Grace"}) })
//		if _, err := run.Wait(); err != nil {
//			t.Error(err)
//		}
//	})
//
// run is called for each run with a new environment, and must do the same each time. Put mocks,
// events and assertions into it. A mock returns the same answer to a redelivered attempt, and
// counts it once; an implementation runs again, as it would in production. A crash takes no virtual
// time.
//
// CrashTest compares status, output, failure and states of every instance, and its
// histories, without the times at which events were recorded. If attempts wait for a permit of a
// turnstile.Limit or turnstile.Rate, a crash may change which attempt gets the next permit, so the
// histories of that run are not compared. An AtMostOnce attempt that a crash interrupts fails: see
// [CompareOutcomes], which [WithRandomOrder] includes.
//
// An activity that waits in real time, with time.Sleep or for a service, waits in each run. Make it
// wait in virtual time ([Sleep]). If all runs together will take longer than ten seconds, CrashTest
// logs an estimate, which go test -v shows immediately. It fails if the test's deadline is too
// close for another run.
//
// The histories of a failed run are kept in one file, which the console shows under Inspect. The
// file is in the folder that the environment variable TURNSTILE_CRASH_TESTS names; otherwise among
// the artifacts of the test if go test keeps them (-artifacts); otherwise in turnstile-crash-tests
// in the folder for temporary files. The failure names the call. Payloads are decoded as far as the
// codecs can ([WithCodecs]).
func CrashTest(t T, app *turnstile.App, run func(env *Env), options ...Option) CrashTestResult {
	t.Helper()
	if run == nil {
		t.Fatalf("turnstiletest: CrashTest: the scenario is nil: pass a function that starts an instance and waits for it")
	}
	d := &crashTest{t: t, app: app, run: run, options: options, opts: defaults()}
	for _, o := range options {
		o.apply(&d.opts)
	}
	// A crash changes which random numbers are drawn, and so the order.
	d.opts.outcomeOnly = d.opts.outcomeOnly || d.opts.shuffled
	d.all()
	t.Logf("turnstiletest: CrashTest: %d runs, a crash before and after each of %d calls%s%s", d.done.Runs, d.done.Calls, d.skippedText(), d.waitedText())
	return d.done
}

// WithMaxRuns limits the runs of a [CrashTest]; default 1000. If more crashes are possible, the
// test chooses crashes that are spread evenly over the calls.
func WithMaxRuns(n int) Option {
	return option(func(o *options) { o.maxRuns = n })
}

// CompareOutcomes makes a [CrashTest] compare only how instances end, not their histories. Use it
// for scenarios in which a crash may change what happens, such as those with an AtMostOnce
// activity, or with a timeout that races with another operation.
func CompareOutcomes() Option {
	return option(func(o *options) { o.outcomeOnly = true })
}

// crashTest is a running CrashTest.
type crashTest struct {
	t       T
	app     *turnstile.App
	run     func(*Env)
	options []Option
	opts    options
	done    CrashTestResult
	// special describes the current run, and env is its environment.
	special string
	env     *Env
	// waited is true if an attempt has waited for a permit in any run.
	waited bool
	// took is the real time of all runs so far, and longest the real time of the longest run. told
	// is true after the estimate was logged.
	took, longest time.Duration
	told          bool
	// kept is true after the current run was written to a file.
	kept bool
}

// plainRuns are the runs without a crash.
const plainRuns = 4

func (d *crashTest) all() {
	d.t.Helper()
	undisturbed := d.one("without a crash", nil)
	if d.done.Calls = d.env.boundary.calls; d.done.Calls == 0 {
		d.t.Fatalf("turnstiletest: CrashTest: the scenario makes no call: start an instance in it, and call Wait or Run")
	}
	crashes := 2 * d.done.Calls
	tried := min(crashes, max(d.opts.maxRuns-plainRuns, 0))
	d.done.Skipped = crashes - tried
	d.compare(undisturbed, d.one("without a crash, a second time (if it differs, the scenario itself is not deterministic: mock what returns random values or depends on real time)", nil))
	d.compare(undisturbed, d.one("with every turn replayed from the store", func(e *Env) { e.opts.warm = false }))
	d.compare(undisturbed, d.one("with every message delivered twice", func(e *Env) { e.opts.twice = true }))
	for i := range tried {
		n := i * crashes / tried
		call, behind := n/2+1, n%2 == 1
		where := "before"
		if behind {
			where = "after"
		}
		s := d.one(fmt.Sprintf("with a crash %s call %d of %d", where, call, d.done.Calls), func(e *Env) {
			e.boundary.killAt, e.boundary.after = call, behind
		})
		if d.env.boundary.killed == "" {
			d.t.Fatalf("turnstiletest: CrashTest: run %d made fewer than %d calls, but the first run made %d: the scenario differs between runs", d.done.Runs, call, d.done.Calls)
		}
		d.compare(undisturbed, s)
	}
}

// one runs the scenario once, and returns its outcome.
func (d *crashTest) one(special string, arrange func(*Env)) snapshot {
	d.t.Helper()
	d.checkTime()
	d.done.Runs++
	startedAt := d.opts.now()
	defer func() {
		took := d.opts.now().Sub(startedAt)
		d.took, d.longest = d.took+took, max(d.longest, took)
	}()
	d.special, d.env, d.kept = special, nil, false
	failedBefore := d.failed()
	t := &runT{T: d.t, test: d}
	finished := false
	defer func() {
		kept := ""
		if !finished {
			kept = d.keep(t.said)
		}
		for i := len(t.cleanup) - 1; i >= 0; i-- {
			t.cleanup[i]()
		}
		if !finished {
			d.t.Logf("turnstiletest: CrashTest: that was run %d, %s%s", d.done.Runs, d.where(), kept)
		}
	}()
	e := newEnv(t, d.app, d.options...)
	t.Cleanup(e.close)
	d.env = e
	e.opts.warm = true
	e.again = nil // All executions are replayed at the end.
	if arrange != nil {
		arrange(e)
	}
	d.run(e)
	// Finish pending work without letting time pass.
	e.drive("CrashTest", e.Now(), func() bool { return false })
	s := e.snapshot()
	for _, h := range s.histories {
		if problem := e.replays(h.instance, h.execution); problem != "" {
			t.Fatalf("the stored history does not replay: %s", problem)
		}
	}
	if d.failed() && !failedBefore || t.said != "" {
		d.t.Fatalf("turnstiletest: CrashTest: the test failed in run %d, %s%s", d.done.Runs, d.where(), d.keep(t.said))
	}
	finished = true
	return s
}

// longCrashTest is the duration from which a CrashTest logs an estimate.
const longCrashTest = 10 * time.Second

// checkTime logs an estimate if the remaining runs will take long. It fails the test before the
// test's deadline is reached, because go test then ends the process without an explanation.
func (d *crashTest) checkTime() {
	d.t.Helper()
	if d.done.Runs == 0 {
		return
	}
	all := plainRuns + 2*d.done.Calls - d.done.Skipped
	left := all - d.done.Runs
	will := d.took / time.Duration(d.done.Runs) * time.Duration(left)
	if !d.told && d.took+will > longCrashTest {
		d.told = true
		d.t.Logf("turnstiletest: CrashTest: run %d of %d took %s of real time%s; the remaining %d runs will take about %s", d.done.Runs, all, d.longest.Round(time.Millisecond), d.env.slowText(), left, will.Round(time.Second))
	}
	limited, ok := d.t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return
	}
	// Leave twice the time of the longest run, so that there is time to print the message.
	if at, has := limited.Deadline(); has && d.opts.now().Add(2*d.longest).After(at) {
		d.t.Fatalf("turnstiletest: CrashTest: the test's deadline leaves no time for run %d of %d; a run takes up to %s of real time%s: give go test more time (-timeout), or make fewer runs (WithMaxRuns)", d.done.Runs+1, all, d.longest.Round(time.Millisecond), d.env.slowText())
	}
}

// where describes the current run.
func (d *crashTest) where() string {
	if d.env != nil && d.env.boundary.killed != "" {
		return d.special + " (" + d.env.boundary.killed + ")"
	}
	return d.special
}

func (d *crashTest) failed() bool {
	t, ok := d.t.(interface{ Failed() bool })
	return ok && t.Failed()
}

// compare fails the test if the outcome of a run differs from that of the first.
func (d *crashTest) compare(undisturbed, s snapshot) {
	d.t.Helper()
	d.waited = d.waited || undisturbed.waited || s.waited
	difference := undisturbed.difference(&s, d.opts.outcomeOnly)
	if difference != "" {
		d.t.Fatalf("turnstiletest: CrashTest: run %d, %s, differs from the first run\n%s%s", d.done.Runs, d.where(), difference,
			d.keep("It differs from the first run, which is marked -:\n"+difference))
	}
}

func (d *crashTest) waitedText() string {
	if !d.waited || d.opts.outcomeOnly {
		return ""
	}
	return "; only outcomes were compared in runs where attempts waited for a permit of a Limit or Rate"
}

func (d *crashTest) skippedText() string {
	if d.done.Skipped == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of these crashes were left out by WithMaxRuns", d.done.Skipped)
}

// runT is the T of one run. Its failures name the run.
type runT struct {
	T
	test    *crashTest
	cleanup []func()
	// said has the failures of the run so far.
	said string
}

// Cleanup calls f at the end of the run.
func (t *runT) Cleanup(f func()) { t.cleanup = append(t.cleanup, f) }

// Logf logs nothing, because up to a thousand runs would log the same.
func (t *runT) Logf(string, ...any) {}

// Errorf fails the test.
func (t *runT) Errorf(format string, args ...any) {
	t.T.Helper()
	t.T.Errorf("%s", t.text(format, args))
}

// Fatalf fails the test and ends it.
func (t *runT) Fatalf(format string, args ...any) {
	t.T.Helper()
	text := t.text(format, args)
	t.T.Fatalf("%s%s", text, t.test.keep(t.said))
}

func (t *runT) text(format string, args []any) string {
	text := strings.TrimPrefix(fmt.Sprintf(format, args...), "turnstiletest: ")
	t.said += text + "\n"
	return fmt.Sprintf("turnstiletest: CrashTest: run %d, %s: %s", t.test.done.Runs, t.test.where(), text)
}
