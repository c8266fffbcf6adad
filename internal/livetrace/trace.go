package livetrace

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/printable"
	"github.com/turnstile-go/turnstile/store"
)

// Trace writes what happens. It is a host.Observer, and safe for concurrent use: lines that belong
// together are written in one piece.
type Trace struct {
	host.NoObserver
	paint paint
	width func() int
	when  func(time.Time) string

	mu  sync.Mutex
	out io.Writer
	// For each running instance: how many turns it has had, if it started while the trace was
	// running, and why it is stuck.
	turns    map[string]int
	problems map[string]string
}

var _ host.Observer = (*Trace)(nil)

// New returns a trace that is written to out. Lines that cannot be written are lost, because no
// caller waits for the trace or fails because of it.
func New(out io.Writer, opts ...Option) *Trace {
	t := &Trace{out: out, turns: map[string]int{}, problems: map[string]string{}, when: timeOfDay, width: func() int { return usual }}
	if file, ok := out.(*os.File); ok && isTerminal(file) {
		t.paint = paint(os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
		t.width = func() int { return columns(file) }
	}
	for _, o := range opts {
		o.apply(t)
	}
	return t
}

// Committed implements host.Observer: it shows a turn, or the two turns of a continue-as-new.
func (t *Trace) Committed(c host.Committed) {
	var b block
	t.mu.Lock()
	defer t.mu.Unlock()
	width := t.width()
	for i := range c.Turns {
		t.turn(&b, &c.Turns[i], width)
	}
	if c.Turns[0].Parked {
		b.line("        %s", t.paint.yellow("recorded; the code has not run"))
	}
	for _, a := range c.Actions {
		b.line("        %s", t.paint.dim(clip("→ "+action(a, eventTime(&c.Turns[0])), width-8)))
	}
	t.write(&b)
}

func (t *Trace) turn(b *block, turn *store.Turn, width int) {
	var head []string
	if n, counted := t.turns[turn.Instance]; counted || turn.First() == 1 && turn.ExecutionID == 1 {
		t.turns[turn.Instance] = n + 1
		head = append(head, fmt.Sprintf("turn %d", n+1))
	}
	if turn.ExecutionID > 1 {
		head = append(head, fmt.Sprintf("execution %d", turn.ExecutionID))
	}
	if last := turn.Events[len(turn.Events)-1].Kind; last.Terminal() && !continues(last) {
		delete(t.turns, turn.Instance) // Ended instances use no memory.
		delete(t.problems, turn.Instance)
	}
	b.line("")
	b.line("%s", t.entry(t.clock(eventTime(turn)), printable.Line(turn.Instance), t.paint.dim(strings.Join(head, " · "))))
	for i := range turn.Events {
		e := &turn.Events[i]
		name, detail := describe(e)
		if width < narrow {
			b.line("%4d %s %s", e.EventID, t.paint.kind(e.Kind, name), clip(detail, width-6-len(name)))
			continue
		}
		b.line("  %5d %s %s", e.EventID, t.paint.kind(e.Kind, fmt.Sprintf("%-27s", name)), clip(detail, width-36))
	}
}

// Say shows a line of the program itself, such as that a person has approved something. instance
// may be empty.
func (t *Trace) Say(at time.Time, instance, text string) {
	var b block
	b.line("")
	b.line("%s", t.entry(t.clock(at), printable.Line(instance), t.paint.yellow(printable.Line(text))))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.write(&b)
}

// DeadLetter shows a message that was moved to a dead-letter queue, with its
// reason.
func (t *Trace) DeadLetter(body, reason string) {
	var b block
	t.mu.Lock()
	defer t.mu.Unlock()
	width := t.width()
	b.line("")
	b.line("%s  %s", t.paint.red("dead letter"), clip(printable.Line(body), width-13))
	for _, line := range wrap(printable.Line(reason), width-8) {
		b.line("        %s", line)
	}
	t.write(&b)
}

// entry returns the first line of a block.
func (t *Trace) entry(when, instance, text string) string {
	if instance == "" {
		return when + "  " + text
	}
	return when + "  " + t.paint.bold(instance) + "  " + text
}

func (t *Trace) clock(at time.Time) string { return t.paint.dim(t.when(at)) }

// write writes a block. The caller holds t.mu.
func (t *Trace) write(b *block) { _, _ = t.out.Write(b.text.Bytes()) }

// block is text that is written in one piece.
type block struct{ text bytes.Buffer }

func (b *block) line(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	b.text.WriteString(strings.TrimRight(line, " "))
	b.text.WriteByte('\n')
}

func eventTime(t *store.Turn) time.Time { return time.UnixMilli(t.Events[0].AtMS) }
