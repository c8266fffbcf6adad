package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// putFailed stores an instance whose second activity failed.
func (b *bench) putFailed(id string) {
	b.put(store.Record{Instance: id, ExecutionID: 1, Name: "Fulfil", Status: store.StatusFailed, StartID: "s-" + id, CreatedAt: epoch, EndedAt: epoch},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1, StartID: "s-" + id}},
		history.Event{Kind: history.ActivityScheduled, Name: "Reserve"},
		history.Event{Kind: history.ActivityCompleted, SourceEventID: 2},
		history.Event{Kind: history.ActivityScheduled, Name: "Charge"},
		history.Event{Kind: history.SubOrchestrationScheduled, Name: "Ship", Instance: id + "/ship"},
		history.Event{Kind: history.ActivityFailed, SourceEventID: 4, Failure: &history.Failure{Kind: "application", Message: "declined"}},
		history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: "application", Message: "declined"}})
}

// putCompensated has a saga that has undone its steps, and failed.
func (b *bench) putCompensated(id string) {
	declined := &history.Failure{Kind: "application", Source: "Ship", Message: "no carrier"}
	b.put(store.Record{Instance: id, ExecutionID: 1, Name: "Fulfil", Status: store.StatusFailed, StartID: "s-" + id, CreatedAt: epoch, EndedAt: epoch, Failure: declined},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1, StartID: "s-" + id}},
		history.Event{Kind: history.ActivityScheduled, Name: "Charge"},
		history.Event{Kind: history.ActivityCompleted, SourceEventID: 2},
		history.Event{Kind: history.ActivityScheduled, Name: "Ship"},
		history.Event{Kind: history.ActivityFailed, SourceEventID: 4, Failure: declined},
		history.Event{Kind: history.ActivityScheduled, Name: "Refund"},
		history.Event{Kind: history.ActivityCompleted, SourceEventID: 6},
		history.Event{Kind: history.OrchestrationFailed, Failure: declined})
}

// A redrive of a saga that has undone its steps fails as before: a restart is what helps, and all that
// gives advice says so.
func TestTheAdviceForACompensatedSagaIsARestart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.putCompensated("saga-1")
	b.putCompensated("saga-2")
	b.putFailed("o-1")
	if out := b.ok("describe", "saga-1"); !strings.Contains(out, "`turnstile restart saga-1`") || !strings.Contains(out, "`turnstile restart --cause ") || !strings.Contains(out, "A redrive would start no operation") || strings.Contains(out, "turnstile redrive") {
		t.Errorf("it is described as\n%s", out)
	}
	b.put(store.Record{Instance: "o-2", ExecutionID: 1, Name: "Fulfil", Status: store.StatusFailed, CreatedAt: epoch, EndedAt: epoch, Failure: &history.Failure{Kind: "application", Message: "no"}},
		history.Event{Kind: history.OrchestrationStarted, Name: "Fulfil", Start: &history.Start{ExecutionID: 1}},
		history.Event{Kind: history.OrchestrationFailed, Failure: &history.Failure{Kind: "application", Message: "no"}})
	if out := b.ok("describe", "o-2"); !strings.Contains(out, "`turnstile redrive o-2`") {
		t.Errorf("another is described as\n%s", out)
	}
	r := b.run("redrive", "--status", "failed", "--name", "Fulfil", "--dry-run")
	for _, want := range []string{"would redrive 4 instances of ", "1 instance would continue and start 2 operations again\n", "1 instance would run from the beginning, because nothing completed before the failure\n",
		"2 instances would not start any operation again, and would fail as before with the same code; restart:\n", "  saga-1\n", "  saga-2\n"} {
		if !strings.Contains(r.err, want) {
			t.Errorf("the dry run says\n%s\nwithout %q", r.err, want)
		}
	}
	var batch struct {
		Plans struct {
			Continue, Operations int
			FromStart            int `json:"from_start"`
			Nothing              []string
		}
	}
	if err := json.Unmarshal([]byte(b.ok("redrive", "--status", "failed", "--dry-run", "--output", "json")), &batch); err != nil || batch.Plans.Continue != 1 || batch.Plans.Operations != 2 || batch.Plans.FromStart != 1 || len(batch.Plans.Nothing) != 2 {
		t.Errorf("as JSON it is %+v (%v)", batch, err)
	}
	if out := b.ok("restart", "--status", "failed", "--dry-run", "--output", "json"); strings.Contains(out, `"plans"`) {
		t.Errorf("a restart has the plans of redrives: %s", out)
	}
	if sent := b.sentFor(); len(sent) != 0 {
		t.Errorf("sent were %v", sent)
	}
	a := b.agent()
	a.says("explain_stuck", `{"instance":"saga-1"}`, "`turnstile restart` restarts it from the beginning", "A redrive would not start any operation again")
	if text := a.says("explain_stuck", `{"instance":"o-2"}`, "`turnstile redrive` continues it"); strings.Contains(text, "no operation\nagain") {
		t.Errorf("of another it is told %s", text)
	}
}

