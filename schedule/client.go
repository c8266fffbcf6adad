package schedule

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Is reports whether target is [client.ErrNotFound].
func (e *notFoundError) Is(target error) bool { return target == client.ErrNotFound }

// Client creates, describes and controls schedules.
type Client struct{ instances instances }

// NewClient returns a client for the schedules of a stack. c is a [*client.Client]. If c acts on behalf
// of an actor (client.Client.WithActor), the schedules record the actor.
func NewClient(c instances) *Client { return &Client{c} }

// instances has the methods of [*client.Client] that a Client needs.
type instances interface {
	Start(ctx context.Context, r client.StartRequest) (client.Started, error)
	Raise(ctx context.Context, r client.RaiseRequest) error
	Describe(ctx context.Context, instance string) (client.Description, error)
	WaitUntil(ctx context.Context, instance string, enough func(*client.Description) bool) (client.Description, error)
	List(ctx context.Context, q client.ListQuery) (client.ListPage, error)
}

// ExistsError is returned if a schedule of this name exists with a different definition.
type ExistsError struct {
	Name string
	// Have is the definition of the existing schedule.
	Have Definition
}

// Error implements error.
func (e *ExistsError) Error() string {
	return fmt.Sprintf("schedule %q exists with another definition: update it, or choose another name", e.Name)
}

// notFoundError is returned if no schedule of this name exists, or if it was deleted. It is a
// client.ErrNotFound.
type notFoundError struct{ Name string }

// Error implements error.
func (e *notFoundError) Error() string {
	return fmt.Sprintf("schedule %q not found: it was never created, was deleted, or its creation is still queued", e.Name)
}

// Create creates a schedule and returns when the request is queued. A schedule that already exists
// with the same definition is not changed. If two callers create a schedule at the same time, the
// first request in the queue applies and the second has no effect; [Client.WaitCreated] returns an
// error to the second caller.
//
// Errors: from [Definition.Check]; [*ExistsError]; [*client.EndedError] if the instance of the schedule
// was terminated; from [client.Client.Start].
func (c *Client) Create(ctx context.Context, d Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	have, err := c.find(ctx, d.Name)
	if _, missing := errors.AsType[*notFoundError](err); missing {
		err = c.start(ctx, &d, State{Definition: d}, client.StartRequest{})
		if _, exists := errors.AsType[*client.AlreadyExistsError](err); !exists {
			return err
		}
		have, err = c.find(ctx, d.Name)
	}
	switch {
	case err != nil:
		return err
	case have.Instance.Status.Terminal():
		return ended(&have)
	case have.Deleted:
		return c.send(ctx, d.Name, command{Op: opCreate, Definition: &d})
	case !have.Definition.same(&d):
		return &ExistsError{Name: d.Name, Have: have.Definition}
	}
	return nil
}

// WaitCreated waits until the schedule exists, for example after [Client.Create]. Give the context a
// deadline.
//
// Errors: [*ExistsError] if another caller has created it with a different definition;
// [*client.EndedError] if the instance of the schedule was terminated; [*client.WaitError] if the
// context ends first; [*client.PurgedError].
func (c *Client) WaitCreated(ctx context.Context, d Definition) error {
	var have Description
	_, err := c.instances.WaitUntil(ctx, coordination.ScheduleID(d.Name), func(i *client.Description) bool {
		found, err := describe(*i)
		if have = found; err != nil {
			return false
		}
		return i.Status.Terminal() || found.Revision > 0 && !found.Deleted
	})
	switch {
	case err != nil:
		return err
	case have.Instance.Status.Terminal():
		return ended(&have)
	case !have.Definition.same(&d):
		return &ExistsError{Name: d.Name, Have: have.Definition}
	}
	return nil
}

func ended(d *Description) error {
	return &client.EndedError{Instance: d.Instance.Instance, Status: d.Instance.Status}
}

// apply makes a schedule match its definition and returns what it did. If two definitions are applied
// at the same time, the later one in the queue updates the earlier one: a start of an existing schedule
// raises its event.
func (c *Client) apply(ctx context.Context, d *Definition) (did string, err error) {
	have, err := c.find(ctx, d.Name)
	update := command{Op: opUpdate, Definition: d}
	switch _, missing := errors.AsType[*notFoundError](err); {
	case missing:
		data, err := json.Marshal(update)
		if err != nil {
			return "", err
		}
		return "created", c.start(ctx, d, State{Deleted: true}, client.StartRequest{UseExisting: true, Events: []wire.StartEvent{{Name: controls.Name(), Data: data}}})
	case err != nil:
		return "", err
	case have.Instance.Status.Terminal():
		return "", ended(&have)
	case have.Deleted:
		return "created", c.send(ctx, d.Name, update)
	case have.Definition.same(d):
		return "unchanged", nil
	}
	return "updated", c.send(ctx, d.Name, update)
}

// start starts the schedule's instance. Two calls with the same definition are one start.
func (c *Client) start(ctx context.Context, d *Definition, s State, r client.StartRequest) error {
	content, err := json.Marshal(d.plain())
	if err != nil {
		return err
	}
	if r.Input, err = json.Marshal(s); err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	r.Name, r.Instance, r.DeduplicationID = coordination.Schedules, coordination.ScheduleID(d.Name), "schedule-"+hex.EncodeToString(sum[:16])
	_, err = c.instances.Start(ctx, r)
	return err
}

