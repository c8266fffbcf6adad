package client

import (
	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/internal/names"
)

func validInstance(id string) error { return valid("instance id", id, names.Instance(id)) }

func validName(what, name string) error { return valid(what+" name", name, names.Name(name)) }

func validEvent(name string) error { return valid("event name", name, names.Event(name)) }

func validUpdate(name string) error { return valid("update name", name, names.Update(name)) }

func validVersion(version string) error { return valid("version", version, names.Version(version)) }

func validActor(actor string) error { return valid("actor", actor, names.Actor(actor)) }

func validID(what, id string) error { return valid(what, id, names.ID(id)) }

// valid returns an error if problem is not empty; nil otherwise.
func valid(what, value, problem string) error {
	if problem == "" {
		return nil
	}
	return &turnstile.InvalidArgumentError{Argument: what, Value: value, Problem: problem}
}
