package main

import (
	"cmp"
	"context"
	"errors"
	"slices"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// executions are the executions that --execution and --all choose. The zero value is the
// current one.
type executions struct {
	number int64
	all    bool
}

func (e *executions) declare(flags *flag.FlagSet) {
	flags.Int64Var(&e.number, "execution", 0, "execution `N` of the instance; default the current one")
	flags.BoolVar(&e.all, "all", false, "all executions of the instance")
}

func (e *executions) check() error {
	switch {
	case e.number < 0:
		return usagef("--execution %d: executions are numbered from 1", e.number)
	case e.number > 0 && e.all:
		return usagef("give --execution or --all, not both")
	}
	return nil
}

// of returns the histories of the executions in order. A missing execution is an error.
func (e *executions) of(ctx context.Context, cl backend.Instances, d *client.Description) ([]history.Export, error) {
	numbers := []int64{cmp.Or(e.number, d.ExecutionID)}
	if e.all {
		numbers = slices.Collect(d.Executions())
	}
	var exports []history.Export
	for _, n := range numbers {
		x, err := cl.Export(ctx, d.Instance, n)
		if err != nil {
			return nil, err
		}
		if len(x.Events) == 0 {
			return nil, notThereError{errors.New(api.NoHistory(d, n))}
		}
		exports = append(exports, x)
	}
	return exports, nil
}
