package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/batch"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/store"
)

// many has so many running instances, and two that are stuck.
func many(t *testing.T, n int) *bench {
	b := newBench(t)
	for i := range n {
		b.put(store.Record{Instance: fmt.Sprintf("o-%d", i), Name: "Fulfil", Status: store.StatusRunning, CreatedAt: epoch.Add(-time.Duration(i) * time.Minute)})
	}
	for i, kind := range []string{"panic", "nondeterminism"} {
		b.put(store.Record{Instance: "s-" + kind, Name: "Fulfil", Status: store.StatusStuck, CreatedAt: epoch.Add(-time.Duration(i) * time.Hour), Problem: &store.Problem{Kind: kind}})
	}
	b.pause = func(ctx context.Context, _ time.Duration) bool { return ctx.Err() == nil }
	return b
}

func (b *bench) sentFor() []string {
	var out []string
	for _, m := range b.queue(deadletter.Orchestrator).Peek() {
		out = append(out, regexp.MustCompile(`"instance":"((?:[^"\\]|\\.)*)"`).FindStringSubmatch(m.Body)[1])
	}
	return out
}

func TestABatchSaysWhatItWouldDoAndAsks(t *testing.T) {
	t.Parallel()
	b := many(t, 3)
	if r := b.run("terminate", "--name", "Fulfil", "--dry-run"); r.status != exitOK || r.out != "o-0\no-1\no-2\ns-panic\ns-nondeterminism\n" || !strings.Contains(r.err, "would terminate 5 instances of") {
		t.Errorf("%+v", r)
	}
	if out := b.ok("wake", "--status", "stuck", "--problem", "panic", "--dry-run", "--output", "json"); !strings.Contains(out, `"selected": 1`) || !strings.Contains(out, `"s-panic"`) || !strings.Contains(out, `"dry_run": true`) {
		t.Errorf("as JSON it is\n%s", out)
	}
	b.fails(exitUsage, []string{"the command would terminate 5 instances of", "--name Fulfil", "--yes 5"}, "terminate", "--name", "Fulfil")
	b.fails(exitFailed, []string{"--yes 4, but the command would terminate 5 instances", "nothing was done"}, "terminate", "--name", "Fulfil", "--yes", "4")
	b.asked = true
	if r := b.runWith(t.Context(), "yes\n", "terminate", "--name", "Fulfil"); r.status != exitFailed || !strings.Contains(r.err, "Type 5 to do it") || !strings.Contains(r.err, `"yes" is not 5`) {
		t.Errorf("%+v", r)
	}
	if sent := b.sentFor(); len(sent) != 0 {
		t.Errorf("sent were %v", sent)
	}
	if r := b.runWith(t.Context(), "5\n", "terminate", "--name", "Fulfil", "--reason", "test"); r.status != exitOK || !strings.Contains(r.err, "sent: terminate for 5 instances") {
		t.Errorf("%+v", r)
	}
	if sent := b.sentFor(); len(sent) != 5 {
		t.Errorf("sent were %v", sent)
	}
	if left, err := os.ReadDir(b.env["TURNSTILE_BATCHES"]); err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	if r := b.run("purge", "--status", "failed", "--yes", "any"); r.status != exitOK || !strings.Contains(r.err, "nothing was done") {
		t.Errorf("%+v", r)
	}
}

