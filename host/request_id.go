package host

import (
	"context"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/wire"
)

// RequestID returns what the surroundings call the invocation that ctx belongs
// to, as it can be looked up in logs; empty where it has no name. It is recorded
// with the completions of the activities that ran in it. One that no work item
// takes (see wire.Limits.ID) counts as empty.
type RequestID func(ctx context.Context) string

// Of returns the name of the invocation that ctx belongs to; empty where it has
// none that a work item takes.
func (f RequestID) Of(ctx context.Context) string {
	if f == nil {
		return ""
	}
	id := f(ctx)
	if what, _ := wire.BadCharacter(id); what != "" || len(id) > wire.DefaultLimits().ID || !utf8.ValidString(id) {
		return ""
	}
	return id
}
