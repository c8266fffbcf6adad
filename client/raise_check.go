package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/near"
)

// RaiseCheck is the result of [Client.ValidateRaise].
type RaiseCheck struct {
	// Instance and Name are those of the request.
	Instance, Name string
	// Known is set if the instance has a record and is running. If it is false, Awaited and Waits
	// have no meaning.
	Known bool
	// Awaited is set if the instance waits for an event of that name.
	Awaited bool
	// Waits are the names of the events that the instance waits for, each once, in the order in which
	// the waits started.
	Waits []string
	// Data is a [*turnstile.DecodeError], which names the field, if Config.App declares events of
	// that name and none of them accepts the data. It is nil if one of them does. It is also nil if
	// no such event is declared, because the type that the code decodes is then unknown.
	Data error
}

// ValidateRaise checks an event without sending it: whether the instance waits for it now, and, if
// Config.App is set, whether the data has the declared type. It reads the record and the history of the
// current execution, so it is meant for interactive use. A program uses the declaration ([Raise]), so
// that the compiler checks the type.
//
// An event that the instance does not wait for yet may still be right: it is kept until the code waits
// for it.
//
// Errors: [*turnstile.InvalidArgumentError] for the name.
func (c *Client) ValidateRaise(ctx context.Context, r RaiseRequest) (RaiseCheck, error) {
	k := RaiseCheck{Instance: r.Instance, Name: r.Name}
	if err := validEvent(r.Name); err != nil {
		return k, err
	}
	if c.cfg.App != nil {
		k.Data = c.cfg.App.CheckEvent(r.Name, r.Data)
	}
	d, err := c.Describe(ctx, r.Instance)
	if errors.Is(err, ErrNotFound) {
		return k, nil
	}
	if err != nil || d.Status.Terminal() {
		return k, err
	}
	turns, _, err := c.read(ctx, d, 0)
	if err != nil {
		return k, err
	}
	open := openOperations(turns)
	for i := range open {
		if o := &open[i]; o.Kind == history.ExternalSubscribed && o.Instance == "" && !slices.Contains(k.Waits, o.Name) {
			k.Waits = append(k.Waits, o.Name)
		}
	}
	k.Known, k.Awaited = true, slices.Contains(k.Waits, r.Name)
	return k, nil
}

// Notes returns the problems found, one sentence each, for people; nil if there are none.
func (k RaiseCheck) Notes() []string {
	var notes []string
	if k.Known && !k.Awaited {
		const shown = 10
		waits := "The instance waits for no event"
		if len(k.Waits) > 0 {
			var names []string
			for _, n := range k.Waits[:min(len(k.Waits), shown)] {
				names = append(names, strconv.Quote(n))
			}
			waits = "The instance waits for event " + strings.Join(names, ", ")
			if more := len(k.Waits) - shown; more > 0 {
				waits += fmt.Sprintf(" and %d more", more)
			}
		}
		notes = append(notes, fmt.Sprintf("instance %q is not waiting for event %q: the event is kept until the code waits for it. %s%s",
			k.Instance, k.Name, waits, near.Hint(k.Name, k.Waits)))
	}
	if k.Data != nil {
		notes = append(notes, k.Data.Error())
	}
	return notes
}
