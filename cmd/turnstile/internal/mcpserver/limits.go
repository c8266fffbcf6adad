package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/client"
)

// mostLimits is how many limits one call of list_limits returns.
const mostLimits = 100

type limitsInput struct {
	Key  string `json:"key,omitempty" jsonschema:"only of this key; default of all keys, the longest lines first"`
	Skip int    `json:"skip,omitempty" jsonschema:"limits to skip, to go on after an answer that left limits out"`
}

type limitList struct {
	Limits []client.Limit `json:"limits"`
	// Left is how many are not shown.
	Left int `json:"left_out,omitempty"`
}

type setLimitInput struct {
	Key     string  `json:"key" jsonschema:"key of the limit or rate"`
	Of      string  `json:"of" jsonschema:"what it limits: attempts (that run), rate (attempts that begin) or instances"`
	Permits *int    `json:"permits,omitempty" jsonschema:"0 to 100; 0 lets nothing begin; default the number in the code"`
	Per     float64 `json:"per_seconds,omitempty" jsonschema:"of a rate: its span in seconds; default the span in the code"`
	DryRun  bool    `json:"dry_run,omitempty" jsonschema:"change nothing, and return how it stands"`
}

// limitSet says what became of set_limit.
type limitSet struct {
	Action string `json:"action"`
	Sent   bool   `json:"sent"`
	DryRun bool   `json:"dry_run,omitempty"`
	Effect string `json:"effect"`
	// Before is how it stood.
	Before client.Limit `json:"before"`
}

const limitEffect = "the number takes precedence over the code, of later deployments too, until it is set to the code's again; what has a permit keeps it"

func (s *server) limits(ctx context.Context, c *call, in limitsInput) (any, error) {
	if in.Skip < 0 {
		return nil, fmt.Errorf("skip %d: 0 or more", in.Skip)
	}
	all, err := limitsOf(ctx, c, in.Key)
	if err != nil {
		return nil, err
	}
	all = all[min(in.Skip, len(all)):]
	shown, err := fit(all, mostLimits)
	return limitList{all[:shown], len(all) - shown}, err
}

// limitsOf are the limits and rates of a key, or all of them.
func limitsOf(ctx context.Context, c *call, key string) ([]client.Limit, error) {
	if key == "" {
		all, err := c.Limits(ctx)
		if err != nil && !errors.Is(err, client.ErrNoActivities) {
			return nil, err
		}
		of, err := c.InstanceLimits(ctx)
		return append(all, of...), err
	}
	all := []client.Limit{}
	for _, read := range []func(context.Context, string) (client.Limit, error){c.Limit, c.Rate, c.InstanceLimit} {
		l, err := read(ctx, key)
		switch {
		case errors.Is(err, client.ErrNotFound), errors.Is(err, client.ErrNoActivities):
			continue
		case err != nil:
			return nil, err
		case l.Permits > 0 || !l.SetAt.IsZero():
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("limit %q is not known: no attempt has waited for it in the last two weeks, and no instance has it", key)
	}
	return all, nil
}

func (s *server) setLimit(ctx context.Context, c *call, in setLimitInput) (any, error) {
	per := time.Duration(in.Per * float64(time.Second)).Round(time.Millisecond)
	kinds := []string{"attempts", "rate", "instances"}
	read := map[string]func(context.Context, string) (client.Limit, error){"attempts": c.Limit, "rate": c.Rate, "instances": c.InstanceLimit}[in.Of]
	switch {
	case !slices.Contains(kinds, in.Of):
		return nil, fmt.Errorf("of %q: one of %v", in.Of, kinds)
	case in.Per != 0 && (in.Of != "rate" || in.Permits == nil || per <= 0):
		return nil, fmt.Errorf("per_seconds %g: the span of a rate, of a millisecond at least, given with permits", in.Per)
	}
	out := limitSet{Action: "set_limit", DryRun: in.DryRun, Effect: limitEffect}
	if in.Permits == nil {
		out.Effect = "the number in the code counts again"
	}
	var err error
	if out.Before, err = read(ctx, in.Key); err != nil || in.DryRun {
		return out, err
	}
	switch set, reset := in.Permits, in.Permits == nil; {
	case reset && in.Of == "attempts":
		err = c.ResetLimit(ctx, in.Key)
	case reset && in.Of == "rate":
		err = c.ResetRate(ctx, in.Key)
	case reset:
		err = c.ResetInstanceLimit(ctx, in.Key)
	case in.Of == "attempts":
		err = c.SetLimit(ctx, in.Key, *set)
	case in.Of == "rate":
		err = c.SetRate(ctx, in.Key, *set, per)
	default:
		err = c.SetInstanceLimit(ctx, in.Key, *set)
	}
	out.Sent = err == nil
	return out, err
}
