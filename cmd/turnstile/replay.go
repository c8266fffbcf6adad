package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/keyfile"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/program"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/recording"
)

func replayCommand() *command {
	return &command{
		name: "replay", operands: "INSTANCE|FILE|S3-OBJECT [PACKAGE]", least: 1, most: 2, words: instanceOrFile,
		short: "replay a history against the code in this folder",
		long: paragraph(
			"Builds a main package, by default ./local of the project in this folder, and replays the",
			"history of an instance with its code: would the instance go on with this code? A file that",
			"`turnstile history --export` or the console wrote can be replayed instead, without a stack,",
			"and so can an archived execution, s3://BUCKET/PREFIX/INSTANCE/EXECUTION.json.",
			"If they agree, replay says at which line the code waits. If history and code disagree, it",
			"says at which event, what the history has, what the code did and where, and exits with",
			"status 1. No activity runs, and nothing is sent. The main package calls local.Run, or begins",
			"with local.ReplayIfAsked. Replay does not see an operation added after the last event, or",
			"changed options and activities."),
		examples: []string{
			"turnstile replay order-17",
			"turnstile replay order-17.json",
			"turnstile --stack shop replay order-17 --all",
			"turnstile replay s3://acme-archive/prod/order-17/1.json",
			"turnstile replay order-17.json ./cmd/server",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			var which executions
			which.declare(flags)
			return func(ctx context.Context, operands []string) error {
				if err := which.check(); err != nil {
					return err
				}
				pkg := program.Default
				if len(operands) > 1 {
					pkg = operands[1]
				}
				exports, isFile, err := c.exports(ctx, operands[0], which)
				if err != nil {
					return err
				}
				if isFile && which != (executions{}) {
					return usagef("--all and --execution are for an instance, and %s is a file, which is replayed as a whole", operands[0])
				}
				return c.replay(ctx, pkg, exports)
			}
		},
	}
}

// instanceOrFile offers instances, and files where none fits.
func instanceOrFile(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(operands) > 0 {
		return folders(ctx, c, operands, prefix)
	}
	found, _ := instanceIDs()(ctx, c, nil, prefix)
	return found, cobra.ShellCompDirectiveDefault
}

// exports are the histories of a file, or of an instance.
func (c *cli) exports(ctx context.Context, what string, which executions) (exports []history.Export, isFile bool, err error) {
	read := os.ReadFile
	if backend.IsArchived(what) {
		read = func(what string) ([]byte, error) {
			return c.backend().Archived(ctx, what)
		}
	}
	data, err := read(what)
	switch {
	case err != nil && backend.IsArchived(what):
		return nil, true, err
	case err == nil:
		r, err := recording.Decode(data)
		if err != nil {
			return nil, true, fmt.Errorf("%s cannot be replayed: %w", what, err)
		}
		return r.Histories, true, nil
	case !errors.Is(err, fs.ErrNotExist), strings.HasSuffix(what, ".json") && strings.ContainsRune(what, filepath.Separator):
		return nil, true, err
	}
	cl, err := c.client(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("there is no file %s, and for an instance: %w", what, err)
	}
	d, err := cl.Describe(ctx, what)
	if err != nil {
		return nil, false, err
	}
	exports, err = which.of(ctx, cl, &d)
	return exports, false, err
}

// replay has the code of the project replay the histories.
func (c *cli) replay(ctx context.Context, pkg string, exports []history.Export) error {
	replayed, err := replayIn(ctx, "", pkg, exports, c.err)
	if err != nil {
		return err
	}
	if c.json() {
		if err := c.printJSON(replayed); err != nil {
			return err
		}
	} else {
		views.Replayed(c.screen(c.out), &replayed, exports)
	}
	if !replayed.Agrees {
		return fmt.Errorf("the code here does not agree with the history of %q; docs/guide/versions.md says how a change gets a version of its own", replayed.Instance)
	}
	return nil
}

// replayIn has the program of a folder replay histories.
func replayIn(ctx context.Context, folder, pkg string, exports []history.Export, notes io.Writer) (api.Replayed, error) {
	for i := range exports {
		if at := slices.IndexFunc(exports[i].Events, func(e history.Event) bool { return e.Codec != "" }); at >= 0 {
			return api.Replayed{}, fmt.Errorf("event %d of instance %q execution %d is sealed, and its payload is needed to replay it: %s", exports[i].Events[at].EventID, exports[i].Instance, exports[i].ExecutionID, keyfile.Advice)
		}
	}
	agrees, said, err := program.Replay(ctx, folder, pkg, exports, notes)
	if err != nil {
		return api.Replayed{}, fmt.Errorf("replay: %w", err)
	}
	return views.ReplayedOf(exports, agrees, said), nil
}
