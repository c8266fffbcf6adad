package turnstile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
)

func TestR12RecordedValuesStay(t *testing.T) {
	t.Parallel()
	ran := 0
	type seen struct {
		Now    time.Time
		A, B   string
		Picked int
	}
	look := turnstile.NewOrchestration[int, seen]("Look")
	part := look.Implement(func(ctx turnstile.Context, _ int) (s seen, err error) {
		s.Now = turnstile.Now(ctx)
		s.A = turnstile.UUID(ctx)
		s.B = turnstile.UUID(ctx)
		s.Picked, err = turnstile.SideEffect(ctx, "pick", func() (int, error) { ran++; return ran, nil })
		if err != nil {
			return s, err
		}
		return s, turnstile.Sleep(ctx, time.Hour)
	})
	e := start(t, part)
	run := ok[*client.Run[seen]](t)(client.Start(e.ctx, e.client, look, 0))
	got := ok[seen](t)(run.Wait(e.ctx))
	if !got.Now.Equal(epoch) || got.A == got.B || len(got.A) != 36 || got.Picked != 1 {
		t.Errorf("seen were %+v", got)
	}
	events := e.history(run.Instance)
	turn := replay(t, turnstile.NewApp(part), run.Instance, events)
	if turn.Stuck != nil || len(turn.Events) != 0 {
		t.Errorf("the replay gave %v and %d events", turn.Stuck, len(turn.Events))
	}
	if ran != 1 {
		t.Errorf("the side effect ran %d times, want once", ran)
	}
}

func TestASideEffectsErrorIsRecordedWithTextAndCode(t *testing.T) {
	t.Parallel()
	history, err := outcome(t, func(ctx turnstile.Context) error {
		_, err := turnstile.SideEffect(ctx, "roll", func() (int, error) {
			return 0, turnstile.WithCode(errors.New("the die is lost"), "lost")
		})
		if err == nil || !strings.Contains(err.Error(), "the die is lost") {
			return differ("the error is %v", err)
		}
		if code := turnstile.ErrorCode(fmt.Errorf("rolling: %w", err)); code != "lost" {
			return differ("the code is %q", code)
		}
		return fmt.Errorf("rolling: %w", err)
	})
	failed, is := errors.AsType[*client.OrchestrationError](err)
	if !is || failed.Code != "lost" || !strings.HasPrefix(failed.Message, "rolling: ") {
		t.Errorf("it ended with %v", err)
	}
	if want := []string{"OrchestrationStarted", "SystemCall", "OrchestrationFailed"}; !reflect.DeepEqual(history, want) {
		t.Errorf("recorded were %v, want %v", history, want)
	}
}

// lines collects log lines from several goroutines.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) count(s string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), s)
}

func TestR16EachLineIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var out lines
	logger := slog.New(slog.NewTextHandler(&out, nil))
	talk := turnstile.NewOrchestration[int, int]("Talk")
	e := arrange(t, []embedded.Option{embedded.WithLogger(logger)}, talk.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		turnstile.Logger(ctx).Info("line one")
		if err := turnstile.Sleep(ctx, time.Hour); err != nil {
			return 0, err
		}
		turnstile.Logger(ctx).Info("line two")
		turnstile.Annotate(ctx, slog.LevelInfo, "line three")
		return 0, nil
	}))
	e.run()
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, talk, 0))
	ok[int](t)(run.Wait(e.ctx))
	if err := e.Drain(e.ctx); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"line one", "line two", "line three"} {
		if n := out.count(line); n != 1 {
			t.Errorf("%q was logged %d times, want once", line, n)
		}
	}
	events := e.history(run.Instance)
	if last := events[len(events)-2]; last.Op != "trace" || !strings.Contains(string(last.Payload), "line three") {
		t.Errorf("the trace is not in the history: %+v", last)
	}
}

func TestT02DurationsOfAnySignAreRecorded(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[int, int]("Flow")
	e := start(t, flow.Implement(func(ctx turnstile.Context, _ int) (int, error) {
		for _, d := range []time.Duration{0, -time.Hour, time.Microsecond, 30 * 24 * time.Hour} {
			if err := turnstile.Sleep(ctx, d); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}))
	run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, flow, 0))
	ok[int](t)(run.Wait(e.ctx))
	var durations []int64
	for _, event := range e.history(run.Instance) {
		if event.Kind.String() == "TimerCreated" {
			durations = append(durations, event.DurationMS)
		}
	}
	if want := []int64{0, -3_600_000, 1, 30 * 24 * 3_600_000}; !reflect.DeepEqual(durations, want) {
		t.Errorf("recorded were %v, want %v", durations, want)
	}
}

func TestContextIsNotAStandardContext(t *testing.T) {
	t.Parallel()
	if reflect.TypeFor[turnstile.Context]().Implements(reflect.TypeFor[context.Context]()) {
		t.Error("an orchestration could hand its context to an HTTP client")
	}
}
