package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

func TestW02TheOutcomeOfACommitIsUnknown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		landed bool
		times  int
	}{
		{"it landed, one answer is lost", true, 1},
		{"it landed, all answers are lost", true, 3},
		{"it did not land at first", false, 1},
		{"it never landed", false, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Chain", chain(1))
			w.activityFunc("Step", step)
			n := 0
			var tokens []string
			if c.landed {
				w.afterCommit = func(commit *store.Commit, err error) error {
					tokens = append(tokens, commit.Turns[0].Token)
					if n++; n <= c.times {
						return store.ErrUnknownOutcome
					}
					return err
				}
			} else {
				w.beforeCommit = func(commit *store.Commit) error {
					tokens = append(tokens, commit.Turns[0].Token)
					if n++; n <= c.times {
						return store.ErrUnknownOutcome
					}
					return nil
				}
			}
			w.start("a", "Chain", "1")
			w.run()
			w.expectOutput("a", "11")
			w.expectHistory("a", 1, "Started Act(Step) Done←2 Completed")
			w.expectQuiet()
			if c.times == 1 && tokens[0] != tokens[1] {
				t.Error("the repeat was not the identical append")
			}
		})
	}
}

// W-02: DynamoDB refuses a repeat that is not identical byte for byte, and a codec encrypts the
// same payload differently each time.
func TestW02ARepeatedCommitIsEncodedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.codecs = everyCodec(t) })
	w.orchestration("Chain", chain(1))
	w.activityFunc("Step", step)
	var made []string
	w.beforeCommit = func(commit *store.Commit) error {
		made = append(made, fmt.Sprintf("%s %q", commit.Turns[0].Token, commit.Turns[0].Events[0].Payload))
		if len(made) == 1 {
			return store.ErrUnknownOutcome
		}
		return nil
	}
	w.start("a", "Chain", "1")
	w.settleFIFO()
	if len(made) != 2 || made[0] != made[1] {
		t.Errorf("the commits are %q, want one that is made twice", made)
	}
}

// a throttled commit has had no effect. Repeating it at once saves inline activities from
// running again.
func TestA14ACommitThatIsThrottledIsRepeatedWhileThereIsTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		inline bool
		// throttled is the number of throttled commits, starting with the commit of the result.
		throttled int
		runs      int // of the activity
		back      int // the number of times that the message is returned to the queue
	}{
		{"once", true, 1, 1, 0},
		{"for half a minute", true, 10, 1, 0},
		{"for longer than an invocation", true, 28, 2, 1},
		{"nothing has run that would run again: three attempts", false, 3, 0, 1},
		{"nothing has run that would run again: two attempts", false, 2, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			runs, tries := 0, 0
			w.inline = []activities.Activity{{Name: "In", Func: func(_ context.Context, in []byte) ([]byte, error) {
				runs++
				return in, nil
			}}}
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				if !c.inline {
					return in, nil
				}
				return ctx.Await(ctx.Activity(engine.ActivityCall{Name: "In", Input: in, Inline: true}))
			})
			tokens := map[string]bool{}
			w.beforeCommit = func(commit *store.Commit) error {
				if c.inline && !slices.ContainsFunc(commit.Turns[0].Events, func(e history.Event) bool { return e.Kind == history.ActivityCompleted }) {
					return nil
				}
				tokens[commit.Turns[0].Token] = true
				if tries++; tries <= c.throttled {
					return fmt.Errorf("throttled: %w", store.ErrUnavailable)
				}
				return nil
			}
			w.start("a", "Main", "1")
			w.run()
			w.expectOutput("a", "1")
			if runs != c.runs {
				t.Errorf("the inline activity ran %d times, want %d", runs, c.runs)
			}
			w.expectCount(host.CountReturned, "store unavailable", c.back)
			if c.back == 0 && c.inline && len(tokens) != 1 {
				t.Errorf("%d appends, want one that is repeated as it is", len(tokens))
			}
			w.expectQuiet()
		})
	}
}

func TestW13AWriteThatLandsLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits("e", "e"))
	w.start("a", "Main", "1")
	w.settleFIFO()
	// The first append times out, and lands only after the same writer has tried another turn.
	var late *store.Commit
	n := 0
	w.beforeCommit = func(c *store.Commit) error {
		switch n++; {
		case n <= 3:
			copied := *c
			late = &copied
			return store.ErrUnknownOutcome
		case n == 4:
			if err := w.store.Commit(t.Context(), *late); err != nil {
				t.Fatal(err)
			}
		}
		return nil
	}
	w.raise("a", "e", "1", "e-1")
	w.settleFIFO()
	w.expectHistory("a", 1, "Started Sub(e)")
	w.raise("a", "e", "2", "e-2")
	w.run()
	w.expectHistory("a", 1, "Started Sub(e) Ev(e) Sub(e) Ev(e) Completed")
	w.expectOutput("a", "[1,2]")
	w.expectInvariants("a")
}