func TestABatchThatWasInterruptedContinues(t *testing.T) {
	t.Parallel()
	b := many(t, 30)
	ctx, interrupt := context.WithCancel(t.Context())
	waits := 0
	b.pause = func(ctx context.Context, d time.Duration) bool {
		if waits++; waits == 10 {
			interrupt()
		}
		return ctx.Err() == nil
	}
	r := b.runWith(ctx, "", "cancel", "--status", "running", "--yes", "30", "--rate", "2", "--reason", "closed")
	if r.status != exitInterrupted || !strings.Contains(r.err, "interrupted: 10 of 30 instances done") {
		t.Fatalf("%+v", r)
	}
	said := regexp.MustCompile(`turnstile (cancel --resume cancel-20300101-120000-\w{4})\n`).FindStringSubmatch(r.err)
	if said == nil {
		t.Fatalf("it does not say how to go on: %s", r.err)
	}
	id := strings.Fields(said[1])[2]
	b.pause = func(context.Context, time.Duration) bool { return true }
	b.fails(exitUsage, []string{"belongs to a different command, cancel", "turnstile cancel --resume " + id}, "terminate", "--resume", id)
	b.fails(exitFailed, []string{"this command works on stack other"}, "cancel", "--resume", id, "--stack", "other")
	b.fails(exitFailed, []string{"no unfinished batch", "unfinished: " + id}, "cancel", "--resume", "cancel-20300101-120000-zzzz")
	b.fails(exitUsage, []string{"--resume continues"}, "cancel", "--resume", id, "--status", "running")
	r = b.run(strings.Fields(said[1])...)
	if r.status != exitOK || !strings.Contains(r.err, "continuing: 10 of 30 instances done") && !strings.Contains(r.err, "continuing: ") {
		t.Errorf("%+v", r)
	}
	seen := map[string]bool{}
	for _, instance := range b.sentFor() {
		seen[instance] = true
	}
	if len(seen) != 30 {
		t.Errorf("sent was for %d instances", len(seen))
	}
	b.fails(exitFailed, []string{"no unfinished batch"}, "cancel", "--resume", id)
}

// A stack by its name is another one with the credentials of another account, or in another
// region.
func TestABatchContinuesInTheAccountAndRegionInWhichItStarted(t *testing.T) {
	t.Parallel()
	b := many(t, 3)
	staging := backend.Place{ID: "the stack of https://sqs.eu-central-1.amazonaws.com/111111111111/q.fifo", Words: "stack shop in account 111111111111, eu-central-1"}
	prod := backend.Place{ID: "the stack of https://sqs.eu-central-1.amazonaws.com/222222222222/q.fifo", Words: "stack shop in account 222222222222, eu-central-1"}
	b.place = staging
	if r := b.run("cancel", "--status", "running", "--dry-run"); !strings.Contains(r.err, "would cancel 3 instances of stack shop in account 111111111111, eu-central-1") {
		t.Errorf("%+v", r)
	}
	b.fails(exitUsage, []string{"the command would cancel 3 instances of stack shop in account 111111111111, eu-central-1 (--status running)"}, "cancel", "--status", "running")
	ctx, interrupt := context.WithCancel(t.Context())
	b.pause = func(ctx context.Context, _ time.Duration) bool {
		interrupt()
		return ctx.Err() == nil
	}
	r := b.runWith(ctx, "", "cancel", "--status", "running", "--yes", "3", "--stack", "shop")
	id := regexp.MustCompile(`cancel-20300101-120000-\w{4}`).FindString(r.err)
	if r.status != exitInterrupted || id == "" {
		t.Fatalf("%+v", r)
	}
	sent := len(b.sentFor())
	b.place = prod
	b.fails(exitFailed, []string{"belongs to " + staging.ID, "this command works on " + prod.Words, prod.ID, "nothing was done"}, "cancel", "--resume", id, "--stack", "shop")
	if now := len(b.sentFor()); now != sent {
		t.Errorf("%d were sent in the other account", now-sent)
	}
	b.place = staging
	b.pause = func(context.Context, time.Duration) bool { return true }
	b.ok("cancel", "--resume", id, "--stack", "shop")
}

