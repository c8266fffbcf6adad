package livetrace_test

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/livetrace"
	"github.com/turnstile-go/turnstile/internal/screen"
	"github.com/turnstile-go/turnstile/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var epoch = time.Date(2030, 1, 1, 9, 0, 0, 0, time.UTC)

var (
	work   = turnstile.NewActivity[string, string]("Work")
	main   = turnstile.NewOrchestration[string, string]("Main")
	child  = turnstile.NewOrchestration[int, int]("Child")
	panics = turnstile.NewOrchestration[string, string]("Panics")
	open   = turnstile.NewEvent[string]("open")
)

// application has a bit of everything; what panics does so until it is mended.
func application(mended *atomic.Bool) *turnstile.App {
	return turnstile.NewApp(
		work.Implement(func(_ context.Context, in string) (string, error) {
			if in == "fail" {
				return "", turnstile.NonRetryable(errors.New("no such thing"))
			}
			return "done " + in, nil
		}),
		main.Implement(func(ctx turnstile.Context, in string) (string, error) {
			turnstile.Logger(ctx).Info("begun", "input", in, "words", "two words", slog.Group("g", "n", 1))
			out, err := work.Call(ctx, in)
			if err != nil {
				return "", err
			}
			if _, err := child.With(turnstile.InstanceID("the-child")).Call(ctx, 0); err != nil {
				return "", err
			}
			return out, nil
		}),
		child.Implement(func(ctx turnstile.Context, n int) (int, error) {
			if err := turnstile.Sleep(ctx.WithLabel("rest"), 90*time.Second); err != nil || n == 1 {
				return n, err
			}
			return 0, child.ContinueAsNew(ctx, n+1)
		}),
		panics.Implement(func(ctx turnstile.Context, in string) (string, error) {
			if !mended.Load() {
				panic("it is broken")
			}
			return open.Wait(ctx)
		}),
	)
}

