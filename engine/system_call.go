package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// System calls are recorded once, with their value, and return the same value on replay.
// They complete immediately, so they also work in a cancelled scope.

func (x *Execution) systemCall(call, op, name string, value func(e *history.Event) error) (*history.Event, error) {
	if _, err := x.enter(call, name); err != nil {
		return nil, err
	}
	want := &history.Event{Kind: history.SystemCall, Op: op, Name: name}
	if x.cursor.live {
		if x.cfg.Options.ReadOnly {
			return nil, x.suspend()
		}
		want.EventID = int64(x.events.len()) + 1
		if err := value(want); err != nil {
			return nil, err
		}
	}
	return x.schedule(want, nil)
}

// Now returns the time of the turn in which it was first called.
func (c *Context) Now() (time.Time, error) {
	e, err := c.x.systemCall("Now", history.OpNow, "", func(e *history.Event) error {
		e.Payload = strconv.AppendInt(nil, c.x.run.nowMS, 10)
		return nil
	})
	if err != nil {
		return time.Time{}, err
	}
	ms, err := strconv.ParseInt(string(e.Payload), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("event %d: recorded time: %w", e.EventID, err)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// GUID returns a random version 4 UUID.
func (c *Context) GUID() (string, error) {
	e, err := c.x.systemCall("UUID", history.OpGUID, "", func(e *history.Event) error {
		e.Payload = strconv.AppendQuote(nil, guid(c.x.run.seed, c.x.cfg.Instance, c.x.cfg.ExecutionID, e.EventID))
		return nil
	})
	if err != nil {
		return "", err
	}
	var id string
	if err := json.Unmarshal(e.Payload, &id); err != nil {
		return "", fmt.Errorf("event %d: recorded GUID: %w", e.EventID, err)
	}
	return id, nil
}

// guid derives a UUID from the turn's seed and the event, so that the engine needs no
// source of randomness.
func guid(seed [16]byte, instance string, executionID, eventID int64) string {
	h := sha256.New()
	h.Write(seed[:])
	var n [16]byte
	binary.BigEndian.PutUint64(n[:8], uint64(executionID))
	binary.BigEndian.PutUint64(n[8:], uint64(eventID))
	h.Write(n[:])
	h.Write([]byte(instance))
	b := h.Sum(nil)[:16]
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// SideEffect runs fn once and records its result; a replay returns that result without
// running fn. fn must not make durable calls. If fn returns an error, the failure is
// recorded instead of a value, and SideEffect returns a *FailureError, also on replay.
func (c *Context) SideEffect(name string, fn func() ([]byte, error)) ([]byte, error) {
	x := c.x
	e, err := x.systemCall("SideEffect", history.OpSideEffect, name, func(e *history.Event) error {
		what := fmt.Sprintf("side effect %q", name)
		x.nested = what
		defer func() { x.nested = "" }()
		value, err := fn()
		if err != nil {
			e.Failure = failureOf(err)
			return nil
		}
		e.Payload = value
		return nil
	})
	if err != nil {
		return nil, err
	}
	if e.Failure != nil {
		return nil, &FailureError{What: fmt.Sprintf("side effect %q", name), EventID: e.EventID, Failure: *e.Failure}
	}
	return e.Payload, nil
}

// Trace records a log line in the history, once, and logs it when the code first reaches
// it.
func (c *Context) Trace(level slog.Level, message string) error {
	first := false
	_, err := c.x.systemCall("Annotate", history.OpTrace, "", func(e *history.Event) error {
		line := struct {
			Level   string `json:"level"`
			Message string `json:"message"`
		}{level.String(), message}
		e.Payload, _ = json.Marshal(line)
		first = true
		return nil
	})
	if first && err == nil {
		c.Logger().Log(context.Background(), level, message)
	}
	return err
}
