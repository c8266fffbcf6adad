package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/host/orchestrator"
	"github.com/turnstile-go/turnstile/internal/host/platform"
	"github.com/turnstile-go/turnstile/internal/keyring"
	"github.com/turnstile-go/turnstile/internal/queue"
	memorystore "github.com/turnstile-go/turnstile/internal/store/memory"
)

type order struct {
	ID string `json:"id"`
}

func fulfilment() *turnstile.App {
	fulfil := turnstile.NewOrchestration[order, string]("Fulfil")
	fail := turnstile.NewOrchestration[string, string]("Fail")
	charge := turnstile.NewActivity[order, string]("Charge")
	approved := turnstile.NewEvent[string]("approved")
	return turnstile.NewApp(
		fulfil.Implement(func(ctx turnstile.Context, o order) (string, error) {
			receipt, err := charge.Call(ctx, o)
			if err != nil {
				return "", err
			}
			by, err := approved.Wait(ctx)
			return receipt + " approved by " + by, err
		}),
		fail.Implement(func(_ turnstile.Context, why string) (string, error) { return "", errors.New(why) }),
		charge.Implement(func(_ context.Context, o order) (string, error) { return "receipt for " + o.ID, nil }),
		approved,
	)
}

// running is a command line over an application that runs until the test
// ends.
func running(t *testing.T) *bench {
	b := newBench(t)
	e, err := embedded.New(fulfilment(), embedded.WithVirtualTime(epoch))
	if err != nil {
		t.Fatal(err)
	}
	b.made = e.Client()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestAnInstanceFromStartToPurge(t *testing.T) {
	t.Parallel()
	b := running(t)
	if got := b.ok("start", "Fulfil", "--instance", "order-1", "--input", `{"id": "order-1"}`, "--search", `customer = "ada" and total = 99.5`); got != "order-1\n" {
		t.Errorf("start prints %q", got)
	}
	b.ok("raise", "order-1", "approved", "--data", `"ada"`)
	if got := b.ok("wait", "order-1"); got != "\"receipt for order-1 approved by ada\"\n" {
		t.Errorf("wait prints %q", got)
	}
	if got := b.ok("list", "--where", `customer = "ada" and total < 100`, "--ids"); got != "order-1\n" {
		t.Errorf("found are %q", got)
	}
	if out := b.ok("history", "order-1"); !strings.Contains(out, "Charge") || !strings.Contains(out, "approved") || !strings.Contains(out, "OrchestrationCompleted") {
		t.Errorf("its history is\n%s", out)
	}
	// M-06: another start is told, the same one is not an error.
	b.fails(exitFailed, []string{`instance "order-1" already exists`, "completed"}, "start", "Fulfil", "--instance", "order-1")
	for range 2 {
		b.ok("start", "Fulfil", "--instance", "order-2", "--deduplication-id", "s-2", "--input", `{"id":"order-2"}`)
	}
	if err := client.Attach(b.made, turnstile.NewOrchestration[order, string]("Fulfil"), "order-2").WaitStarted(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Ended already: nothing was sent.
	for _, verb := range []string{"cancel", "terminate"} {
		b.fails(exitFailed, []string{`"order-1" has already ended`}, verb, "order-1")
	}
	b.fails(exitFailed, []string{"still running", "Force"}, "purge", "order-2")
	b.fails(exitFailed, []string{`"order-1" has already ended (completed): the event was not sent, because it would have no effect`}, "raise", "order-1", "approved")
	b.ok("purge", "--force", "order-1", "order-2")
	for _, id := range []string{"order-1", "order-2"} {
		for b.run("describe", id).status == exitOK {
		}
		for _, verb := range []string{"wait", "watch"} {
			b.fails(exitNotFound, []string{`instance "` + id + `" has been purged`}, verb, id)
		}
	}
}

// An event is for an instance that runs, unless it is told to wait for one. The start
// may still be queued.
func TestAnEventWithoutAReceiverIsNotSent(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	looks := 0
	b.pause = func(context.Context, time.Duration) bool {
		looks++
		return true
	}
	b.fails(exitNotFound, []string{`no instance "order-17"`, "the event was not sent", "--early", "start --event"}, "raise", "order-17", "approved")
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 0 || looks != startLooks-1 {
		t.Errorf("%d were sent, after %d looks", len(sent), looks)
	}
	b.ok("raise", "--early", "order-17", "approved")
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 1 {
		t.Errorf("%d were sent", len(sent))
	}
}

// History says who asked for what.
func TestTheHistoryHasTheActor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.host()
	defer o.Close()
	b.env["TURNSTILE_ACTOR"] = "night shift"
	b.ok("start", "Fulfil", "--instance", "order-7", "--input", `{"id":"order-7"}`, "--actor", "Ada")
	b.handle(o)
	b.ok("raise", "order-7", "remark", "--actor", "Grace")
	b.ok("cancel", "order-7", "--reason", "no money")
	b.handle(o)
	out := b.ok("history", "order-7", "--all")
	for _, want := range []string{"by Ada", "by Grace", "by night shift"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q does not stand in\n%s", want, out)
		}
	}
	b.fails(exitUsage, []string{"actor"}, "cancel", "order-8", "--actor", "two\nlines")
}

