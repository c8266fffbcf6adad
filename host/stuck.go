package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/store"
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

// stuckRecord marks the instance as stuck (rule 11), or moves its mark. The first
// mark, and each that a wake finds still there, is due again after a delay that
// grows; a message that is no wake moves the mark only if the reason is another,
// and leaves it due when it was. Whoever moves a mark demands the stamp that was
// read, and raises it.
func (t *turn) stuckRecord(ctx context.Context, c *store.RecordChange, p store.Problem, w wakes) error {
	if !t.described && !t.creating {
		if err := t.describe(ctx); err != nil {
			return err
		}
		if t.record == nil || t.record.Purged || t.record.ExecutionID != t.execution {
			return fmt.Errorf("host: instance %q is no longer at execution %d: %w", t.group.instance, t.execution, store.ErrConflict)
		}
	}
	var before *store.Problem
	var read int64
	if t.record != nil && !t.creating {
		read = t.record.Stamp
		if before = t.record.Problem; before != nil && before.Kind == problemCorrupt {
			before = nil
		}
	}
	now := t.Clock.Now()
	p.SinceMS, p.Tries, p.NextMS, p.WokenMS, p.Build = now.UnixMilli(), 0, 0, 0, t.Build
	if before != nil {
		p.SinceMS, p.Tries, p.NextMS = before.SinceMS, before.Tries, before.NextMS
	}
	if before == nil || w.try {
		p.Tries++
		p.NextMS = now.Add(grown(t.Settings.WakeFirst, t.Settings.WakeMax, p.Tries-1)).UnixMilli()
	} else if before.Kind == p.Kind && before.Message == p.Message {
		t.sweepAt(before)
		return nil
	}
	t.sweepAt(&p)
	status, problem, next := store.StatusStuck, &p, read+1
	c.Status, c.Problem, c.Stamp = &status, &problem, &next
	if !t.creating {
		c.If.Stamp = &read
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
