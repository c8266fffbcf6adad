package turnstiletest

import (
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
)

// CrashTestResult says what a CrashTest did.
type CrashTestResult struct {
	// Runs of the scenario, all together.
	Runs int
	// Calls that its processes made in a run without a crash: to the store, the
	// queues and the timers. Skipped are crashes that WithMaxRuns left out.
	Calls, Skipped int
}

// CrashTest runs a scenario again and again: undisturbed, with every turn replayed
// from what is stored, with every message delivered twice, and then, for each
// call that leaves a process (a read, a commit, a message sent, a timer set),
// with a crash before the call took effect and one after it. The queue delivers
// again the messages that the process had received. The test fails at the first run
// whose outcome or history is another one, and says at which call the crash was.
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
// run is called for each run, with an environment of its own, and has to do the
// same each time: mocks, events and what it asserts belong in it. A mock answers
// an attempt that comes again as it did before, and counts it once; an
// implementation runs again, as it would in production. A crash takes no
// virtual time.
//
// CrashTest compares status, output, failure and custom status of every instance,
// and its histories, without the times at which events were recorded. If attempts wait for
// a permit of a turnstile.Limit or turnstile.Rate, a crash may change which attempt gets the next
// one, so the histories of that run are not compared. An AtMostOnce attempt that a crash
// interrupts fails: see [CompareOutcomes], which [WithRandomOrder] includes.
//
// What an activity waits in real time, by time.Sleep or for a service, it waits in each run. Let it
// wait in virtual time ([Sleep]). If all runs together will take longer than ten seconds, CrashTest
// logs how long, which go test -v shows at once. It fails if the test's deadline comes first.
//
// The run that failed is kept, all its histories in one file, which the console
// shows (Inspect): in the folder that the environment variable TURNSTILE_CRASH_TESTS
// names, otherwise among the artifacts of the test where go test keeps them
// (-artifacts), otherwise in turnstile-crash-tests in the folder for temporary files.
// The failure names the call. Payloads stand in it as far as the codecs open them ([WithCodecs]).
func CrashTest(t T, app *turnstile.App, run func(env *Env), options ...Option) CrashTestResult {
	t.Helper()
	if run == nil {
		t.Fatalf("turnstiletest: CrashTest: the scenario is nil: give it a function that starts what is to be run, and waits for it")
	}
	d := &crashTest{t: t, app: app, run: run, options: options, opts: defaults()}
	for _, o := range options {
		o.apply(&d.opts)
	}
	// A crash takes another way through the random numbers.
	d.opts.outcomeOnly = d.opts.outcomeOnly || d.opts.shuffled
	d.all()
	t.Logf("turnstiletest: CrashTest: %d runs, a crash before and after each of %d calls%s%s", d.done.Runs, d.done.Calls, d.skippedText(), d.waitedText())
	return d.done
}

// WithMaxRuns bounds the runs of a CrashTest; default 1000. With fewer than there are
// crashes to try, those are tried that are spread evenly over the calls.
func WithMaxRuns(n int) Option {
	return option(func(o *options) { o.maxRuns = n })
}

// CompareOutcomes lets a CrashTest compare how instances end, and not their histories:
// for scenarios in which a crash rightly changes the course of things, with an
// activity that runs AtMostOnce, or whose timeout races with another operation.
func CompareOutcomes() Option {
	return option(func(o *options) { o.outcomeOnly = true })
}

// crashTest is a CrashTest under way.
type crashTest struct {
	t       T
	app     *turnstile.App
	run     func(*Env)
	options []Option
	opts    options
	done    CrashTestResult
	// what is special about the run under way, and its environment.
	special string
	env     *Env
	// waited: in a run an attempt has waited for a permit.
	waited bool
	// took is how long the runs so far have taken in real time, longest the longest of them. told: the
	// test was told how long it will take.
	took, longest time.Duration
	told          bool
	// kept: it is written into a file.
	kept bool
}

// plainRuns are the runs without a crash.
const plainRuns = 4

