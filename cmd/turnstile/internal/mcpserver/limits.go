package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/acts"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// mostLimits is the largest number of limits that a call of list_limits returns.
const mostLimits = 100

type limitsInput struct {
	Key  string `json:"key,omitempty" jsonschema:"only the limits with this key; default all, longest waiting list first"`
	Skip int    `json:"skip,omitempty" jsonschema:"limits to skip, to continue after an answer that left limits out"`
}

type limitList struct {
	Limits []client.Limit `json:"limits"`
	// Left is the number of limits that are not shown.
	Left int `json:"left_out,omitempty"`
}

type setLimitInput struct {
	Key     string  `json:"key" jsonschema:"key of the limit or rate"`
	Of      string  `json:"of,omitempty" jsonschema:"kind of limit: attempts (running attempts), rate (starting attempts) or instances; default the key's only limit"`
	Permits *int    `json:"permits,omitempty" jsonschema:"new number, 0 to 100; with 0 nothing starts; omit it to use the number in the code again"`
	Per     float64 `json:"per_seconds,omitempty" jsonschema:"window of a rate in seconds; default the window in the code"`
	DryRun  bool    `json:"dry_run,omitempty" jsonschema:"change nothing, and return the current state"`
}

// limitSet is the result of set_limit.
type limitSet struct {
	Action string `json:"action"`
	Of     string `json:"of"`
	Sent   bool   `json:"sent"`
	DryRun bool   `json:"dry_run,omitempty"`
	Effect string `json:"effect"`
	// Before is the state before the change.
	Before client.Limit `json:"before"`
}

func (s *server) limits(ctx context.Context, c *call, in limitsInput) (any, error) {
	if in.Skip < 0 {
		return nil, fmt.Errorf("skip %d: must be 0 or more", in.Skip)
	}
	all, err := limitsOf(ctx, c, in.Key)
	if err != nil {
		return nil, err
	}
	all = all[min(in.Skip, len(all)):]
	shown, err := fit(c, all, mostLimits)
	return limitList{all[:shown], len(all) - shown}, err
}

// limitsOf returns the limits and rates with a key, or all of them.
func limitsOf(ctx context.Context, c *call, key string) ([]client.Limit, error) {
	list, err := c.LimitList(ctx, key)
	all := list.Limits
	if err != nil {
		return nil, err
	}
	if len(all) == 0 && key != "" {
		return nil, fmt.Errorf("limit %q does not exist: no attempt has waited for it in the last two weeks, and no instance uses it", key)
	}
	return all, nil
}

// kindOf returns what a limit is of: attempts, rate or instances.
func kindOf(l *client.Limit) string {
	switch {
	case l.Instances:
		return "instances"
	case l.Rate:
		return "rate"
	}
	return "attempts"
}

// limitBefore returns the limit with a key that a call means: of a kind, or the only one.
func limitBefore(ctx context.Context, c *call, key, of string) (client.Limit, error) {
	list, err := c.LimitList(ctx, key)
	if err != nil {
		return client.Limit{}, err
	}
	all := list.Limits
	kinds := make([]string, len(all))
	for i := range all {
		if kinds[i] = kindOf(&all[i]); kinds[i] == of || of == "" && len(all) == 1 {
			return all[i], nil
		}
	}
	switch {
	case of == "" && len(all) == 0:
		return client.Limit{}, fmt.Errorf(`"of" is missing (attempts, rate or instances): limit %q does not exist`, key)
	case of == "":
		return client.Limit{}, fmt.Errorf(`"of" is missing: key %q has several limits: %s`, key, strings.Join(kinds, " and "))
	case of == "instances":
		return client.Limit{}, fmt.Errorf("no instance uses a limit with key %q", key)
	}
	return client.Limit{Key: key, Rate: of == "rate"}, nil // No attempt has waited for it yet.
}

func (s *server) setLimit(ctx context.Context, c *call, in setLimitInput) (any, error) {
	per := time.Duration(in.Per * float64(time.Second)).Round(time.Millisecond)
	kinds := []string{"attempts", "rate", "instances"}
	switch {
	case in.Of != "" && !slices.Contains(kinds, in.Of):
		return nil, fmt.Errorf("of %q: must be one of %v", in.Of, kinds)
	case in.Per != 0 && (in.Permits == nil || per <= 0):
		return nil, fmt.Errorf("per_seconds %g: must be the window of a rate, at least a millisecond, together with permits", in.Per)
	}
	before, err := limitBefore(ctx, c, in.Key, in.Of)
	if err != nil {
		return nil, err
	}
	if in.Of = kindOf(&before); in.Per != 0 && in.Of != "rate" {
		return nil, fmt.Errorf("per_seconds %g: must be the window of a rate, but the limit is of %s", in.Per, in.Of)
	}
	out := limitSet{Action: "set_limit", Of: in.Of, DryRun: in.DryRun, Effect: acts.SetLimit.Does, Before: before}
	if in.Permits == nil {
		out.Effect = acts.ResetLimit.Does
	}
	if in.DryRun {
		return out, nil
	}
	rate, instances := in.Of == "rate", in.Of == "instances"
	if in.Permits == nil {
		_, err = acts.ResetLimit.Call(ctx, c, "", api.ResetLimit{Key: in.Key, Rate: rate, Instances: instances})
	} else {
		_, err = acts.SetLimit.Call(ctx, c, "", api.SetLimit{Key: in.Key, Permits: in.Permits, Rate: rate, PerMS: per.Milliseconds(), Instances: instances})
	}
	out.Sent = err == nil
	return out, err
}
