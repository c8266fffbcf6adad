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
			"Checks whether an instance could continue with the code in this folder. It builds a main package,",
			"by default the project's ./local, and replays the instance's history with its code. Instead of an",
			"instance you can give a file that `turnstile history --export` or the console wrote, which needs",
			"no stack, or an archived execution, s3://BUCKET/PREFIX/INSTANCE/EXECUTION.json.",
			"If code and history agree, replay prints the line at which the code waits. If they disagree, it",
			"prints the event, what the history has, what the code did and where, and exits with status 1. No",
			"activity runs, and nothing is sent. The main package must call local.Run, or start with",
			"local.ReplayIfAsked. Replay does not detect operations added after the last event, or changed",
			"options and activities."),
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
					return usagef("--all and --execution need an instance: the whole file %s is replayed", operands[0])
				}
				return c.replay(ctx, pkg, exports)
			}
		},
	}
}

// instanceOrFile completes instance ids, or file names if no id matches.
func instanceOrFile(ctx context.Context, c *cli, operands []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(operands) > 0 {
		return folders(ctx, c, operands, prefix)
	}
	found, _ := instanceIDs()(ctx, c, nil, prefix)
	return found, cobra.ShellCompDirectiveDefault
}

// exports returns the histories in a file or archive, or of an instance.
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
		return nil, false, fmt.Errorf("there is no file %s, and reading an instance: %w", what, err)
	}
	d, err := cl.Describe(ctx, what)
	if err != nil {
		return nil, false, err
	}
	exports, err = which.of(ctx, cl, &d)
	return exports, false, err
}

// replay replays histories with the code of the project and prints the result.
func (c *cli) replay(ctx context.Context, pkg string, exports []history.Export) error {
	replayed, err := replayIn(ctx, "", pkg, exports, c.err)
	if err != nil {
		return err
	}
	if err := c.show(replayed, func() { views.Replayed(c.screen(c.out), &replayed, exports) }); err != nil {
		return err
	}
	if !replayed.Agrees {
		return fmt.Errorf("the code does not agree with the history of %q; see docs/guide/versions.md for how to version a change", replayed.Instance)
	}
	return nil
}

// replayIn builds the program in a folder and replays histories with it.
func replayIn(ctx context.Context, folder, pkg string, exports []history.Export, notes io.Writer) (api.Replayed, error) {
	for i := range exports {
		if at := slices.IndexFunc(exports[i].Events, func(e history.Event) bool { return e.Codec != "" }); at >= 0 {
			return api.Replayed{}, fmt.Errorf("the payload of event %d of instance %q execution %d is encoded, and a replay needs it: %s", exports[i].Events[at].EventID, exports[i].Instance, exports[i].ExecutionID, keyfile.Advice)
		}
	}
	agrees, said, err := program.Replay(ctx, folder, pkg, exports, notes)
	if err != nil {
		return api.Replayed{}, fmt.Errorf("replay: %w", err)
	}
	return views.ReplayedOf(exports, agrees, said), nil
}
