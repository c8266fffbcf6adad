package store

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"

	"github.com/turnstile-go/turnstile/history"
)

// Turn is one append to the history of an execution: the events of one commit.
type Turn struct {
	Instance    string
	ExecutionID int64
	// Events, contiguous; the EventID of the first is the turn's slot.
	Events []history.Event
	// Token identifies this append: new for each content, and the same only for byte-identical repeats.
	// 1 to MaxToken characters. It proves nothing; completions are proven by tokens of another kind
	// (package keyring).
	Token string
	// Messaged is set if the turn begins with an event that a message reported. It is not set for a
	// turn that processes parked events, continues with inline results, or is the first of a continued
	// execution.
	Messaged bool
	// Parked is set if the turn's last incoming events were recorded without running the code. It is
	// for logs and checks, not for replay.
	Parked bool
	// Cancelled lists the scheduling events (of this execution, in any turn) that this turn cancelled,
	// including waits and inline activities, in the order in which they were cancelled. If the turn
	// ended the execution, the list also has the open operations that the host must stop: activities,
	// timers and children.
	Cancelled []int64
	// Reasons are the reasons that the code gave for these cancellations, by event; nil for none.
	// The stopped activities and children receive their reasons. The reasons are stored so that
	// they can be sent again.
	Reasons map[int64]string
}

// First returns the event id of the turn's first event, which is the turn's slot.
func (t *Turn) First() int64 { return t.Events[0].EventID }

// Last returns the event id of the turn's last event.
func (t *Turn) Last() int64 { return t.Events[len(t.Events)-1].EventID }

// Commit is written as a whole.
type Commit struct {
	// Turns has one turn, or two when an execution ends as continued-as-new and the next one starts.
	Turns []Turn
	// Record is the change of the record; nil if the record stays as it is.
	Record *RecordChange
}

// Check returns an ErrInvalidTurn if a commit must not be written: no turn or more than two, a turn
// without events, with a gap, a repeated id or an id below 1, two turns of one execution or of
// different instances, or a missing token. Every Store calls it before any write.
func (c *Commit) Check() error {
	if n := len(c.Turns); n < 1 || n > 2 {
		return fmt.Errorf("%w: a commit has %d turns; it must have one, or two with continue-as-new", ErrInvalidTurn, n)
	}
	for i := range c.Turns {
		if err := c.Turns[i].check(); err != nil {
			return err
		}
	}
	if len(c.Turns) == 2 {
		a, b := &c.Turns[0], &c.Turns[1]
		if a.Instance != b.Instance || a.ExecutionID == b.ExecutionID {
			return fmt.Errorf("%w: two turns in one commit must be of two executions of one instance, not %q execution %d and %q execution %d",
				ErrInvalidTurn, a.Instance, a.ExecutionID, b.Instance, b.ExecutionID)
		}
	}
	return nil
}

func (t *Turn) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: instance %q execution %d: %s", ErrInvalidTurn, t.Instance, t.ExecutionID, fmt.Sprintf(format, args...))
	}
	switch {
	case t.Instance == "":
		return bad("the instance id is empty")
	case len(t.Instance) > MaxInstance:
		return bad("the instance id has %d bytes; the limit is %d", len(t.Instance), MaxInstance)
	case t.ExecutionID < 1:
		return bad("execution ids start at 1")
	case t.Token == "" || len(t.Token) > MaxToken:
		return bad("the token has %d characters; it needs 1 to %d", len(t.Token), MaxToken)
	case len(t.Events) == 0:
		return bad("no events")
	case t.First() < 1:
		return bad("its first event id is %d; event ids start at 1", t.First())
	}
	for i := range t.Events {
		if got, want := t.Events[i].EventID, t.First()+int64(i); got != want {
			return bad("event id %d follows, but %d was expected", got, want)
		}
	}
	return nil
}

// Digest identifies the content of the turn, given the events as history.Encode wrote them: 128 bits of
// SHA-256 over the events and the turn's other fields, in base64. Together with the token it
// distinguishes a writer's own append from another writer's.
func (t *Turn) Digest(encoded []byte) string {
	h := sha256.New()
	b := make([]byte, 0, 256)
	b = strconv.AppendInt(b, t.ExecutionID, 10)
	b = strconv.AppendBool(append(b, ' '), t.Messaged)
	b = strconv.AppendBool(append(b, ' '), t.Parked)
	for _, id := range t.Cancelled {
		b = strconv.AppendInt(append(b, ' '), id, 10)
	}
	if len(t.Reasons) > 0 {
		b = append(append(b, ' '), t.EncodeReasons()...)
	}
	b = append(b, '\n')
	b = append(b, t.Instance...)
	b = append(b, '\n')
	h.Write(b)
	h.Write(encoded)
	var sum [sha256.Size]byte
	return base64.RawStdEncoding.EncodeToString(h.Sum(sum[:0])[:16])
}

// Cut returns the turn with only its events from event id `from` on, because a read may begin in the
// middle of it. The events are shared.
func (t Turn) Cut(from int64) Turn {
	if skip := from - t.First(); skip > 0 {
		t.Events = t.Events[skip:]
	}
	return t
}

// Largest returns the event with the longest payload, for errors: its id, a description of its payload
// and the payload's size in bytes.
func (t *Turn) Largest() (eventID int64, what string, size int) {
	for i := range t.Events {
		e := &t.Events[i]
		n := len(e.Payload)
		if e.Failure != nil {
			n += len(e.Failure.Message) + len(e.Failure.Stack) + len(e.Failure.Details)
		}
		if e.Start != nil {
			n += len(e.Start.States)
		}
		if eventID == 0 || n > size {
			eventID, size = e.EventID, n
			what = "payload of " + e.Kind.String()
			if e.Name != "" {
				what += " " + strconv.Quote(e.Name)
			}
		}
	}
	return eventID, what, size
}
