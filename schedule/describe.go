package schedule

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/coordination"
)

// Description is the state of a schedule.
type Description struct {
	State
	// NextRuns are the next five scheduled times; none if the schedule is paused, deleted or past its End.
	NextRuns []time.Time
	// Instance describes the schedule's own instance, for example whether the schedule is stuck.
	Instance client.Description
}

// nextRuns is the number of scheduled times that a description lists.
const nextRuns = 5

// Describe returns the state of a schedule. It costs one read. Errors: [client.ErrNotFound].
func (c *Client) Describe(ctx context.Context, name string) (Description, error) {
	d, err := c.find(ctx, name)
	if err == nil && d.Deleted {
		return Description{}, &notFoundError{Name: name}
	}
	return d, err
}

// find returns the state of a schedule, even if it was deleted.
func (c *Client) find(ctx context.Context, name string) (Description, error) {
	d, err := c.instances.Describe(ctx, coordination.ScheduleID(name))
	if errors.Is(err, client.ErrNotFound) {
		return Description{}, &notFoundError{Name: name}
	}
	if err != nil {
		return Description{}, err
	}
	return describe(d)
}

func describe(d client.Description) (Description, error) {
	shown, err := client.StateOf(d, status)
	if _, none := errors.AsType[*client.StateNotSetError](err); err != nil && !none { // The error means that the first turn has not published a state yet.
		return Description{}, err
	}
	s := shown.Value
	out := Description{State: s, Instance: d}
	t, err := s.Definition.scheduledTimes()
	if err != nil {
		return out, nil // Another build may have time zones that this program lacks.
	}
	for at := s.Next; !at.IsZero() && len(out.NextRuns) < nextRuns; at = t.after(at) {
		out.NextRuns = append(out.NextRuns, at)
	}
	return out, nil
}

// Next returns the first scheduled times after a time, at most n; none for an invalid definition.
func (d *Definition) Next(after time.Time, n int) []time.Time {
	t, err := d.scheduledTimes()
	if err != nil {
		return nil
	}
	var list []time.Time
	for at := t.after(after); !at.IsZero() && len(list) < n; at = t.after(at) {
		list = append(list, at)
	}
	return list
}

// Page is a page of a list of schedules; NextPageToken is empty on the last page.
type Page struct {
	Schedules     []Description
	NextPageToken string
}

// List returns the schedules, newest first, up to 100 per page. A page may be empty without being the
// last. It costs a read for each schedule.
func (c *Client) List(ctx context.Context, pageToken string) (Page, error) {
	found, err := c.instances.List(ctx, client.ListQuery{Name: coordination.Schedules, PageToken: pageToken})
	if err != nil {
		return Page{}, err
	}
	page := Page{NextPageToken: found.NextPageToken}
	for _, d := range found.Instances {
		s, err := describe(d)
		if err != nil {
			return Page{}, err
		}
		if s.Deleted || s.Definition.Name == "" && !strings.HasPrefix(d.Instance, "schedule:") {
			continue
		}
		if s.Definition.Name == "" { // The schedule is stuck: its first turn has not published a state.
			s.Definition.Name = strings.TrimPrefix(d.Instance, "schedule:")
		}
		page.Schedules = append(page.Schedules, s)
	}
	return page, nil
}