// begin runs the application and shows it, until the test ends.
func begin(t *testing.T, options ...livetrace.Option) (*embedded.Runtime, *screen.Screen, *atomic.Bool) {
	t.Helper()
	out, mended := screen.New(), new(atomic.Bool)
	trace := livetrace.New(out, append([]livetrace.Option{livetrace.WithStart(epoch)}, options...)...)
	env, err := embedded.New(application(mended), embedded.WithVirtualTime(epoch), embedded.WithObserver(trace), embedded.WithLogger(slog.New(trace.LogHandler(slog.LevelInfo))),
		embedded.OnDeadLetter(func(m host.DeadLetter) { trace.DeadLetter(m.Body, m.Reason) }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- env.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return env, out, mended
}

func send(t *testing.T, env *embedded.Runtime, item string) {
	t.Helper()
	if err := env.Send(t.Context(), item); err != nil {
		t.Fatal(err)
	}
}

const (
	start  = `{"v":1,"kind":"StartOrchestration","instance":"i","name":"Main","id":"1","input":"hard"}`
	fail   = `{"v":1,"kind":"StartOrchestration","instance":"i","name":"Main","id":"1","input":"fail"}`
	broken = `{"v":1,"kind":"StartOrchestration","instance":"b","name":"Panics","id":"1","input":"x"}`
	wake   = `{"v":1,"kind":"Wake","instance":"b","id":"w"}`
)

func TestEachTurnIsShownAsItIsCommitted(t *testing.T) {
	t.Parallel()
	env, out, _ := begin(t)
	send(t, env, start)
	out.WaitFor(t,
		"\n   +0.00s  i  turn 1\n      1 OrchestrationStarted        Main \"hard\"\n      2 ActivityScheduled           Work \"hard\"\n        → activity      Work (event 2)\n",
		"\n           i  begun input=hard words=\"two words\" g.n=1\n",
		"\n   +0.00s  i  turn 2\n      3 ActivityCompleted           ← 2 \"done hard\"\n      4 SubOrchestrationScheduled   Child as the-child 0\n        → child         the-child (event 4)\n",
		"  the-child  turn 1\n      1 OrchestrationStarted        Child 0\n      2 TimerCreated                rest, 1m30s\n        → timer         (event 2) due in 1m30s\n",
		"      4 OrchestrationContinuedAsNew 1\n",
		"  the-child  turn 3 · execution 2\n      1 OrchestrationStarted        Child 1\n",
		"\n +180.00s  i  turn 3\n      5 SubOrchestrationCompleted   ← 4 1\n      6 OrchestrationCompleted      \"done hard\"\n",
	)
	if shown := out.String(); strings.Contains(shown, "\x1b") || strings.Contains(shown, " \n") {
		t.Errorf("where no terminal is there are colours, or lines that end in spaces:\n%q", shown)
	}
}

func TestAFailureIsShownWithItsReason(t *testing.T) {
	t.Parallel()
	env, out, _ := begin(t)
	send(t, env, fail)
	out.WaitFor(t, "ActivityFailed              ← 2 application: no such thing", "OrchestrationFailed         application: ")
}

func TestAnInstanceThatIsStuckSaysWhyAndThatItContinues(t *testing.T) {
	t.Parallel()
	env, out, mended := begin(t)
	send(t, env, broken)
	out.WaitFor(t, "  b  stuck: panic", "it is broken", "trace_test.go", "Nothing is lost.", "otherwise it retries in 1m00s.")
	if n := strings.Count(out.String(), "it is broken"); n != 1 {
		t.Errorf("it says %d times why:\n%s", n, out)
	}
	out.WaitFor(t, "  b  stuck: panic, at event 1, try 3, as before\n")
	mended.Store(true)
	send(t, env, wake)
	out.WaitFor(t, "  b  continues\n", "ExternalSubscribed          open")
}

// A nondeterminism is a diff, and whole: what differs may stand at its end.
func TestANondeterminismIsADiff(t *testing.T) {
	t.Parallel()
	out := screen.New()
	trace := livetrace.New(out, livetrace.WithStart(epoch), livetrace.WithWidth(80))
	trace.ProblemChanged(host.ProblemChange{Instance: "i", At: epoch, Problem: &store.Problem{Kind: "nondeterminism", EventID: 2, Message: "long",
		Diff: &store.ProblemDiff{Have: `ActivityScheduled("Charge")`, Did: `started ActivityScheduled("Pay", input "` + strings.Repeat("0123456789", 8) + `")`, At: "fulfil.go:49"}}})
	want := "\n   +0.00s  i  stuck: nondeterminism, at event 2\n        - history has ActivityScheduled(\"Charge\")\n        + the code started ActivityScheduled(\"Pay\", input \"012345678901234567890\n          12345678901234567890123456789012345678901234567890123456789\")\n          at fulfil.go:49\n"
	if got := out.String(); !strings.HasPrefix(got, want) || strings.Contains(got, "long") {
		t.Errorf("it shows\n%s\nwant\n%s", got, want)
	}
}

func TestWhatIsNotTakenIsShown(t *testing.T) {
	t.Parallel()
	env, out, _ := begin(t)
	send(t, env, "nonsense")
	out.WaitFor(t, "\ndead letter  nonsense\n        malformed")
}

func TestColoursChangeNothingElse(t *testing.T) {
	t.Parallel()
	plain, coloured := screen.New(), screen.New()
	for _, trace := range []*livetrace.Trace{livetrace.New(plain, livetrace.WithStart(epoch)), livetrace.New(coloured, livetrace.WithStart(epoch), livetrace.WithColours(true))} {
		showAll(trace)
	}
	if !strings.Contains(coloured.String(), "\x1b[36mOrchestrationStarted") {
		t.Errorf("nothing is coloured:\n%q", coloured)
	}
	if bare := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(coloured.String(), ""); bare != plain.String() {
		t.Errorf("without its colours it is\n%s\nnot\n%s", bare, plain)
	}
}

func TestNoLineOfABlockIsWiderThanTheTerminal(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1, 40, 60, 75, 76, 80, 200} {
		out := screen.New()
		showAll(livetrace.New(out, livetrace.WithStart(epoch), livetrace.WithWidth(width)))
		for line := range strings.Lines(out.String()) {
			if strings.Contains(line, "s  order-1") {
				continue // The head of a block is whole: ids are there to be copied.
			}
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > max(width, 40) {
				t.Errorf("%d columns in a terminal of %d: %q", n, width, line)
			}
		}
		for _, want := range []string{"OrchestrationStarted", "TimerCreated", "nondeterminism", "→ timer"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("in %d columns it lacks %q:\n%s", width, want, out)
			}
		}
	}
}

