package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/printable"
)

// operationOf returns the event of an operation, which named gives by event number or, for a timer, by
// label.
func operationOf(ctx context.Context, cl backend.Instances, instance, of, named string) (int64, error) {
	n, err := eventNumber(named)
	if err == nil || of != "timer" {
		return n, err
	}
	waiting, err := cl.Pending(ctx, instance)
	if err != nil {
		return 0, err
	}
	var found, others []string
	var event int64
	for i := range waiting.Operations {
		switch o := &waiting.Operations[i]; {
		case o.Kind != history.TimerCreated:
		case o.Label == named:
			event = o.EventID
			found = append(found, strconv.FormatInt(o.EventID, 10))
		case o.Label != "":
			others = append(others, strconv.Quote(o.Label))
		}
	}
	switch {
	case len(found) == 1:
		return event, nil
	case len(found) > 1:
		return 0, usagef("%d pending timers of %s have the label %q: give one of the event numbers %s", len(found), printable.Line(instance), named, strings.Join(found, ", "))
	case len(others) > 0:
		return 0, usagef("%q is neither an event number nor the label of a pending timer of %s: its timers have the labels %s", named, printable.Line(instance), strings.Join(others, ", "))
	}
	return 0, usagef("%q is neither an event number nor the label of a pending timer of %s: describe and timeline show both", named, printable.Line(instance))
}

// eventNumber parses an event number.
func eventNumber(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 {
		return 0, usagef("%q is not an event number: give a number from 1, as shown by describe and timeline", s)
	}
	return n, nil
}
