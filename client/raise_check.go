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

// RaiseCheck is what can be known of an event before it is raised.
type RaiseCheck struct {
	// Instance and Name are those of the request.
	Instance, Name string
	// Known: the instance has a record, and runs. Awaited and Waits say nothing
	// otherwise.
	Known bool
	// Awaited: a wait of the instance is open for an event of that name.
	Awaited bool
	// Waits are the names of the events that it waits for, each once, in the
	// order in which the waits began.
	Waits []string
	// Data is why no event of that name that Config.App declares takes the data:
	// a [*turnstile.DecodeError], which names the field. Nil if one does, and if
	// none is declared: what the code decodes is not known then.
	Data error
}

// CheckRaise says what is known of an event before it is raised: whether the
// instance waits for it now, and, with Config.App, whether the data has the type
// that is declared. Nothing is sent. It reads the record and the history of the
// current execution, so it is for people at a prompt; a program uses the
// declaration ([Raise]), where the type cannot be another.
//
// An event that nothing waits for yet may be right: it is kept until the code
// waits for it.
func (c *Client) CheckRaise(ctx context.Context, r RaiseRequest) (RaiseCheck, error) {
	k := RaiseCheck{Instance: r.Instance, Name: r.Name}
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
		if o := &open[i]; o.Kind == history.ExternalSubscribed && !slices.Contains(k.Waits, o.Name) {
			k.Waits = append(k.Waits, o.Name)
		}
	}
	k.Known, k.Awaited = true, slices.Contains(k.Waits, r.Name)
	return k, nil
}

// Notes are what is odd, for people, a sentence each; nil if nothing is.
func (k RaiseCheck) Notes() []string {
	var notes []string
	if k.Known && !k.Awaited {
		const shown = 10
		waits := "It waits for no event"
		if len(k.Waits) > 0 {
			var names []string
			for _, n := range k.Waits[:min(len(k.Waits), shown)] {
				names = append(names, strconv.Quote(n))
			}
			waits = "It waits for event " + strings.Join(names, ", ")
			if more := len(k.Waits) - shown; more > 0 {
				waits += fmt.Sprintf(" and %d more", more)
			}
		}
		notes = append(notes, fmt.Sprintf("nothing in instance %q waits for event %q now: the event is kept until the code waits for it. %s%s",
			k.Instance, k.Name, waits, near.Hint(k.Name, k.Waits)))
	}
	if k.Data != nil {
		notes = append(notes, k.Data.Error())
	}
	return notes
}