// Update changes the definition of a schedule. Pending runs, including those of a backfill, are
// dropped; running instances continue. If the definition is the same, nothing changes. Errors: from
// [Definition.Check]; [client.ErrNotFound].
func (c *Client) Update(ctx context.Context, d Definition) error {
	if err := d.Check(); err != nil {
		return err
	}
	return c.ask(ctx, d.Name, command{Op: opUpdate, Definition: &d})
}

// Pause stops a schedule until [Client.Resume]. Scheduled times that pass in the meantime start
// nothing, unless [Client.Backfill] starts them later. The note records why. Errors:
// [client.ErrNotFound].
func (c *Client) Pause(ctx context.Context, name, note string) error {
	return c.ask(ctx, name, command{Op: opPause, Note: note})
}

// Resume continues a paused schedule with its first scheduled time after now. Errors:
// [client.ErrNotFound].
func (c *Client) Resume(ctx context.Context, name, note string) error {
	return c.ask(ctx, name, command{Op: opResume, Note: note})
}

// Trigger starts an instance now, even if others are running, and returns its id. A paused schedule can
// be triggered. Errors: [client.ErrNotFound].
func (c *Client) Trigger(ctx context.Context, name string) (instance string, err error) {
	id := callID()
	return triggerID(name, id), c.ask(ctx, name, command{Op: opTrigger, ID: id})
}

// Backfill starts an instance for each scheduled time of a range, both ends inclusive, that has no
// instance yet: all at once with the overlap policy [Allow], otherwise one after another, between
// the regular runs. A paused schedule keeps these runs until it is resumed. Backfill returns the
// number of instances that it starts, and costs a read for each scheduled time in the range.
//
// Errors: [*InvalidError] if the range has no scheduled time or more than 1,000, if more than 1,000
// would wait, or if the total input of the runs that start at once exceeds 3 MB;
// [client.ErrNotFound].
func (c *Client) Backfill(ctx context.Context, name string, from, to time.Time) (int, error) {
	d, err := c.Describe(ctx, name)
	if err != nil {
		return 0, err
	}
	t, err := d.Definition.scheduledTimes()
	if err != nil {
		return 0, err
	}
	wrong := func(problem string) error {
		return &InvalidError{Schedule: name, Field: "range", Value: from.Format(time.RFC3339) + " to " + to.Format(time.RFC3339), Problem: problem}
	}
	list, more := t.between(from, to, coordination.MaxBackfill)
	switch {
	case len(list) == 0:
		return 0, wrong("the schedule has no scheduled time in this range")
	case more:
		return 0, wrong(fmt.Sprintf("it has more than %d scheduled times; give a shorter range", coordination.MaxBackfill))
	}
	if list, err = c.notStarted(ctx, name, list); err != nil || len(list) == 0 {
		return 0, err
	}
	switch {
	case len(d.Backfilling)+len(list) > coordination.MaxBackfill:
		return 0, wrong(fmt.Sprintf("%d runs of an earlier backfill are waiting, and at most %d can wait; give a shorter range", len(d.Backfilling), coordination.MaxBackfill))
	case d.Definition.Overlap == Allow && len(list)*len(d.Definition.Starts.Input) > mostBytes:
		return 0, wrong(fmt.Sprintf("its %d runs start at once, and their inputs have more than 3 MB together; give a shorter range", len(list)))
	}
	return len(list), c.ask(ctx, name, command{Op: opBackfill, Times: list})
}

// notStarted returns the scheduled times that have no instance. A purged instance occupies its id until
// the id can be reused.
func (c *Client) notStarted(ctx context.Context, name string, list []time.Time) ([]time.Time, error) {
	started, errs := make([]bool, len(list)), make([]error, len(list))
	var wait sync.WaitGroup
	slots := make(chan struct{}, mostReads)
	for i, scheduled := range list {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			_, err := c.instances.Describe(ctx, runID(name, scheduled))
			missing, gone := errors.AsType[*client.NotFoundError](err)
			if started[i] = !gone || !missing.FreeAt.IsZero(); !gone {
				errs[i] = err
			}
		})
	}
	wait.Wait()
	var left []time.Time
	for i, scheduled := range list {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if !started[i] {
			left = append(left, scheduled)
		}
	}
	return left, nil
}

// mostReads is how many reads a backfill makes at the same time.
const mostReads = 16

// Delete ends a schedule. Its running instances continue. The name can be created again as soon as
// Describe no longer finds it. Errors: [client.ErrNotFound].
func (c *Client) Delete(ctx context.Context, name, note string) error {
	return c.ask(ctx, name, command{Op: opDelete, Note: note})
}

// ask sends a command to a schedule.
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
	return c.instances.Raise(ctx, client.RaiseRequest{Instance: coordination.ScheduleID(name), Name: controls.Name(), DeduplicationID: cmd.ID, Data: data, CheckRunning: true})
}

func callID() string { return rand.Text() }