func (d *crashTest) all() {
	d.t.Helper()
	undisturbed := d.one("undisturbed", nil)
	if d.done.Calls = d.env.boundary.calls; d.done.Calls == 0 {
		d.t.Fatalf("turnstiletest: CrashTest: the scenario does nothing: start an instance in it, and let it work with Wait or Run")
	}
	crashes := 2 * d.done.Calls
	tried := min(crashes, max(d.opts.maxRuns-plainRuns, 0))
	d.done.Skipped = crashes - tried
	d.compare(undisturbed, d.one("undisturbed once more: the scenario itself is not the same twice (what is random, or hangs on real time, belongs in a mock)", nil))
	d.compare(undisturbed, d.one("with every turn replayed from what is stored", func(e *Env) { e.opts.warm = false }))
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
			d.t.Fatalf("turnstiletest: CrashTest: run %d made fewer than %d calls, the first one %d: the scenario is not the same twice", d.done.Runs, call, d.done.Calls)
		}
		d.compare(undisturbed, s)
	}
}

// one runs the scenario once, and returns what came of it.
func (d *crashTest) one(special string, arrange func(*Env)) snapshot {
	d.t.Helper()
	d.checkTime()
	d.done.Runs++
	began := d.opts.now()
	defer func() {
		took := d.opts.now().Sub(began)
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
	e.again = nil // all is replayed at the end
	if arrange != nil {
		arrange(e)
	}
	d.run(e)
	// What is under way comes to rest, without time.
	e.drive("CrashTest", e.Now(), func() bool { return false })
	s := e.snapshot()
	for _, h := range s.histories {
		if problem := e.replays(h.instance, h.execution); problem != "" {
			t.Fatalf("what is stored does not replay: %s", problem)
		}
	}
	if d.failed() && !failedBefore || t.said != "" {
		d.t.Fatalf("turnstiletest: CrashTest: the test failed in run %d, %s%s", d.done.Runs, d.where(), d.keep(t.said))
	}
	finished = true
	return s
}

// longCrashTest is how long a CrashTest may take before it says so.
const longCrashTest = 10 * time.Second

// checkTime says how long the runs that are left will take if that is long, and fails the test
// when its deadline comes first, because go test then ends the process without a word about it.
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
		d.t.Logf("turnstiletest: CrashTest: run %d of %d took %s of real time%s; the %d runs that follow will take about %s", d.done.Runs, all, d.longest.Round(time.Millisecond), d.env.slowText(), left, will.Round(time.Second))
	}
	limited, ok := d.t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return
	}
	// Twice the longest run, so that the text comes out in time.
	if at, has := limited.Deadline(); has && d.opts.now().Add(2*d.longest).After(at) {
		d.t.Fatalf("turnstiletest: CrashTest: the test's deadline comes before run %d of %d; a run takes up to %s of real time%s: give go test more time (-timeout), or make fewer runs (WithMaxRuns)", d.done.Runs+1, all, d.longest.Round(time.Millisecond), d.env.slowText())
	}
}

// where says what is special about the run under way.
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

// compare fails the test if a run came to something else than the first.
func (d *crashTest) compare(undisturbed, s snapshot) {
	d.t.Helper()
	d.waited = d.waited || undisturbed.waited || s.waited
	difference := undisturbed.difference(&s, d.opts.outcomeOnly)
	if difference != "" {
		d.t.Fatalf("turnstiletest: CrashTest: run %d, %s, came to something else than the first run\n%s%s", d.done.Runs, d.where(), difference,
			d.keep("It came to something else than the first run, which is marked -:\n"+difference))
	}
}

func (d *crashTest) waitedText() string {
	if !d.waited || d.opts.outcomeOnly {
		return ""
	}
	return "; outcomes alone were compared where attempts waited for a permit of a Limit or Rate"
}

func (d *crashTest) skippedText() string {
	if d.done.Skipped == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of these crashes were left out by WithMaxRuns", d.done.Skipped)
}

// runT is the T of one run: what fails says which run it was.
type runT struct {
	T
	test    *crashTest
	cleanup []func()
	// said is what has failed in it so far.
	said string
}

// Cleanup calls f at the end of the run.
func (t *runT) Cleanup(f func()) { t.cleanup = append(t.cleanup, f) }

// Logf logs nothing: a thousand runs would say the same.
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
