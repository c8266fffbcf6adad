package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/codec"
	"github.com/turnstile-go/turnstile/codec/gzip"
	"github.com/turnstile-go/turnstile/embedded"
)

// attempts fails for the inputs that are negative.
var attempts = turnstile.NewOrchestration[int, int]("Attempts")

func attempted(ctx turnstile.Context, in int) (int, error) {
	if in == 0 {
		_, err := turnstile.NewEvent[int]("go").Wait(ctx)
		return 0, err
	}
	if in < 0 {
		return 0, errors.New("negative")
	}
	return in, nil
}

func TestO09AnInstanceThatHasEndedRestarts(t *testing.T) {
	t.Parallel()
	e := start(t, attempts.Implement(attempted))
	id := client.WithInstanceID("order-1")
	begin := func(in int, options ...client.StartOption) (*client.Run[int], error) {
		return client.Start(e.ctx, e.client, attempts, in, append(options, id)...)
	}
	first := ok[*client.Run[int]](t)(begin(-1))
	if _, err := first.Wait(e.ctx); err == nil {
		t.Fatal("it did not fail")
	}
	if _, err := begin(5); !errors.As(err, new(*client.AlreadyExistsError)) {
		t.Errorf("without the option: %v", err)
	}
	again := ok[*client.Run[int]](t)(begin(5, client.AllowRestart(), client.WithDeduplicationID("again")))
	if got := ok[int](t)(again.Wait(e.ctx)); got != 5 {
		t.Errorf("the second run gave %d", got)
	}
	d := ok[client.Description](t)(again.Describe(e.ctx))
	if d.ExecutionID != 2 || d.FirstExecution != 1 || d.StartID != "again" || d.Failure != nil || d.Status != client.StatusCompleted {
		t.Errorf("it is described as %+v", d)
	}
	// A repeat begins nothing, nor does the start by which it began first.
	for _, known := range []string{"again", first.StartID} {
		ok[*client.Run[int]](t)(begin(6, client.AllowRestart(), client.WithDeduplicationID(known)))
	}
	// Used while it runs, and restarted when it has ended.
	third := ok[*client.Run[int]](t)(begin(0, client.AllowRestart(), client.UseExisting()))
	if err := third.WaitStarted(e.ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := begin(7, client.AllowRestart()); !errors.As(err, new(*client.AlreadyExistsError)) {
		t.Errorf("while it runs: %v", err)
	}
	if _, err := e.client.Restart(e.ctx, client.RestartRequest{Instance: "order-1"}); !errors.As(err, new(*client.StillRunningError)) {
		t.Errorf("a restart while it runs: %v", err)
	}
	used := ok[*client.Run[int]](t)(begin(8, client.AllowRestart(), client.UseExisting()))
	if d := ok[client.Description](t)(used.Describe(e.ctx)); d.ExecutionID != 3 || d.Status != client.StatusRunning {
		t.Errorf("in use it is described as %+v", d)
	}
	// What is about the run before is none of this one's.
	events, err := e.client.History(e.ctx, "order-1", 1)
	if err != nil || len(events) == 0 {
		t.Errorf("the history of the first run: %d events, %v", len(events), err)
	}
}

func TestARestartUsesTheInputOfTheLastStart(t *testing.T) {
	t.Parallel()
	set := ok[*codec.Set](t)(codec.NewSet(gzip.New()))
	for name, options := range map[string][]embedded.Option{"plain": nil, "sealed": {embedded.WithCodecs(set)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := arrange(t, options, attempts.Implement(attempted))
			e.run()
			run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, attempts, 7, client.WithInstanceID("o"), client.WithHeaders(map[string]string{"tenant": "t-1"}),
				client.WithSearchAttributes(turnstile.SearchAttributes{"lane": turnstile.SearchNumber(4)})))
			ok[int](t)(run.Wait(e.ctx))
			for n, input := range []json.RawMessage{nil, json.RawMessage("9")} {
				started := ok[client.Started](t)(e.client.Restart(e.ctx, client.RestartRequest{Instance: "o", Input: input, DeduplicationID: fmt.Sprint("r", n)}))
				if started.PreviousExecution != int64(n+1) {
					t.Errorf("it follows execution %d", started.PreviousExecution)
				}
				again := client.Attach(e.client, attempts, "o")
				again.StartID, again.PreviousExecution = started.StartID, started.PreviousExecution
				if got, want := ok[int](t)(again.Wait(e.ctx)), []int{7, 9}[n]; got != want {
					t.Errorf("restart %d gave %d, want %d", n, got, want)
				}
				ok[client.Started](t)(e.client.Restart(e.ctx, client.RestartRequest{Instance: "o", DeduplicationID: fmt.Sprint("r", n)}))
			}
			d := ok[client.Description](t)(e.client.Describe(e.ctx, "o"))
			if d.ExecutionID != 3 || d.SearchAttributes["lane"] != turnstile.SearchNumber(4) {
				t.Errorf("it is described as %+v", d)
			}
			if s := e.history("o")[0].Start; s.Headers["tenant"] != "t-1" || s.StartID != "r1" {
				t.Errorf("its start is %+v", s)
			}
		})
	}
}
