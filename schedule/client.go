package schedule

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
)

// Is reports whether the target is [client.ErrNotFound].
func (e *NotFoundError) Is(target error) bool { return target == client.ErrNotFound }

// Client is what the functions of this package need: a [*client.Client].
type Client interface {
	Start(ctx context.Context, r client.StartRequest) (client.Started, error)
	Raise(ctx context.Context, r client.RaiseRequest) error
	Describe(ctx context.Context, instance string) (client.Description, error)
	List(ctx context.Context, q client.ListQuery) (client.ListPage, error)
}

// ExistsError says that there is a schedule of this name with another definition.
type ExistsError struct {
	Name string
	// Have is the definition that the schedule has.
	Have Definition
}

// Error implements error.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("schedule %q exists with another definition: update it, or choose another name", e.Name)
}

// NotFoundError says that there is no schedule of this name, or that it was deleted.
// errors.Is finds client.ErrNotFound in it.
type NotFoundError struct{ Name string }

// Error implements error.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("schedule %q not found: it was never created, was deleted, or its creation is still queued", e.Name)
}

// Create creates a schedule. To create one that is there with the same definition changes
// nothing. It returns when the creation is queued.
//
// Errors: those of [Definition.Check]; [*ExistsError]; [*client.EndedError] if somebody has
// terminated the instance that the schedule is; those of [client.Client.Start].
func Create(ctx context.Context, c Client, d Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	_, err := create(ctx, c, d)
	return err
}

func create(ctx context.Context, c Client, d Definition) (created bool, err error) {
	content, err := json.Marshal(d.plain())
	if err != nil {
		return false, err
	}
	// Two calls with one definition are one start.
	sum := sha256.Sum256(content)
	input, err := json.Marshal(State{Definition: d})
	if err != nil {
		return false, err
	}
	_, err = c.Start(ctx, client.StartRequest{Name: OrchestrationName, Instance: InstanceID(d.Name), DeduplicationID: "schedule-" + hex.EncodeToString(sum[:16]), Input: input})
	if _, exists := errors.AsType[*client.AlreadyExistsError](err); err != nil && !exists {
		return false, err
	}
	have, err := find(ctx, c, d.Name)
	switch _, missing := errors.AsType[*NotFoundError](err); {
	case missing:
		return true, nil
	case err != nil:
		return false, err
	case have.Deleted:
		return true, send(ctx, c, d.Name, command{Op: opUpdate, Definition: &d})
	case have.Instance.Status.Terminal():
		return false, &client.EndedError{Instance: have.Instance.Instance, Status: have.Instance.Status}
	case !have.Definition.same(&d):
		return false, &ExistsError{Name: d.Name, Have: have.Definition}
	}
	return false, nil
}

// Update gives a schedule another definition. Instances that run go on. Errors: those of
// [Definition.Check]; [*NotFoundError].
func Update(ctx context.Context, c Client, d Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	return ask(ctx, c, d.Name, command{Op: opUpdate, Definition: &d})
}

// Pause stops the ticks of a schedule until [Resume]. Ticks that would be due meanwhile are
// not started later; [Backfill] starts them. The note says why. Errors: [*NotFoundError].
func Pause(ctx context.Context, c Client, name, note string) error {
	return ask(ctx, c, name, command{Op: opPause, Note: note})
}

// Resume goes on with the first tick after now. Errors: [*NotFoundError].
func Resume(ctx context.Context, c Client, name, note string) error {
	return ask(ctx, c, name, command{Op: opResume, Note: note})
}

// Trigger starts an instance now, whatever runs, and returns its id. A paused schedule can be
// triggered. Errors: [*NotFoundError].
func Trigger(ctx context.Context, c Client, name string) (instance string, err error) {
	id := callID()
	return triggerID(name, id), ask(ctx, c, name, command{Op: opTrigger, ID: id})
}

// Backfill starts the ticks of a range, both ends inclusive: side by side with the overlap
// policy [Allow], otherwise one after another. A tick that was started before is not started
// again. It returns how many ticks there are.
//
// Errors: [*InvalidError] if there are none, or more than [MaxBackfill]; [*NotFoundError].
func Backfill(ctx context.Context, c Client, name string, from, to time.Time) (int, error) {
	d, err := Describe(ctx, c, name)
	if err != nil {
		return 0, err
	}
	t, err := d.Definition.ticks()
	if err != nil {
		return 0, err
	}
	list, more := t.between(from, to, MaxBackfill)
	value := from.Format(time.RFC3339) + " to " + to.Format(time.RFC3339)
	switch {
	case len(list) == 0:
		return 0, &InvalidError{Schedule: name, Field: "range", Value: value, Problem: "the schedule has no tick there"}
	case more:
		return 0, &InvalidError{Schedule: name, Field: "range", Value: value, Problem: fmt.Sprintf("it has more than %d ticks; give a shorter one", MaxBackfill)}
	}
	return len(list), ask(ctx, c, name, command{Op: opBackfill, From: from, To: to})
}

// Delete ends a schedule. Instances that run go on. Its name can be created again. Errors:
// [*NotFoundError].
func Delete(ctx context.Context, c Client, name, note string) error {
	return ask(ctx, c, name, command{Op: opDelete, Note: note})
}

// ask sends a schedule what it is asked for.
func ask(ctx context.Context, c Client, name string, cmd command) error {
	if _, err := Describe(ctx, c, name); err != nil {
		return err
	}
	return send(ctx, c, name, cmd)
}

func send(ctx context.Context, c Client, name string, cmd command) error {
	if cmd.ID == "" {
		cmd.ID = callID()
	}
	data, err := json.Marshal(cmd)
	if err != nil {
		return err
	}
	return c.Raise(ctx, client.RaiseRequest{Instance: InstanceID(name), Name: controls.Name(), DeduplicationID: cmd.ID, Data: data, CheckRunning: true})
}

func callID() string { return rand.Text() }
