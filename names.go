package turnstile

import (
	"fmt"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/wire"
)

// InvalidNameError says that an instance id, a name, a version or another id
// is not one that can be used. Nothing was sent or recorded.
type InvalidNameError struct {
	// What it is: "instance id", "activity name", …
	What string
	// Value that was given.
	Value string
	// Problem, with the limit.
	Problem string
}

func (e *InvalidNameError) Error() string {
	value := e.Value
	if len(value) > 80 {
		value = value[:80] + "…"
	}
	return fmt.Sprintf("turnstile: invalid %s %q: %s", e.What, value, e.Problem)
}

// The limits are those of the work item contract, so that what passes here is
// not refused by the other side.

func validInstance(id string) error {
	return validText("instance id", id, wire.DefaultLimits().InstanceID, false)
}

func validName(what, name string) error {
	return validText(what+" name", name, wire.DefaultLimits().Name, false)
}

func validVersion(version string) error {
	return validText("version", version, wire.DefaultLimits().Name, true)
}

func validID(what, id string) error {
	return validText(what, id, wire.DefaultLimits().ID, true)
}

func validText(what, value string, limit int, empty bool) error {
	problem := ""
	switch {
	case value == "" && !empty:
		problem = fmt.Sprintf("it is empty; 1 to %d bytes of UTF-8 are allowed", limit)
	case len(value) > limit:
		problem = fmt.Sprintf("it has %d bytes, the limit is %d: use a shorter one, or a hash", len(value), limit)
	case !utf8.ValidString(value):
		problem = "it is not UTF-8"
	default:
		if what, at := wire.BadCharacter(value); what != "" {
			problem = fmt.Sprintf("it has %s at byte %d: leave it out", what, at)
		}
	}
	if problem == "" {
		return nil
	}
	return &InvalidNameError{What: what, Value: value, Problem: problem}
}

func registered(err error, source string) error {
	return fmt.Errorf("%w (registered at %s)", err, source)
}
