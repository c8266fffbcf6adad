package turnstile

import (
	"fmt"

	"github.com/turnstile-go/turnstile/internal/names"
)

// InvalidNameError says that an instance id, a name, a version or another id cannot be
// used. Nothing was sent or recorded.
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

func validInstance(id string) error { return valid("instance id", id, names.Instance(id)) }

func validName(what, name string) error { return valid(what+" name", name, names.Name(name)) }

func validVersion(version string) error { return valid("version", version, names.Version(version)) }

// valid returns the error for a problem with a value; nil if there is none.
func valid(what, value, problem string) error {
	if problem == "" {
		return nil
	}
	return &InvalidNameError{What: what, Value: value, Problem: problem}
}
