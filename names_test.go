package turnstile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
)

func TestL06IdsAndNamesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	e := arrange(t, nil, calculate.Is(calculated))
	for _, c := range []struct {
		name string
		call func() error
		what string
	}{
		{"L-06 an overlong instance id", func() error {
			_, err := e.client.Start(e.ctx, turnstile.StartRequest{Name: "Calculate", Instance: strings.Repeat("é", 257)})
			return err
		}, "instance id"},
		{"L-06 an instance id with a control character", func() error {
			_, err := e.client.Describe(e.ctx, "a\nb")
			return err
		}, "instance id"},
		{"L-06 an instance id that is not UTF-8", func() error { return e.client.Cancel(e.ctx, "\xff", "") }, "instance id"},
		{"L-06 an empty instance id", func() error { return e.client.Wake(e.ctx, "") }, "instance id"},
		{"L-06 an empty orchestration name", func() error {
			_, err := e.client.Start(e.ctx, turnstile.StartRequest{})
			return err
		}, "orchestration name"},
		{"L-06 an overlong version", func() error {
			_, err := calculate.StartWith(e.ctx, e.client, 1, turnstile.Version(strings.Repeat("1", 257)))
			return err
		}, "version"},
		{"L-06 an overlong start id", func() error {
			_, err := calculate.StartWith(e.ctx, e.client, 1, turnstile.StartID(strings.Repeat("1", 257)))
			return err
		}, "start id"},
		{"L-06 an empty event name", func() error {
			return e.client.RaiseEvent(e.ctx, turnstile.RaiseRequest{Instance: "i"})
		}, "event name"},
		{"L-06 an empty name of a first event", func() error {
			_, err := calculate.StartWith(e.ctx, e.client, 1, turnstile.NewEvent[int]("").First(1))
			return err
		}, "event name"},
		{"L-06 an overlong sender id", func() error {
			return turnstile.NewEvent[int]("e").Raise(e.ctx, e.client, "i", 1, turnstile.SenderID(strings.Repeat("1", 257)))
		}, "sender id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := c.call()
			invalid, isInvalid := errors.AsType[*turnstile.InvalidNameError](err)
			if !isInvalid || invalid.What != c.what {
				t.Errorf("the error is %v, want an *InvalidNameError about the %s", err, c.what)
			}
		})
	}
}

func TestIdsThatAreAllowedPass(t *testing.T) {
	t.Parallel()
	e := start(t, calculate.Is(calculated), double.Is(doubled))
	for _, id := range []string{"a", "with spaces", "a/b#c", "déjà-vu", strings.Repeat("é", 256)} {
		run := ok[*turnstile.Run[int]](t)(calculate.StartWith(e.ctx, e.client, 21, turnstile.InstanceID(id)))
		if got := ok[int](t)(run.Wait(e.ctx)); got != 42 {
			t.Errorf("instance %q: %d, want 42", id, got)
		}
	}
}