func TestStartCanWaitForTheEnd(t *testing.T) {
	t.Parallel()
	b := running(t)
	r := b.run("start", "Fulfil", "--input", `{"id":"x"}`, "--event", `approved="ada"`, "--event", "spare", "--anyway", "--wait")
	if r.status != exitOK || r.out != "\"receipt for x approved by ada\"\n" || !strings.Contains(r.err, "started ") {
		t.Errorf("%+v", r)
	}
	r = b.run("start", "Fail", "--instance", "f", "--input", `"no luck"`, "--wait")
	if r.status != exitBadEnd || r.out != "" || !strings.Contains(r.err, `instance "f" failed (application): no luck`) || !strings.Contains(r.err, "turnstile history f") {
		t.Errorf("%+v", r)
	}
	r = b.run("wait", "f", "--output", "json")
	if r.status != exitBadEnd || !strings.Contains(r.out, `"message": "no luck"`) {
		t.Errorf("%+v", r)
	}
}

func TestO02AWaitThatTimesOutReportsTheState(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := b.runWith(ctx, "", "wait", "order-9")
	if r.status != exitInterrupted || !strings.Contains(r.err, "has not started") || !strings.Contains(r.err, "--timeout") {
		t.Errorf("%+v", r)
	}
	// Its deadline has passed by then, and the look that finds it stuck was
	// the last.
	r = b.run("wait", "order-2", "--timeout", "1ns")
	if r.status != exitTimeout || !strings.Contains(r.err, "gave up waiting") {
		t.Errorf("%+v", r)
	}
}

func TestK04CancelAndTerminateWithoutARecordAreSentAllTheSame(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, verb := range []string{"cancel", "terminate"} {
		r := b.run(verb, "order-1", "--reason", "early")
		if r.status != exitOK || !strings.Contains(r.err, "does not exist yet") {
			t.Errorf("%s: %+v", verb, r)
		}
	}
	if n := len(b.queue(deadletter.Orchestrator).Peek()); n != 2 {
		t.Errorf("%d were sent", n)
	}
	b.fails(exitNotFound, []string{`no instance "order-1"`, `no instance "order-2"`}, "wake", "order-1", "order-2")
}

func TestOneInstanceThatFailsDoesNotKeepTheOthers(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	r := b.run("suspend", "order-1", "order-2", "order-3")
	if r.status != exitFailed || !strings.Contains(r.err, "sent: suspend for order-2") || !strings.Contains(r.err, "order-1") || !strings.Contains(r.err, "order-3") {
		t.Errorf("%+v", r)
	}
	if sent := b.queue(deadletter.Orchestrator).Peek(); len(sent) != 1 || !strings.Contains(sent[0].Body, "order-2") {
		t.Errorf("sent were %+v", sent)
	}
}

