package store

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
)

// Check reports, as ErrInvalidTurn, why a commit must not be written: no turn or
// more than two, a turn without events, with a gap, a repeated id or an id below 1,
// two turns of one execution or of different instances, a missing token. Every
// Store calls it before any write.
func (c *Commit) Check() error {
	if n := len(c.Turns); n < 1 || n > 2 {
		return fmt.Errorf("%w: a commit has one turn, or two with continue-as-new, not %d", ErrInvalidTurn, n)
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
		return bad("the instance id has %d bytes; at most %d fit", len(t.Instance), MaxInstance)
	case t.ExecutionID < 1:
		return bad("executions are numbered from 1")
	case t.Token == "" || len(t.Token) > MaxToken:
		return bad("the token has %d characters; it needs 1 to %d", len(t.Token), MaxToken)
	case len(t.Events) == 0:
		return bad("no events")
	case t.First() < 1:
		return bad("its first event id is %d; they are numbered from 1", t.First())
	}
	for i := range t.Events {
		if got, want := t.Events[i].EventID, t.First()+int64(i); got != want {
			return bad("event id %d stands where %d belongs", got, want)
		}
	}
	return nil
}

// Digest identifies the content of the turn, given the events as
// history.Encode wrote them: 128 bits of SHA-256 over them and the turn's
// marks, in base64. Together with the token it tells an own append from
// another writer's.
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
		b = append(append(b, ' '), EncodeReasons(t.Reasons)...)
	}
	b = append(b, '\n')
	b = append(b, t.Instance...)
	b = append(b, '\n')
	h.Write(b)
	h.Write(encoded)
	var sum [sha256.Size]byte
	return base64.RawStdEncoding.EncodeToString(h.Sum(sum[:0])[:16])
}

// Cut returns the turn with only its events from event id `from` on, because a read
// may begin inside it. The events are shared.
func (t Turn) Cut(from int64) Turn {
	if skip := from - t.First(); skip > 0 {
		t.Events = t.Events[skip:]
	}
	return t
}

// Largest returns the event with the longest payload, for errors: its id, its
// payload's name in words and the payload's size in bytes.
func (t *Turn) Largest() (eventID int64, what string, size int) {
	for i := range t.Events {
		e := &t.Events[i]
		n := len(e.Payload)
		if e.Failure != nil {
			n += len(e.Failure.Message) + len(e.Failure.Stack) + len(e.Failure.Details)
		}
		if e.Start != nil {
			n += len(e.Start.CustomStatus)
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
