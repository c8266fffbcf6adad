// Package settings says what is wrong with host.Settings in the errors of package turnstile,
// which package host does not know.
package settings

import (
	"errors"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/host"
)

// Check returns an error for settings that are not safe: a *turnstile.InvalidArgumentError of
// the call, or several, joined. The settings stay as they are.
func Check(call string, s host.Settings) error {
	err := s.Complete()
	if err == nil {
		return nil
	}
	wrong := []error{err}
	if joined, is := err.(interface{ Unwrap() []error }); is {
		wrong = joined.Unwrap()
	}
	for i, e := range wrong {
		if setting, is := errors.AsType[interface {
			error
			Setting() (name, problem string)
		}](e); is {
			name, problem := setting.Setting()
			wrong[i] = &turnstile.InvalidArgumentError{Call: call, Argument: "setting " + name, Problem: problem}
		}
	}
	return errors.Join(wrong...)
}