func TestL04ATurnWhoseTotalSizeIsTooLarge(t *testing.T) {
	t.Parallel()
	big := `"` + strings.Repeat("x", 200<<10) + `"`
	t.Run("the instance fails, its neighbours go on", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, nil)
		w.orchestration("Greedy", func(ctx *engine.Context, in []byte) ([]byte, error) {
			if _, err := ctx.Await(ctx.ExternalEvent("go")); err != nil {
				return nil, err
			}
			var fs []*engine.Future
			for range 30 {
				fs = append(fs, ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte(big)}))
			}
			_, err := ctx.Join(fs...)
			return nil, err
		})
		w.orchestration("Good", waits("e"))
		w.start("greedy", "Greedy", "1")
		w.settleFIFO()
		w.start("good", "Good", "1")
		w.raise("greedy", "go", "1", "g")
		w.raise("good", "e", "1", "e")
		w.run()
		w.expectOutput("good", "[1]")
		w.expectHistory("greedy", 1, "Started Sub(go) Failed(too_large)")
		if f := w.record("greedy").Failure; f == nil || !strings.Contains(f.Message, "pass a reference") {
			t.Errorf("failure %+v", f)
		}
		w.expectQuiet()
		w.expectDead()
	})
}

func TestAnInputTooLargeForAMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, input, kind string }{
		{"not JSON", "{", "invalid_input"},
		{"over the limit", `"` + strings.Repeat("x", 300<<10) + `"`, "too_large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.orchestration("Other", waits())
			w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
				out, err := ctx.Settle(ctx.Activity(engine.ActivityCall{Name: "Step", Input: []byte(c.input)}),
					ctx.Child(engine.ChildCall{Name: "Other", Input: []byte(c.input)}))
				if err != nil {
					return nil, err
				}
				var kinds []string
				for _, o := range out {
					var f *engine.FailureError
					if errors.As(o.Err, &f) {
						kinds = append(kinds, f.Failure.Kind)
					}
				}
				return []byte(`"` + strings.Join(kinds, " ") + `"`), nil
			})
			w.start("a", "Main", "1")
			w.run()
			w.expectOutput("a", fmt.Sprintf("%q", c.kind+" "+c.kind))
			w.expectQuiet()
			w.expectDead()
		})
	}
}

func TestAnOutputTooLargeForAMessageFailsTheChildForItsParent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Other", func(ctx *engine.Context, in []byte) ([]byte, error) {
		return []byte(`"` + strings.Repeat("x", 300<<10) + `"`), nil
	})
	w.orchestration("Main", func(ctx *engine.Context, in []byte) ([]byte, error) {
		_, err := ctx.Await(ctx.Child(engine.ChildCall{Name: "Other", Input: in}))
		var f *engine.FailureError
		errors.As(err, &f)
		return []byte(`"` + f.Failure.Kind + `"`), nil
	})
	w.start("a", "Main", "1")
	w.run()
	w.expectOutput("a", `"too_large"`)
	w.expectDead()
}

// counted counts the orchestrator's calls that cost a store request.
func (w *world) counted() map[string]int {
	counts := map[string]int{}
	p := w.process()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, name := range p.log {
		counts[name]++
	}
	return counts
}

func TestATurnMakesOneWriteAndAtMostOneRead(t *testing.T) {
	t.Parallel()
	const n = 50
	for _, c := range []struct {
		name    string
		set     func(w *world)
		reads   int
		perTurn bool
	}{
		// Only the start reads the record.
		{"warm", nil, 1, false},
		{"cold", func(w *world) { w.settings.Cache.Instances = -1 }, n + 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.set)
			w.orchestration("Chain", chain(n))
			w.activityFunc("Step", func(context.Context, []byte) ([]byte, error) { return []byte("1"), nil })
			w.start("a", "Chain", "1")
			w.run()
			w.expectOutput("a", "1")
			got := w.counted()
			if got["Commit"] != n+1 {
				t.Errorf("%d commits for %d turns", got["Commit"], n+1)
			}
			if reads := got["Read"] + got["Describe"]; reads != c.reads {
				t.Errorf("%d reads (%v), want %d", reads, got, c.reads)
			}
			if got["UpdateRecord"] != 0 {
				t.Errorf("%d changes of the record beside the commits", got["UpdateRecord"])
			}
			if got["Send activity"] != n {
				t.Errorf("%d attempts sent", got["Send activity"])
			}
		})
	}
}

func TestL01AStartAtTheLimitOfAMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.orchestration("Main", waits())
	input := `"` + strings.Repeat("x", 256<<10-2) + `"`
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "fits", Name: "Main", Input: []byte(input), ID: "s-1"})
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "over", Name: "Main", Input: []byte(input + " "), ID: "s-2"})
	w.send(wire.Item{Kind: wire.StartOrchestration, Instance: "over", Name: "Main", Input: []byte(`"x` + input[1:]), ID: "s-3"})
	w.run()
	w.expectOutput("fits", "[]")
	if r := w.record("over"); r.Instance != "" && string(r.Output) != "[]" {
		t.Errorf("record %+v", r)
	}
	letters := w.deadFIFO.Peek()
	if len(letters) == 0 || !strings.HasPrefix(letters[len(letters)-1].Attributes[wire.ReasonAttribute], "too_large") {
		t.Errorf("%d dead letters", len(letters))
	}
}
