package schedule

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/scheduling"
)

// Description is a schedule as it is found.
type Description struct {
	State
	// Ticks are the next five; none if it is paused, deleted, or over.
	Ticks []time.Time
	// Instance is the description of its own instance: it says, for example, whether the
	// schedule is stuck.
	Instance client.Description
}

// nextTicks is how many ticks a description has.
const nextTicks = 5

// Describe looks at a schedule. It costs one read. Errors: [client.ErrNotFound].
func (c *Client) Describe(ctx context.Context, name string) (Description, error) {
	d, err := c.find(ctx, name)
	if err == nil && d.Deleted {
		return Description{}, &notFoundError{Name: name}
	}
	return d, err
}

// find looks at a schedule, also if it was deleted.
func (c *Client) find(ctx context.Context, name string) (Description, error) {
	d, err := c.instances.Describe(ctx, scheduling.InstanceID(name))
	if _, gone := errors.AsType[*client.NotFoundError](err); gone {
		return Description{}, &notFoundError{Name: name}
	}
	if err != nil {
		return Description{}, err
	}
	return describe(d)
}

func describe(d client.Description) (Description, error) {
	s, err := client.CustomStatusOf[State](d)
	if err != nil {
		return Description{}, err
	}
	out := Description{State: s, Instance: d}
	t, err := s.Definition.ticks()
	if err != nil {
		return out, nil // Another build can have time zones that this program lacks.
	}
	for at := s.Next; !at.IsZero() && len(out.Ticks) < nextTicks; at = t.after(at) {
		out.Ticks = append(out.Ticks, at)
	}
	return out, nil
}

// Next returns the first ticks after a time, at most n; none of a definition that cannot be.
func (d *Definition) Next(after time.Time, n int) []time.Time {
	t, err := d.ticks()
	if err != nil {
		return nil
	}
	var list []time.Time
	for at := t.after(after); !at.IsZero() && len(list) < n; at = t.after(at) {
		list = append(list, at)
	}
	return list
}

// Page is a part of a list of schedules; NextPageToken is empty on the last.
type Page struct {
	Schedules     []Description
	NextPageToken string
}

// List returns the schedules, newest first, a hundred instances a page. A page may be empty
// and not be the last. It costs a read for each.
func (c *Client) List(ctx context.Context, pageToken string) (Page, error) {
	found, err := c.instances.List(ctx, client.ListQuery{Name: scheduling.Orchestration, PageToken: pageToken})
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
		if s.Definition.Name == "" { // Its first turn has not shown a state: it is stuck.
			s.Definition.Name = strings.TrimPrefix(d.Instance, "schedule:")
		}
		page.Schedules = append(page.Schedules, s)
	}
	return page, nil
}
