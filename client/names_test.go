package client_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
)

func TestL06IdsAndNamesThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	e := arrange(t, nil, calculate.Implement(calculated))
	for _, c := range []struct {
		name string
		call func() error
		what string
	}{
		{"L-06 an overlong instance id", func() error {
			_, err := e.client.Start(e.ctx, client.StartRequest{Name: "Calculate", Instance: strings.Repeat("é", 257)})
			return err
		}, "instance id"},
		{"L-06 an instance id with a control character", func() error {
			_, err := e.client.Describe(e.ctx, "a\nb")
			return err
		}, "instance id"},
		{"L-06 an instance id that is not UTF-8", func() error { return e.client.Cancel(e.ctx, "\xff", "") }, "instance id"},
		{"L-06 an empty instance id", func() error { return e.client.Wake(e.ctx, "") }, "instance id"},
		{"L-06 an empty orchestration name", func() error {
			_, err := e.client.Start(e.ctx, client.StartRequest{})
			return err
		}, "orchestration name"},
		{"L-06 an overlong version", func() error {
			_, err := client.Start(e.ctx, e.client, calculate, 1, client.WithVersion(strings.Repeat("1", 257)))
			return err
		}, "version"},
		{"L-06 an overlong start id", func() error {
			_, err := client.Start(e.ctx, e.client, calculate, 1, client.WithDeduplicationID(strings.Repeat("1", 257)))
			return err
		}, "deduplication id"},
		{"L-06 an empty event name", func() error {
			return e.client.Raise(e.ctx, client.RaiseRequest{Instance: "i"})
		}, "event name"},
		{"an event with the name of an update", func() error {
			return client.Raise(e.ctx, e.client, turnstile.NewEvent[int](history.UpdatePrefix+"change address"), "i", 1)
		}, "event name"},
		{"a check of an event with the name of an update", func() error {
			_, err := e.client.ValidateRaise(e.ctx, client.RaiseRequest{Instance: "i", Name: history.UpdatePrefix + "change address"})
			return err
		}, "event name"},
		{"a first event with the name of an update", func() error {
			_, err := client.Start(e.ctx, e.client, calculate, 1, client.WithEvent(turnstile.NewEvent[int](history.UpdatePrefix+"change address"), 1))
			return err
		}, "event name"},
		{"an overlong name of an update", func() error {
			_, err := e.client.StartUpdate(e.ctx, client.UpdateRequest{Instance: "i", Name: strings.Repeat("x", 250)})
			return err
		}, "update name"},
		{"L-06 an empty name of a first event", func() error {
			_, err := client.Start(e.ctx, e.client, calculate, 1, client.WithEvent(turnstile.NewEvent[int](""), 1))
			return err
		}, "event name"},
		{"L-06 an overlong sender id", func() error {
			return client.Raise(e.ctx, e.client, turnstile.NewEvent[int]("e"), "i", 1, client.WithDeduplicationID(strings.Repeat("1", 257)))
		}, "deduplication id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := c.call()
			invalid, isInvalid := errors.AsType[*turnstile.InvalidArgumentError](err)
			if !isInvalid || invalid.Argument != c.what {
				t.Errorf("the error is %v, want an *InvalidArgumentError about the %s", err, c.what)
			}
		})
	}
}

func TestIdsThatAreAllowedPass(t *testing.T) {
	t.Parallel()
	e := start(t, calculate.Implement(calculated), double.Implement(doubled))
	for _, id := range []string{"a", "with spaces", "a/b#c", "déjà-vu", strings.Repeat("é", 256)} {
		run := ok[*client.Run[int]](t)(client.Start(e.ctx, e.client, calculate, 21, client.WithInstanceID(id)))
		if got := ok[int](t)(run.Wait(e.ctx)); got != 42 {
			t.Errorf("instance %q: %d, want 42", id, got)
		}
	}
}
