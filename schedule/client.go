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
	"github.com/turnstile-go/turnstile/internal/scheduling"
)

// Is reports whether the target is [client.ErrNotFound].
func (e *notFoundError) Is(target error) bool { return target == client.ErrNotFound }

// Client creates, looks at and controls schedules.
type Client struct{ instances instances }

// NewClient returns a client for the schedules of a stack. c is a [*client.Client]: one that
// acts on somebody's behalf (client.Client.WithActor) makes schedules record the actor.
func NewClient(c instances) *Client { return &Client{c} }

// instances is what of a [*client.Client] a Client needs.
type instances interface {
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

// notFoundError says that there is no schedule of this name, or that it was deleted. It
// is a client.ErrNotFound.
type notFoundError struct{ Name string }

// Error implements error.
func (e *notFoundError) Error() string {
	return fmt.Sprintf("schedule %q not found: it was never created, was deleted, or its creation is still queued", e.Name)
}

// Create creates a schedule and returns when the creation is queued. A schedule that exists with
// the same definition stays as it is.
//
// Errors: from [Definition.Check]; [*ExistsError]; [*client.EndedError] if the instance of the
// schedule was terminated; from [client.Client.Start].
func (c *Client) Create(ctx context.Context, d Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	_, err := c.create(ctx, d)
	return err
}

func (c *Client) create(ctx context.Context, d Definition) (created bool, err error) {
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
	_, err = c.instances.Start(ctx, client.StartRequest{Name: scheduling.Orchestration, Instance: scheduling.InstanceID(d.Name), DeduplicationID: "schedule-" + hex.EncodeToString(sum[:16]), Input: input})
	if _, exists := errors.AsType[*client.AlreadyExistsError](err); err != nil && !exists {
		return false, err
	}
	have, err := c.find(ctx, d.Name)
	switch _, missing := errors.AsType[*notFoundError](err); {
	case missing:
		return true, nil
	case err != nil:
		return false, err
	case have.Deleted:
		return true, c.send(ctx, d.Name, command{Op: opUpdate, Definition: &d})
	case have.Instance.Status.Terminal():
		return false, &client.EndedError{Instance: have.Instance.Instance, Status: have.Instance.Status}
	case !have.Definition.same(&d):
		return false, &ExistsError{Name: d.Name, Have: have.Definition}
	}
	return false, nil
}

// Update gives a schedule another definition. Instances that run go on. Errors: from [Definition.Check];
// [client.ErrNotFound].
func (c *Client) Update(ctx context.Context, d Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	return c.ask(ctx, d.Name, command{Op: opUpdate, Definition: &d})
}

// Pause stops the ticks of a schedule until [Client.Resume]. Ticks that would be due meanwhile are
// not started later; [Client.Backfill] starts them. The note says why. Errors: [client.ErrNotFound].
func (c *Client) Pause(ctx context.Context, name, note string) error {
	return c.ask(ctx, name, command{Op: opPause, Note: note})
}

// Resume goes on with the first tick after now. Errors: [client.ErrNotFound].
func (c *Client) Resume(ctx context.Context, name, note string) error {
	return c.ask(ctx, name, command{Op: opResume, Note: note})
}

// Trigger starts an instance now, whatever runs, and returns its id. A paused schedule can be
// triggered. Errors: [client.ErrNotFound].
func (c *Client) Trigger(ctx context.Context, name string) (instance string, err error) {
	id := callID()
	return triggerID(name, id), c.ask(ctx, name, command{Op: opTrigger, ID: id})
}

// Backfill starts the ticks of a range, both ends inclusive: side by side with the overlap
// policy [Allow], otherwise one after another. A tick that was started before is not started
// again. It returns how many ticks there are.
//
// Errors: [*InvalidError] if there are none, or more than 1,000, or if those that start side by
// side have inputs of more than 3 MB together; [client.ErrNotFound].
func (c *Client) Backfill(ctx context.Context, name string, from, to time.Time) (int, error) {
	d, err := c.Describe(ctx, name)
	if err != nil {
		return 0, err
	}
	t, err := d.Definition.ticks()
	if err != nil {
		return 0, err
	}
	list, more := t.between(from, to, scheduling.MaxBackfill)
	value := from.Format(time.RFC3339) + " to " + to.Format(time.RFC3339)
	switch {
	case len(list) == 0:
		return 0, &InvalidError{Schedule: name, Field: "range", Value: value, Problem: "the schedule has no tick in this range"}
	case more:
		return 0, &InvalidError{Schedule: name, Field: "range", Value: value, Problem: fmt.Sprintf("it has more than %d ticks; give a shorter range", scheduling.MaxBackfill)}
	case d.Definition.Overlap == Allow && len(list)*len(d.Definition.Starts.Input) > mostBytes:
		return 0, &InvalidError{Schedule: name, Field: "range", Value: value, Problem: fmt.Sprintf("the inputs of its %d ticks have more than 3 MB together, which start at once; give a shorter range", len(list))}
	}
	return len(list), c.ask(ctx, name, command{Op: opBackfill, From: from, To: to})
}

// Delete ends a schedule. Instances that run go on. Its name can be created again as soon as
// Describe no longer finds it. Errors: [client.ErrNotFound].
func (c *Client) Delete(ctx context.Context, name, note string) error {
	return c.ask(ctx, name, command{Op: opDelete, Note: note})
}

// ask sends a schedule what it is asked for.
func (c *Client) ask(ctx context.Context, name string, cmd command) error {
	if _, err := c.Describe(ctx, name); err != nil {
		return err
	}
	return c.send(ctx, name, cmd)
}

func (c *Client) send(ctx context.Context, name string, cmd command) error {
	if cmd.ID == "" {
		cmd.ID = callID()
	}
	data, err := json.Marshal(cmd)
	if err != nil {
		return err
	}
	return c.instances.Raise(ctx, client.RaiseRequest{Instance: scheduling.InstanceID(name), Name: controls.Name(), DeduplicationID: cmd.ID, Data: data, CheckRunning: true})
}

func callID() string { return rand.Text() }
