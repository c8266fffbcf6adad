package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/store"
)

// display shows what happens, one block of lines a turn. It is told by several
// goroutines.
type display struct {
	host.NoObserver
	paint paint

	mu    sync.Mutex
	out   io.Writer
	start time.Time
	turns map[string]int // by instance
}

func newDisplay(out io.Writer, colours bool) *display {
	return &display{out: out, paint: paint(colours), turns: map[string]int{}}
}

// title says what is going to happen. Times are shown from start on.
func (d *display) title(start time.Time, f flags) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.start = start
	time := "real time"
	if f.virtual {
		time = "virtual time, waits are skipped"
	}
	approval := fmt.Sprintf("approved after %s", f.approveAfter)
	if !f.approve {
		approval = "never approved"
	}
	fmt.Fprintf(d.out, "%s  embedded in this process, %s; order %s for %s, %s within %s\n\n",
		d.paint.bold("orders"), time, f.order.ID, f.order.Customer, approval, f.order.ApproveWithin)
	fmt.Fprintln(d.out, d.paint.dim("  Each block is one turn: what arrived, what the code answered, and what was sent"))
	fmt.Fprintln(d.out, d.paint.dim("  once that was committed."))
}

// Committed shows a turn, or the two of a continue-as-new.
func (d *display) Committed(c host.Committed) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range c.Turns {
		d.turn(&c.Turns[i])
	}
	if c.Turns[0].Parked {
		fmt.Fprintln(d.out, d.paint.red("        recorded without running the code: the instance is stuck"))
	}
	for _, a := range c.Actions {
		fmt.Fprintln(d.out, d.paint.dim("        → "+action(a, eventTime(&c.Turns[0]))))
	}
}

func (d *display) turn(t *store.Turn) {
	d.turns[t.Instance]++
	head := fmt.Sprintf("turn %d", d.turns[t.Instance])
	if t.ExecutionID > 1 || t.First() == 1 && d.turns[t.Instance] > 1 {
		head += fmt.Sprintf(" · execution %d", t.ExecutionID)
	}
	fmt.Fprintf(d.out, "\n%s  %s  %s\n", d.clock(eventTime(t)), d.paint.bold(t.Instance), d.paint.dim(head))
	for i := range t.Events {
		e := &t.Events[i]
		name, detail := describe(e)
		fmt.Fprintf(d.out, "  %5d %s %s\n", e.EventID, d.paint.kind(e.Kind, fmt.Sprintf("%-27s", name)), detail)
	}
}

// said shows one line that is not a turn.
func (d *display) said(at time.Time, instance, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.out, "\n%s  %s  %s\n", d.clock(at), d.paint.bold(instance), d.paint.yellow(text))
}

// deadLetter shows a message that was not understood, with its reason.
func (d *display) deadLetter(m embedded.DeadLetter) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.out, "\n%s  %s\n         %s\n", d.paint.red("not taken"), clip(m.Body, 100), m.Reason)
}

// outcome shows how an instance ended, or stands.
func (d *display) outcome(i turnstile.Description, deadLetters int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	status := d.paint.green(string(i.Status))
	if i.Status != turnstile.StatusCompleted {
		status = d.paint.red(string(i.Status))
	}
	fmt.Fprintf(d.out, "\n%s %s in %s, %d turns\n", d.paint.bold(i.Instance), status, elapsed(i), d.turns[i.Instance])
	switch {
	case i.Failure != nil:
		fmt.Fprintf(d.out, "  %s\n", i.Failure.Message)
	case i.Problem != nil:
		fmt.Fprintf(d.out, "  %s: %s\n", i.Problem.Kind, i.Problem.Message)
	case len(i.Output) > 0:
		fmt.Fprintln(d.out, indent(i.Output))
	}
	if deadLetters > 0 {
		fmt.Fprintf(d.out, "  %s\n", d.paint.red(fmt.Sprintf("%d messages are in the dead-letter queues", deadLetters)))
	}
}

// hint says what -keep takes.
func (d *display) hint() {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintf(d.out, "\n%s\n", d.paint.dim("Work items on standard input, one a line, until it ends (Ctrl-D) or Ctrl-C. For example:"))
	for _, example := range []string{
		`{"kind":"StartOrchestration","instance":"order-7","name":"Fulfil","input":` + sampleJSON() + `}`,
		`{"kind":"ExternalRaised","instance":"order-7","name":"approved","data":{"by":"you","approved":true}}`,
		`{"kind":"CancelInstance","instance":"order-7","reason":"changed my mind"}`,
	} {
		fmt.Fprintln(d.out, "  "+example)
	}
}

// clock shows a time as seconds from the start.
func (d *display) clock(at time.Time) string {
	return d.paint.dim(fmt.Sprintf("%+8.2fs", max(at.Sub(d.start), 0).Seconds()))
}

func elapsed(i turnstile.Description) time.Duration {
	end := i.EndedAt
	if end.IsZero() {
		end = i.UpdatedAt
	}
	return end.Sub(i.CreatedAt).Round(10 * time.Millisecond)
}

func eventTime(t *store.Turn) time.Time { return time.UnixMilli(t.Events[0].AtMS) }

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