func TestHostileTextsAreOneLineAndCannotControlTheTerminal(t *testing.T) {
	t.Parallel()
	const evil = "a\x1b[31m\r\n\u202eb\u0007"
	out := screen.New()
	trace := livetrace.New(out, livetrace.WithColours(false))
	trace.Committed(host.Committed{
		Turns: []store.Turn{{Instance: evil, ExecutionID: 1, Events: []history.Event{
			{EventID: 1, Kind: history.OrchestrationStarted, Name: evil, Version: evil, Payload: []byte(evil)},
			{EventID: 2, Kind: history.ActivityFailed, SourceEventID: 1, Failure: &history.Failure{Kind: evil, Message: evil}},
			{EventID: 3, Kind: history.OrchestrationCancelRequested, Reason: evil},
		}}},
		Actions: []host.Action{{Kind: "child", Name: evil}},
	})
	trace.ProblemChanged(host.ProblemChange{Instance: evil, Problem: &store.Problem{Kind: evil, Message: evil, Stack: evil}})
	trace.ProblemChanged(host.ProblemChange{Instance: evil, Problem: &store.Problem{Kind: evil, Diff: &store.ProblemDiff{Have: evil, Did: evil, At: evil}}})
	trace.Say(epoch, evil, evil)
	trace.DeadLetter(evil, evil)
	slog.New(trace.LogHandler(slog.LevelInfo)).With("instance", evil).Error(evil, evil, evil)
	if shown := out.String(); strings.ContainsAny(shown, "\x1b\r\u202e\u0007") {
		t.Errorf("it shows %q", shown)
	}
}

func TestLogLinesFromTheirLevelOn(t *testing.T) {
	t.Parallel()
	out := screen.New()
	trace := livetrace.New(out, livetrace.WithTimes(func(time.Time) string { return "now" }))
	logger := slog.New(trace.LogHandler(slog.LevelWarn)).WithGroup("outer").With("a", 1)
	logger.Info("not this")
	logger.Warn("but this", "b", "")
	logger.Error("and this")
	if got, want := out.String(), "\n     warning: but this outer.a=1 outer.b=\"\"\n\n     error: and this outer.a=1\n"; got != want {
		t.Errorf("it shows %q, want %q", got, want)
	}
}

func TestTimesOfAllLengths(t *testing.T) {
	t.Parallel()
	out := screen.New()
	trace := livetrace.New(out, livetrace.WithStart(epoch))
	for _, d := range []time.Duration{-time.Second, 1500 * time.Millisecond, 59 * time.Minute, 25 * time.Hour, 400 * 24 * time.Hour} {
		trace.Say(epoch.Add(d), "", "said")
	}
	if got, want := out.String(), "\n   +0.00s  said\n\n   +1.50s  said\n\n+3540.00s  said\n\n   +1d01h  said\n\n +400d00h  said\n"; got != want {
		t.Errorf("it shows %q, want %q", got, want)
	}
	clock := screen.New()
	livetrace.New(clock).Say(time.Date(2030, 1, 1, 9, 5, 0, 0, time.Local), "i", "said")
	if got, want := clock.String(), "\n09:05:00.000  i  said\n"; got != want {
		t.Errorf("it shows %q, want %q", got, want)
	}
}