func TestARedriveShowsWhatItStartsAgainAndSendsIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, id := range []string{"o-1", "o-2"} {
		b.putFailed(id)
	}
	b.putEnded("done", store.StatusCompleted)

	r := b.ok("redrive", "o-1", "--dry-run")
	for _, want := range []string{"o-1 would copy 5 events, and keep 0 results after them", "4      activity Charge", "failed: starts again", "child o-1/ship", "was open: starts again"} {
		if !strings.Contains(r, want) {
			t.Errorf("without %q:\n%s", want, r)
		}
	}
	if r := b.ok("redrive", "o-1", "--dry-run", "--output", "json"); !strings.Contains(r, `"why": "failed"`) {
		t.Errorf("as JSON: %s", r)
	}
	if sent := b.sentFor(); len(sent) != 0 {
		t.Errorf("sent were %v", sent)
	}
	b.fails(exitUsage, []string{"--from and --reset need INSTANCE…: they cannot be combined with selecting flags"}, "redrive", "--status", "failed", "--from", "2")
	b.fails(exitFailed, []string{"cannot be redriven from event 9"}, "redrive", "o-1", "--from", "9")
	b.fails(exitUsage, []string{"--as needs exactly one INSTANCE"}, "redrive", "o-1", "o-2", "--as", "fork")
	b.fails(exitUsage, []string{"cannot be combined with --reset"}, "redrive", "o-1", "--as", "fork", "--reset")
	b.fails(exitFailed, []string{`instance "o-2" already exists`}, "redrive", "o-1", "--as", "o-2")
	if r := b.ok("redrive", "o-1", "--as", "fork", "--dry-run"); !strings.Contains(r, "fork would copy 5 events") {
		t.Errorf("the plan of a fork: %s", r)
	}
	b.ok("redrive", "o-1", "--as", "fork", "--reason", "a trial")
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 1 || !strings.Contains(sent[0].Body, `"instance":"fork"`) ||
		!strings.Contains(sent[0].Body, `"origin":{"instance":"o-1","execution_id":1}`) || strings.Contains(sent[0].Body, "on_conflict") {
		t.Errorf("sent were %v", sent)
	}
	b.ok("redrive", "o-1", "--from", "4", "--reason", "mended")
	b.ok("redrive", "--name", "Fulfil", "--yes", "2")
	bodies := ""
	for _, m := range b.queue(deadletter.Orchestrator).Peek() {
		bodies += m.Body + "\n"
	}
	if n := strings.Count(bodies, `"on_conflict":"redrive"`); n != 3 || !strings.Contains(bodies, `"event_id":4`) || !strings.Contains(bodies, "mended") {
		t.Errorf("sent were %s", bodies)
	}
}

// The command line does not have the code of the orchestrator, so a dry run shows what that has refused.
func TestADryRunOfARedriveShowsThatOneWasRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.putFailed("o-1")
	b.putFailed("o-2")
	id := b.send(deadletter.DeadFIFO, queue.Outgoing{Body: `{"v":1,"kind":"StartOrchestration","instance":"o-1","name":"Fulfil","id":"r","on_conflict":"redrive"}`, Group: "o-1", DedupID: "r",
		Attributes: because(wire.ReasonRedriveRefused, `redrive of instance "o-1" refused; nothing was changed: event 4: history has Charge`)})
	for _, args := range [][]string{{"redrive", "o-1", "--dry-run"}, {"redrive", "o-1", "o-2", "--dry-run", "--output", "json"}} {
		r := b.run(args...)
		if r.status != exitOK || !strings.Contains(r.out, "Charge") || strings.Contains(r.out, "refused") {
			t.Errorf("%v: %d, it prints %s", args, r.status, r.out)
		}
		if want := "an earlier redrive of o-1 was refused: redrive of instance \"o-1\" refused; nothing was changed: event 4: history has Charge\n" +
			"  to send it again: turnstile dead-letter redrive " + id + "\n"; r.err != want {
			t.Errorf("%v: it says %s\nwant %s", args, r.err, want)
		}
	}
	if r := b.run("redrive", "o-2", "--dry-run"); r.status != exitOK || r.err != "" {
		t.Errorf("none of o-2 was refused: %d, %s", r.status, r.err)
	}
	if n := len(b.queue(deadletter.DeadFIFO).Peek()); n != 1 {
		t.Errorf("%d dead letters are left", n)
	}
}

// A fork whose process died while it copied is listed, has no history yet, and a purge frees it.
func TestAForkThatCopiesIsListedAndPurged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	part := store.Turn{Instance: "fork", ExecutionID: 1, Token: "t", Parked: true, Events: []history.Event{{EventID: 1, Kind: history.OrchestrationStarted, Name: "Fulfil",
		Start: &history.Start{ExecutionID: 1, StartID: "f", Origin: &history.Origin{Instance: "o-1", ExecutionID: 1, EventID: 9}}}}}
	r := store.Record{Instance: "fork", ExecutionID: 1, FirstExecution: 1, StartID: "f", Name: "Fulfil", Status: store.StatusForking, CreatedAt: b.clock.now, UpdatedAt: b.clock.now,
		Origin: part.Events[0].Start.Origin, Reserved: store.Reservation{ExecutionID: 1, StartID: "f"}}
	if err := b.store.Commit(t.Context(), store.Commit{Turns: []store.Turn{part}, Record: &store.RecordChange{If: store.RecordCondition{Absent: true}, Create: &r, UpdatedAt: b.clock.now}}); err != nil {
		t.Fatal(err)
	}
	o := b.host()
	if out := b.ok("list", "--status", "forking"); !strings.Contains(out, "fork") {
		t.Errorf("forking are\n%s", out)
	}
	if out := b.ok("describe", "fork"); !strings.Contains(out, "forking") {
		t.Errorf("it is\n%s", out)
	}
	b.fails(exitNotFound, []string{"fork", "copy is not complete"}, "history", "fork")
	b.ok("purge", "fork", "--force")
	b.handle(o)
	b.fails(exitNotFound, []string{"fork"}, "describe", "fork")
	for range 8 {
		b.clock.now = b.clock.now.Add(15 * time.Minute)
		b.handle(o)
	}
	if turns, err := b.store.Read(t.Context(), "fork", 1, 1); len(turns) > 0 || err != nil {
		t.Errorf("the part is still there: %v, %v", turns, err)
	}
}
