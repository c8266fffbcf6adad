// Package names says whether a text can be an instance id, a name, a version or
// another id. The limits are those of the work item contract, so that what
// passes here is not refused by the other side.
package names

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Instance returns the problem with an instance id; "" if there is none.
func Instance(id string) string { return text(id, wire.DefaultLimits().InstanceID, false) }

// Name returns the problem with the name of an orchestration, an activity or a
// query; "" if there is none.
func Name(name string) string { return text(name, wire.DefaultLimits().Name, false) }

// Event returns the problem with the name of an external event; "" if there is none.
func Event(name string) string {
	for _, reserved := range []string{history.UpdatePrefix, history.AnswerPrefix} {
		if strings.HasPrefix(name, reserved) {
			return fmt.Sprintf("names that begin with %q are reserved for updates: use client.Update", reserved)
		}
	}
	return Name(name)
}

// Update returns the problem with the name of an update; "" if there is none.
func Update(name string) string {
	return text(name, wire.DefaultLimits().Name-len(history.UpdatePrefix), false)
}

// Version returns the problem with a version, which may be empty; "" if there is
// none.
func Version(version string) string { return text(version, wire.DefaultLimits().Name, true) }

// Actor returns the problem with the name of an actor, which may be empty; "" if
// there is none.
func Actor(actor string) string { return text(actor, wire.DefaultLimits().Name, true) }

// ID returns the problem with a start id or a sender id, which may be empty; ""
// if there is none.
func ID(id string) string { return text(id, wire.DefaultLimits().ID, true) }

// Headers returns the problem with headers; "" if there is none.
func Headers(headers map[string]string) string {
	if err := wire.CheckHeaders(headers); err != nil {
		return err.Error()
	}
	return ""
}

// text returns the problem with a text of at most limit bytes; "" if there is
// none.
func text(value string, limit int, mayBeEmpty bool) string {
	switch {
	case value == "" && !mayBeEmpty:
		return fmt.Sprintf("it is empty; 1 to %d bytes of UTF-8 are allowed", limit)
	case len(value) > limit:
		return fmt.Sprintf("it has %d bytes; the limit is %d: use a shorter one, or a hash", len(value), limit)
	case !utf8.ValidString(value):
		return "it is not UTF-8"
	}
	if what, at := wire.BadCharacter(value); what != "" {
		return fmt.Sprintf("it has %s at byte %d: leave it out", what, at)
	}
	return ""
}