func TestABatchOfAStackIsKnownByItsQueue(t *testing.T) {
	t.Parallel()
	outputs := complete()
	folder := t.TempDir()
	begun := func(place string) string {
		j := batch.Job{Verb: "cancel", Place: place, MadeAt: epoch, Instances: []string{"order-1"}}
		if err := batch.Folder(folder).Create(&j); err != nil {
			t.Fatal(err)
		}
		return j.ID
	}
	for place, says := range map[string]string{
		"the stack of " + outputs["OrchestratorQueueUrl"]:                                 "continuing: 0 of 1 instance done",
		"the stack of https://sqs.us-east-1.amazonaws.com/123456789012/OrchestratorQueue": "this command works on stack turnstile-dev in account 123456789012, eu-central-1, the stack of https://sqs.eu-central-1.amazonaws.com/123456789012/",
		"stack turnstile-dev": "was started by an earlier version on stack turnstile-dev, which did not record the account and the region",
	} {
		r := runOn(t, &cloud{outputs: outputs}, map[string]string{"TURNSTILE_BATCHES": folder}, "cancel", "--stack", "turnstile-dev", "--resume", begun(place))
		if !strings.Contains(r.err, says) || strings.Contains(r.err, "going on") != strings.HasPrefix(says, "going on") {
			t.Errorf("a batch of %q: %+v", place, r)
		}
	}
}

// failing is a queue that does not take what is sent, the first times or always.
type failing struct {
	queue.Queue
	mu   sync.Mutex
	left int
	err  error
}

func (q *failing) Send(ctx context.Context, msgs ...queue.Outgoing) error {
	q.mu.Lock()
	refuse := q.left != 0
	if refuse {
		q.left--
	}
	q.mu.Unlock()
	if refuse {
		return q.err
	}
	return q.Queue.Send(ctx, msgs...)
}

func TestABatchTriesAgainWhatPassesAndGivesUpWhereNothingGoesThrough(t *testing.T) {
	t.Parallel()
	b := many(t, 100)
	orchestrator := b.queues[deadletter.Orchestrator]
	b.queues[deadletter.Orchestrator] = &failing{Queue: orchestrator, left: 3, err: queue.ErrUnavailable}
	if r := b.run("wake", "--status", "stuck", "--yes", "2"); r.status != exitOK || !strings.Contains(r.err, "sent: wake for 2 instances") {
		t.Errorf("%+v", r)
	}
	b.queues[deadletter.Orchestrator] = &failing{Queue: orchestrator, left: -1, err: errors.New("refused")}
	r := b.run("cancel", "--status", "running", "--yes", "any")
	if r.status != exitFailed || !strings.Contains(r.err, "When requests succeed again") || !strings.Contains(r.err, "--resume cancel-") || strings.Count(r.err, "not sent: cancel for") > 40 {
		t.Errorf("%+v", r)
	}
	b.queues[deadletter.Orchestrator] = &failing{Queue: orchestrator, left: 1, err: errors.New("refused")}
	r = b.run("wake", "--status", "stuck", "--yes", "2", "--output", "json")
	if r.status != exitFailed || !strings.Contains(r.out, `"failed_count": 1`) || !strings.Contains(r.err, "nothing was sent to 1 of 2 instances") {
		t.Errorf("%+v", r)
	}
}

func TestABatchCommandRefuses(t *testing.T) {
	t.Parallel()
	b := many(t, 1)
	for args, says := range map[string]string{
		"wake":                             "flags that select instances",
		"wake o-0 --status stuck":          "not both",
		"wake --status completed":          "wake does not apply to --status completed",
		"terminate --status corrupt":       "terminate does not apply to --status corrupt",
		"purge --status running":           "purge does not apply to --status running",
		"cancel --status running --rate 0": "--rate 0",
		"cancel --name F --yes many":       `--yes "many"`,
		"cancel --where x":                 "--where:",
		"purge --since 1h --until 2h":      "must be before",
	} {
		b.fails(exitUsage, []string{says}, strings.Fields(args)...)
	}
	b.ok("purge", "--status", "running", "--force", "--dry-run")
	b.ok("wake", "--status", "running", "--dry-run")
}