func TestPayloadsComeFromTheLineAFileOrStandardInput(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(file, []byte("{\"n\": 1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, in, want string }{
		{`{"n": 1}`, "", `"data":{"n": 1}`}, {"@" + file, "", `"data":{"n": 1}`}, {"-", `[1]`, `"data":[1]`}, {"", "", `"name":"e"`},
	} {
		b := newBench(t)
		if r := b.runWith(t.Context(), c.in, "raise", "--early", "i", "e", "--data", c.flag); r.status != exitOK {
			t.Fatalf("%+v", r)
		}
		if body := b.queue(deadletter.Orchestrator).Peek()[0].Body; !strings.Contains(body, c.want) || c.flag == "" && strings.Contains(body, "data") {
			t.Errorf("--data %q was sent as %s", c.flag, body)
		}
	}
	b := newBench(t)
	b.fails(exitUsage, []string{"--data is not JSON", `'"text"'`}, "raise", "i", "e", "--data", "text")
	b.fails(exitUsage, []string{"total > 1", "set an attribute with ="}, "start", "X", "--search", "total > 1")
	b.fails(exitUsage, []string{"expected a string in quotes"}, "start", "X", "--search", "customer = ada")
	b.fails(exitFailed, []string{"reading --input", "nowhere.json"}, "start", "X", "--input", "@nowhere.json")
	b.fails(exitUsage, []string{"NAME=JSON"}, "start", "X", "--event", "approved=maybe")
	b.fails(exitUsage, []string{"instance id"}, "raise", "--early", "a\nb", "e")
}

// The dead letter of an event that came too early, and the start that makes it
// welcome.
func TestO06M07AnEventRedrivenAfterTheStartIsDelivered(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.host()
	defer o.Close()
	b.ok("raise", "--early", "order-7", "approved", "--data", `"ada"`)
	b.handle(o)
	for range 100 {
		if b.queue(deadletter.DeadFIFO).Counts().Total()+b.queue(deadletter.Dead).Counts().Total() > 0 {
			break
		}
		b.clock.now = b.clock.now.Add(time.Minute)
		b.handle(o)
	}
	if out := b.ok("dead-letter", "list"); !strings.Contains(out, "unknown_instance") || !strings.Contains(out, "order-7") {
		t.Fatalf("dead letters:\n%s", out)
	}
	b.ok("start", "Fulfil", "--instance", "order-7", "--input", `{"id":"order-7"}`)
	b.handle(o)
	b.ok("dead-letter", "redrive", "--all")
	b.handle(o)
	if out := b.ok("history", "order-7"); !strings.Contains(out, "ExternalEvent") {
		t.Errorf("its history is\n%s", out)
	}
	if out := b.run("dead-letter", "list").out; out != "" {
		t.Errorf("left are\n%s", out)
	}
}

// W-07: committed, never dispatched, received so often that SQS moved it.
func TestW07ARedrivenMessageSendsWhatItsTurnLeftOpen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	o := b.host()
	defer o.Close()
	b.ok("start", "Fulfil", "--instance", "order-7", "--input", `{"id":"order-7"}`)
	lost := b.queue(deadletter.Orchestrator).Peek()[0]
	b.handle(o)
	// What the turn sent is lost, and its message is a dead letter, as SQS
	// leaves it.
	for _, m := range b.receive(deadletter.Activity) {
		if err := b.queue(deadletter.Activity).Delete(t.Context(), m.Message); err != nil {
			t.Fatal(err)
		}
	}
	b.send(deadletter.DeadFIFO, queue.Outgoing{Body: lost.Body, Group: lost.Group, DedupID: lost.ID})
	b.ok("dead-letter", "redrive", "--all")
	b.handle(o)
	if n := b.queue(deadletter.Activity).Counts().Total(); n != 1 {
		t.Errorf("%d activities were sent again, want 1", n)
	}
	events := strings.Count(b.ok("history", "order-7"), "\n")
	if events != 2 {
		t.Errorf("its history has %d events, want 2", events)
	}
}

// host is an orchestrator over the queues of the bench.
func (b *bench) host() *orchestrator.Orchestrator {
	b.t.Helper()
	app := fulfilment()
	keys, err := keyring.New(keyring.Config{Keys: &b.keys})
	if err != nil {
		b.t.Fatal(err)
	}
	o, err := orchestrator.New(orchestrator.Config{
		Orchestrations: app.Orchestrations(),
		Services: orchestrator.Services{Store: b.store, Stops: memorystore.NewActivities(b.clock.Now), Queues: platform.Queues{
			Orchestrator: b.queues[deadletter.Orchestrator], Delay: b.queues[deadletter.Delay], Activity: b.queues[deadletter.Activity],
			ActivityDead: b.queues[deadletter.ActivityDead], DeadFIFO: b.queues[deadletter.DeadFIFO], DeadStandard: b.queues[deadletter.Dead],
		}},
		Keys:        keys,
		Settings:    host.Settings{Parallelism: 1, Dispatch: host.DispatchSettings{Parallelism: 1}, Turn: host.TurnSettings{BlockLimit: -1}},
		Environment: platform.Environment{Clock: b.clock, Random: &counting{}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return o
}

// handle handles what the orchestrator and the delay queue have now.
func (b *bench) handle(o *orchestrator.Orchestrator) {
	b.t.Helper()
	for _, from := range []struct {
		name string
		is   platform.Source
	}{{deadletter.Orchestrator, platform.SourceOrchestrator}, {deadletter.Delay, platform.SourceDelay}} {
		batch := b.receive(from.name)
		for i := range batch {
			batch[i].Source = from.is
		}
		if len(batch) == 0 {
			continue
		}
		if failed := o.Handle(b.t.Context(), batch); len(failed) > 0 {
			b.t.Fatalf("handed back were %v", failed)
		}
		for _, m := range batch {
			if err := b.queue(from.name).Delete(b.t.Context(), m.Message); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

func (b *bench) receive(name string) []platform.Delivery {
	b.t.Helper()
	batch, err := b.queue(name).Receive(b.t.Context(), 10, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	out := make([]platform.Delivery, len(batch))
	for i, m := range batch {
		out[i] = platform.Delivery{Message: m}
	}
	return out
}
