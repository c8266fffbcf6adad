package turnstiletest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/near"
	"github.com/turnstile-go/turnstile/store"
)

// checkStuck fails the test if an instance is stuck or corrupt. With AllowStuck it reports whether
// there is one.
func (e *Env) checkStuck(call string) bool {
	e.t.Helper()
	if !e.suspect {
		return false
	}
	found := false
	for _, status := range []store.Status{store.StatusStuck, store.StatusCorrupt} {
		for _, r := range e.records(status) {
			found = true
			if !e.opts.allowStuck {
				e.t.Fatalf("turnstiletest: %s: %s", call, e.problem(&r))
			}
		}
	}
	e.suspect = found
	return found
}

// onlySweeps reports whether only sweeps are left, which wake stuck instances without end.
func (e *Env) onlySweeps() bool {
	if len(e.paused) > 0 || e.timed > 0 || len(e.timer.Pending()) > 0 {
		return false
	}
	for _, q := range e.queues.Sources() {
		if len(q.Queue.Peek()) > 0 {
			return false
		}
	}
	return true
}

// records returns the records with a status, or all records, oldest first.
func (e *Env) records(status store.Status) []store.Record {
	e.t.Helper()
	var all []store.Record
	q := store.ListQuery{Status: status}
	for {
		page, err := e.store.List(context.Background(), q)
		if err != nil {
			e.t.Fatalf("turnstiletest: listing instances: %v", err)
		}
		for _, r := range page.Records {
			// Payloads that cannot be decoded stay encoded, and the record names their codec.
			_ = e.opts.codecs.DecodeRecord(&r)
			all = append([]store.Record{r}, all...)
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			return all
		}
	}
}

// problem describes a stuck instance with its history.
func (e *Env) problem(r *store.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "instance %q (%s) is %s", r.Instance, r.Name, r.Status)
	if p := r.Problem; p != nil {
		fmt.Fprintf(&b, " at event %d (%s):\n%s", p.EventID, p.Kind, p.Message)
		if p.Stack != "" {
			fmt.Fprintf(&b, "\n%s", strings.TrimSpace(p.Stack))
		}
	}
	fmt.Fprintf(&b, "\nits history: %s", e.history(r.Instance, r.ExecutionID))
	return b.String()
}

// never fails the test because nothing that is left to do can change the instance.
func (e *Env) never(call, instance, what string) {
	e.t.Helper()
	r, err := e.store.Describe(context.Background(), instance)
	switch {
	case errors.Is(err, store.ErrNotFound):
		e.t.Fatalf("turnstiletest: %s: instance %q does not exist, and nothing is left to do that could start it", call, instance)
	case err != nil:
		e.t.Fatalf("turnstiletest: %s: %v", call, err)
	case r.Suspension != nil:
		e.t.Fatalf("turnstiletest: %s: instance %q is suspended since event %d (%s), and nothing is left to do that could resume it: call Client().Resume\nits history: %s",
			call, instance, r.Suspension.EventID, r.Suspension.Reason, e.history(instance, r.ExecutionID))
	case r.Problem != nil:
		e.t.Fatalf("turnstiletest: %s: %s", call, e.problem(&r))
	}
	e.t.Fatalf("turnstiletest: %s: instance %q %s, because nothing is left to do\n%s", call, instance, what, e.overview())
}

// overview lists all instances, and what the running ones wait for.
func (e *Env) overview() string {
	e.t.Helper()
	var lines []string
	for _, r := range e.records("") {
		if r.Status.Terminal() {
			lines = append(lines, fmt.Sprintf("instance %q (%s) is %s", r.Instance, r.Name, r.Status))
			continue
		}
		lines = append(lines, fmt.Sprintf("instance %q (%s) is %s and waits for %s\n  its history: %s",
			r.Instance, r.Name, r.Status, e.open(r.Instance), e.history(r.Instance, r.ExecutionID)))
	}
	for _, d := range e.DeadLetters() {
		lines = append(lines, fmt.Sprintf("dead letter (%s): %s", d.Reason, d.Body))
	}
	if len(lines) == 0 {
		return "no instance exists"
	}
	return strings.Join(lines, "\n")
}

// open lists the open operations of an instance.
func (e *Env) open(instance string) string {
	operations, err := e.client.PendingOperations(context.Background(), instance)
	if err != nil {
		return err.Error()
	}
	var open []string
	for i := range operations {
		o := &operations[i]
		switch o.Kind {
		case history.ExternalSubscribed:
			if o.Instance != "" {
				open = append(open, fmt.Sprintf("the answer of instance %q to update %q (event %d)", o.Instance, o.Name, o.EventID))
				break
			}
			open = append(open, fmt.Sprintf("event %q, which was not raised (event %d)%s", o.Name, o.EventID, e.nearEvent(instance, o.Name)))
		case history.ActivityScheduled:
			open = append(open, fmt.Sprintf("activity %q (event %d)%s", o.Name, o.EventID, e.unservedQueue(instance, o.EventID)))
		case history.TimerCreated:
			open = append(open, fmt.Sprintf("a timer due %s (event %d)", o.DueAt.Format(time.RFC3339), o.EventID))
		case history.SubOrchestrationScheduled:
			child := "not started"
			if o.Child != nil {
				child = string(o.Child.Status)
			}
			open = append(open, fmt.Sprintf("sub-orchestration %q, instance %q, which is %s (event %d)", o.Name, o.Instance, child, o.EventID))
		}
		if o.Label != "" {
			open[len(open)-1] = o.Label + ", " + open[len(open)-1]
		}
	}
	if len(open) == 0 {
		return "nothing that the history shows"
	}
	return strings.Join(open, ", ")
}

// nearEvent names an event with a similar name that was raised for the instance.
func (e *Env) nearEvent(instance, name string) string {
	var raised []string
	for _, ev := range e.history(instance, 0) {
		if ev.Kind == history.ExternalEvent {
			raised = append(raised, ev.Name)
		}
	}
	if n := near.Name(name, raised); n != "" {
		return fmt.Sprintf(", but %q was: should they have the same name?", n)
	}
	return ""
}
