//go:build unix

package e2e_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// paste runs a command as a user's shell would.
func paste(ctx context.Context, t *testing.T, command string, variables ...string) {
	t.Helper()
	c := exec.CommandContext(ctx, "bash", "-c", command)
	c.Env = append(os.Environ(), variables...)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v of\n%s\n%s", err, command, out)
	}
}

func TestTheMessageThatUpPrintsRunsAnOrderToItsEnd(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	message, err := os.ReadFile("../start.json")
	if err != nil {
		t.Fatal(err)
	}
	// Another instance for each run of the tests on one stack.
	id := unique("order")
	body := strings.ReplaceAll(string(message), "order-1", id)
	paste(ctx, t, `aws --endpoint-url "$AWS_ENDPOINT_URL" sqs send-message --queue-url "$TURNSTILE_ORCHESTRATOR_QUEUE_URL" --message-group-id "$id" --message-body "$body"`,
		"id="+id, "body="+body)
	result, err := client.Attach(s.client, orders.Fulfil, id).Wait(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if result.Status != "shipped" || result.By != "Grace" {
		t.Errorf("result %+v", result)
	}
	checkedHistory(ctx, t, s.client, sample(), id)
}

// example is a command of docs/messages.md, with an instance of its own.
type example struct {
	command  string
	kind     wire.Kind
	instance string
	run      *client.Run[orders.Result]
}

var (
	shellBlocks = regexp.MustCompile("(?s)\n```bash\n(.*?)\n```\n")
	kindField   = regexp.MustCompile(`"kind": "(\w+)",`)
	sampleOrder = regexp.MustCompile(`order-[12]\b`)
)

func examples(t *testing.T) []example {
	t.Helper()
	var pages string
	for _, name := range []string{"../../docs/messages.md", "../../docs/internal/messages.md"} {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages += string(page)
	}
	var all []example
	for _, m := range shellBlocks.FindAllStringSubmatch(pages, -1) {
		e := example{command: m[1], instance: unique("order")}
		kind := kindField.FindStringSubmatch(e.command)
		if kind == nil || kind[1] != string(wire.Sweep) && !sampleOrder.MatchString(e.command) {
			t.Fatalf("no kind, or no order-1, in the example\n%s", e.command)
		}
		e.kind = wire.Kind(kind[1])
		e.command = sampleOrder.ReplaceAllString(e.command, e.instance)
		all = append(all, e)
	}
	// What takes half a minute goes first.
	slices.SortStableFunc(all, func(a, b example) int {
		return strings.Count(b.command, "--delay-seconds") - strings.Count(a.command, "--delay-seconds")
	})
	return all
}

// TestTheExamplesOfTheContractDoWhatItSays pastes every command of
// docs/messages.md, each for an order of its own. First all orders get to
// where they wait for their approval, then all is pasted, then all is looked
// at, so that the waits overlap.
func TestTheExamplesOfTheContractDoWhatItSays(t *testing.T) {
	t.Parallel()
	s, ctx := deployed(t)
	all := examples(t)
	seen := map[wire.Kind]int{}
	for i := range all {
		e := &all[i]
		seen[e.kind]++
		e.run = client.Attach(s.client, orders.Fulfil, e.instance)
		if e.kind != wire.StartOrchestration {
			if _, err := client.Start(ctx, s.client, orders.Fulfil, order(e.instance), client.WithInstanceID(e.instance)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, k := range wire.Kinds() {
		if seen[k] == 0 {
			t.Errorf("no example of %s", k)
		}
	}
	for _, e := range all {
		if e.kind != wire.StartOrchestration {
			awaitApprovalAwaited(ctx, t, s.client, e.instance)
		}
		if e.kind == wire.PurgeInstance { // of one that has ended
			if err := s.client.Terminate(ctx, e.instance, "to be purged"); err != nil {
				t.Fatal(err)
			}
			e.wants(ctx, t, s, client.StatusTerminated, "")
		}
		paste(ctx, t, e.command,
			"ORCHESTRATOR_QUEUE_URL="+variable(t, "TURNSTILE_ORCHESTRATOR_QUEUE_URL"),
			"DELAY_QUEUE_URL="+variable(t, "TURNSTILE_DELAY_QUEUE_URL"),
			"ACTIVITY_QUEUE_URL="+variable(t, "TURNSTILE_ACTIVITY_QUEUE_URL"))
	}
	for _, e := range all {
		t.Run(string(e.kind), func(t *testing.T) { e.check(ctx, t, s) })
	}
}

func (e *example) check(ctx context.Context, t *testing.T, s *stack) {
	switch e.kind {
	case wire.StartOrchestration:
		if strings.Contains(e.command, `"events"`) { // brings its approval
			e.wants(ctx, t, s, client.StatusCompleted, "shipped")
			return
		}
		e.approve(ctx, t, s)
		e.wants(ctx, t, s, client.StatusCompleted, "shipped")
	case wire.ExternalRaised:
		var approved struct {
			Data orders.Approval `json:"data"`
		}
		body := e.command[strings.Index(e.command, "{"):strings.LastIndex(e.command, "'")]
		if err := json.Unmarshal([]byte(body), &approved); err != nil {
			t.Fatal(err)
		}
		want := "not approved"
		if approved.Data.Approved {
			want = "shipped"
		}
		e.wants(ctx, t, s, client.StatusCompleted, want)
	case wire.CancelInstance:
		e.wants(ctx, t, s, client.StatusCancelled, "")
	case wire.TerminateInstance:
		e.wants(ctx, t, s, client.StatusTerminated, "")
	case wire.PurgeInstance:
		eventually(ctx, t, "instance "+e.instance+" is still described", func() bool {
			_, err := s.client.Describe(ctx, e.instance)
			return err != nil && ctx.Err() == nil
		})
		if _, err := s.client.Describe(ctx, e.instance); !isNotFound(err) {
			t.Errorf("describe of a purged instance: %v", err)
		}
	case wire.SuspendInstance:
		eventually(ctx, t, "instance "+e.instance+" is not suspended", func() bool {
			d, err := s.client.Describe(ctx, e.instance)
			return err == nil && d.Status == client.StatusSuspended || ctx.Err() != nil
		})
		if err := s.client.Resume(ctx, e.instance, "enough"); err != nil {
			t.Fatal(err)
		}
		e.approve(ctx, t, s)
		e.wants(ctx, t, s, client.StatusCompleted, "shipped")
	case wire.Wake, wire.Sweep, wire.InstanceEvent, wire.ResumeInstance: // which an instance that is not stuck, nor suspended, does not notice
		e.approve(ctx, t, s)
		e.wants(ctx, t, s, client.StatusCompleted, "shipped")
	default: // with a made-up token: M-03 and M-14, and the instance goes on
		dead := s.awaitDeadLetter(ctx, t, variable(t, "TURNSTILE_DEAD_FIFO_QUEUE_URL"), ofGroup(e.instance))
		reason := *dead.MessageAttributes[wire.ReasonAttribute].StringValue
		if word, _, _ := strings.Cut(reason, ":"); !slices.Contains([]string{string(wire.ReasonForged), string(wire.ReasonMisaddressed)}, word) {
			t.Errorf("dead-lettered as %q", reason)
		}
		e.approve(ctx, t, s)
		e.wants(ctx, t, s, client.StatusCompleted, "shipped")
	}
}

func (e *example) approve(ctx context.Context, t *testing.T, s *stack) {
	t.Helper()
	if err := client.Raise(ctx, s.client, orders.Approved, e.instance, orders.Approval{By: "Grace", Approved: true}); err != nil {
		t.Fatal(err)
	}
}

// wants waits for the end and checks the status, the result's status, and the
// history.
func (e *example) wants(ctx context.Context, t *testing.T, s *stack, status client.Status, result string) {
	t.Helper()
	d, err := s.client.Wait(ctx, e.instance)
	if err != nil {
		t.Fatal(err)
	}
	if d.Status != status {
		t.Errorf("status %s, want %s (failure %+v)", d.Status, status, d.Failure)
	}
	if result != "" {
		if got, err := e.run.Wait(ctx); err != nil || got.Status != result {
			t.Errorf("result %+v, %v, want status %q", got, err, result)
		}
	}
	checkedHistory(ctx, t, s.client, sample(), e.instance)
}
