package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
	"github.com/turnstile-go/turnstile/wire"
)

// Kinds of store.Problem besides those of engine.StuckKind.
const (
	problemKilled  = "killed"
	problemCorrupt = "corrupt"
)

// Longest texts of a problem, in bytes.
const (
	maxProblemMessage = 4 << 10
	maxProblemStack   = 16 << 10
	maxProblemDiff    = 1 << 10 // each of its texts
)

func problemOf(s *engine.StuckError) store.Problem {
	p := store.Problem{Kind: string(s.Kind), Message: cut(s.Message, maxProblemMessage), EventID: s.EventID, Stack: cut(s.Stack, maxProblemStack)}
	if parted, ok := errors.AsType[*engine.NondeterminismError](s); ok {
		p.Diff = &store.ProblemDiff{Have: cut(parted.Recorded, maxProblemDiff), Did: cut(parted.Attempted, maxProblemDiff), At: cut(parted.Location, maxProblemDiff)}
	}
	return p
}

// stuckRecord marks the instance as stuck (rule 11). The first time, and when
// a wake of its chain, or an operator's, has tried in vain, the next wake-up is
// armed under a new number, the delay growing; a message that tried changes the
// mark only if the reason is another.
func (t *turn) stuckRecord(ctx context.Context, c *store.RecordChange, d *draft, p store.Problem, w wakes) error {
	if !t.described && !t.creating {
		if err := t.describe(ctx); err != nil {
			return err
		}
		if t.record == nil || t.record.Purged || t.record.ExecutionID != t.execution {
			return fmt.Errorf("host: instance %q is no longer at execution %d: %w", t.group.instance, t.execution, store.ErrConflict)
		}
	}
	var before *store.Problem
	var number int64
	if t.record != nil && !t.creating {
		number = t.record.WakeNumber
		if before = t.record.Problem; before != nil && before.Kind == problemCorrupt {
			before = nil
		}
	}
	p.SinceMS = t.Clock.Now().UnixMilli()
	if before != nil {
		p.SinceMS, p.Tries = before.SinceMS, before.Tries
	}
	arm := before == nil || w.arm || number == 0
	if arm {
		p.Tries++
	}
	if arm || t.mayHaveMarked() {
		d.wake = t.nextWake(p.Tries)
	}
	if !arm && before.Kind == p.Kind && before.Message == p.Message {
		return nil
	}
	status, problem := store.StatusStuck, &p
	c.Status, c.Problem = &status, &problem
	if arm {
		next := number + 1
		c.WakeNumber = &next
	}
	if !t.creating {
		c.If.WakeNumber = &number
	}
	t.Logger.WarnContext(ctx, "instance is stuck", "instance", t.group.instance, "execution_id", t.execution,
		"kind", p.Kind, "event_id", p.EventID, "message", t.loggedProblem(&p))
	return nil
}

// loggedProblem is what a line says of a problem. The record has all of it; the
// message of a panic, or of code that has parted from its history, may quote a
// payload, which logs have only if they are to.
func (t *turn) loggedProblem(p *store.Problem) string {
	quotes := p.Kind == string(engine.StuckPanic) || p.Kind == string(engine.StuckNondeterminism)
	if !quotes || t.Settings.LogPayloads || t.Codecs != nil { // with codecs it quotes none
		return p.Message
	}
	text := "see the instance's record for the reason (describe), which may quote payloads"
	if p.Diff != nil && p.Diff.At != "" {
		text += "; the code is at " + p.Diff.At
	} else if place := engine.PlaceOf(p.Stack); place != "" {
		text += "; the code is at " + place
	}
	return text
}

// mayHaveMarked reports whether one of the messages was delivered before: that
// delivery may have marked the instance as stuck and died ahead of the wake-up,
// also if it left no fact. Of equal wake-ups one counts.
func (t *turn) mayHaveMarked() bool {
	return slices.ContainsFunc(t.group.messages, (*message).returning)
}

// nextWake returns the wake-up after so many tries. Its number is that which
// the record has once the turn is committed.
func (t *turn) nextWake(tries int) *wire.Item {
	due := t.Clock.Now().Add(grown(t.Settings.WakeFirst, t.Settings.WakeMax, tries-1))
	return &wire.Item{V: wire.Version, Kind: wire.Wake, Instance: t.group.instance, NotBeforeMS: due.UnixMilli()}
}

// wake adds a wake-up of a stuck instance. One that is due later than a queue
// can wait goes round.
func (out *outbox) wake(item *wire.Item) error {
	item.ID = fmt.Sprintf("wake-%d-%d", item.Number, item.NotBeforeMS)
	due := time.UnixMilli(item.NotBeforeMS)
	if err := out.later(item, due); err != nil {
		return err
	}
	out.actions = append(out.actions, Action{Kind: "wake", Name: item.Instance, Due: due})
	return nil
}

// cut bounds a text and marks it as cut.
func cut(s string, n int) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) <= n {
		return s
	}
	const mark = "… (cut)"
	n -= len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}
