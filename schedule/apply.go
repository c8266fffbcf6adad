package schedule

import (
	"context"
	"errors"
	"fmt"
)

// Change is what [Client.Apply] did with a schedule.
type Change struct {
	Name string
	// Action is "created", "updated" or "unchanged".
	Action string
}

// Apply makes schedules match their definitions: it creates missing schedules and updates changed
// ones. It can be called at every deployment. Schedules that are not among the definitions are not
// changed, and a paused schedule stays paused. If two callers apply different definitions of one
// schedule at the same time, both take effect, one after another.
//
// All definitions are checked before anything is sent. Errors: from [Definition.Check]; an
// [*InvalidError] if two definitions have the same name.
func (c *Client) Apply(ctx context.Context, definitions ...Definition) ([]Change, error) {
	var errs []error
	seen := map[string]bool{}
	for i := range definitions {
		d := &definitions[i]
		if seen[d.Name] {
			errs = append(errs, &InvalidError{Schedule: d.Name, Field: "name", Value: d.Name, Problem: "two definitions have this name"})
		}
		seen[d.Name] = true
		errs = append(errs, d.Check())
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var changes []Change
	for _, d := range definitions {
		did, err := c.apply(ctx, &d)
		if err != nil {
			return changes, fmt.Errorf("schedule %q: %w", d.Name, err)
		}
		changes = append(changes, Change{Name: d.Name, Action: did})
	}
	return changes, nil
}