// An instance that began before the trace looked has no number of turns, and
// one that has ended is forgotten.
func TestTurnsAreNumberedFromTheStart(t *testing.T) {
	t.Parallel()
	out := screen.New()
	trace := livetrace.New(out, livetrace.WithStart(epoch))
	turn := func(event int64, kind history.Kind) {
		trace.Committed(host.Committed{Turns: []store.Turn{{Instance: "i", ExecutionID: 1, Events: []history.Event{{EventID: event, Kind: kind, AtMS: epoch.UnixMilli()}}}}})
	}
	turn(5, history.TimerFired)
	turn(1, history.OrchestrationStarted)
	turn(2, history.OrchestrationCompleted)
	turn(1, history.OrchestrationStarted)
	var heads []string
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "  i") {
			heads = append(heads, strings.TrimSpace(line))
		}
	}
	if got, want := strings.Join(heads, ", "), "+0.00s  i, +0.00s  i  turn 1, +0.00s  i  turn 2, +0.00s  i  turn 1"; got != want {
		t.Errorf("the heads are %q, want %q", got, want)
	}
}

// showAll shows something of everything, with texts that are too long.
func showAll(trace *livetrace.Trace) {
	long := strings.Repeat("long ", 60)
	trace.Committed(host.Committed{
		Turns: []store.Turn{{Instance: "order-1", ExecutionID: 2, Parked: true, Events: []history.Event{
			{EventID: 1, Kind: history.OrchestrationStarted, Name: "Fulfil", Version: "2", Payload: []byte(`"` + long + `"`), AtMS: epoch.UnixMilli()},
			{EventID: 2, Kind: history.TimerCreated, Label: "grace period", DurationMS: 1000},
			{EventID: 3, Kind: history.OrchestrationContinuedAsNew, Payload: []byte(long)},
			{EventID: 4, Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: "application", Message: long}},
			{EventID: 5, Kind: history.OrchestrationCompleted, Forced: "terminated"},
		}}},
		Actions: []host.Action{{Kind: "timer", EventID: 2, Due: epoch.Add(time.Second)}, {Kind: "child", Name: long}},
	})
	trace.ProblemChanged(host.ProblemChange{Instance: "order-1", At: epoch, Problem: &store.Problem{Kind: "nondeterminism", EventID: 3, Tries: 2, Message: long, Stack: strings.Repeat("\tat "+long+"\n", 20)}})
	trace.ProblemChanged(host.ProblemChange{Instance: "order-1", At: epoch, Problem: &store.Problem{Kind: "corrupt", Message: long}})
	trace.ProblemChanged(host.ProblemChange{Instance: "order-1", At: epoch})
	trace.ProblemChanged(host.ProblemChange{Instance: "order-1", At: epoch, Problem: &store.Problem{Kind: "nondeterminism", Message: "parted", Diff: &store.ProblemDiff{Have: long, Did: long, At: long}}})
	trace.DeadLetter(long, long)
}

func TestHowItEnded(t *testing.T) {
	t.Parallel()
	out := screen.New()
	trace := livetrace.New(out)
	ended := epoch.Add(90 * time.Second)
	for _, d := range []client.Description{
		{Instance: "a", Status: client.StatusCompleted, CreatedAt: epoch, EndedAt: ended, Output: []byte(`{"n":1}`)},
		{Instance: "b", Status: client.StatusFailed, CreatedAt: epoch, EndedAt: ended, Failure: &history.Failure{Message: "no"}},
		{Instance: "c", Status: client.StatusStuck, CreatedAt: epoch, UpdatedAt: ended, Problem: &store.Problem{Kind: "panic", Message: "oh"}},
		{Instance: "d", Status: client.StatusRunning, CreatedAt: epoch, UpdatedAt: epoch.Add(time.Second)},
	} {
		trace.Outcome(d)
	}
	if got, want := out.String(), "\na completed in 1m30s\n  {\n    \"n\": 1\n  }\n\nb failed in 1m30s\n  no\n\nc stuck for 1m30s\n  panic: oh\n\nd running for 1s\n"; got != want {
		t.Errorf("it shows %q, want %q", got, want)
	}
}
