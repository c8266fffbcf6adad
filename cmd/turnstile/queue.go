package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
	naming "github.com/turnstile-go/turnstile/internal/names"
)

func queueAddCommand() *command {
	return &command{
		name: "queue add", also: []string{"queue", "queues"}, operands: "NAME", offline: true, least: 1, most: 1,
		short: "add an activity queue and its function to template.yaml of this folder",
		long: paragraph(
			"Writes what turnstile.Queue(NAME) needs on AWS into template.yaml: an SQS queue, an activity",
			"function with parameters for its memory, concurrency and batch size, a log group, an alarm,",
			"the permissions, and the address for the other functions. It copies them from the default",
			"queue in the file, with your changes; change the copies as you like. It shows the difference",
			"and asks; nothing is deployed. A queue that exists stays as it is. It needs git.",
		),
		examples: []string{"turnstile queue add gpu", "turnstile queue add gpu --dry-run"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			dry := flags.Bool("dry-run", false, "show the difference, and write nothing")
			yes := flags.Bool("yes", false, "write without asking")
			return func(ctx context.Context, operands []string) error { return c.addQueue(ctx, operands[0], *dry, *yes) }
		},
	}
}

// templateForQueue reads the template of this folder, to change its queue of this name.
func templateForQueue(name string) ([]byte, error) {
	if p := naming.Queue(name); p != "" {
		return nil, usagef("the name of the queue %s", p)
	}
	if name == naming.DefaultQueue {
		return nil, usagef("%q is the default queue, which every template has", name)
	}
	own, err := os.ReadFile(scaffold.TemplateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("there is no %s in this folder: change to the project's", scaffold.TemplateFile)
	}
	return own, err
}

func (c *cli) addQueue(ctx context.Context, name string, dry, yes bool) error {
	own, err := templateForQueue(name)
	if err != nil {
		return err
	}
	with, err := scaffold.AddQueue(string(own), name)
	if err != nil {
		return fmt.Errorf("queue add: %s cannot have the queue %q: %w", scaffold.TemplateFile, name, err)
	}
	if with == string(own) {
		fmt.Fprintf(c.out, "%s has the queue %s already\n", scaffold.TemplateFile, name)
		return nil
	}
	written, err := c.writesTemplate(ctx, own, with, dry, yes)
	if err != nil || !written {
		return err
	}
	return c.buildsQueues()
}

// writesTemplate shows what changes in the template, and writes it if that is wanted.
func (c *cli) writesTemplate(ctx context.Context, own []byte, changed string, dry, yes bool) (written bool, err error) {
	work, err := os.MkdirTemp("", "turnstile-queue-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(work)
	if write, err := c.mayWriteTemplate(ctx, work, own, []byte(changed), dry, yes); err != nil || !write {
		return false, err
	}
	return true, os.WriteFile(scaffold.TemplateFile, []byte(changed), 0o644)
}

// buildsQueues has the functions of queues built, in a project that was made before there
// were any.
func (c *cli) buildsQueues() error {
	text, err := os.ReadFile(scaffold.BuildFile)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(c.err, "there is no %s: have `sam build` build the new function as it builds ActivityFunction\n", scaffold.BuildFile)
		return nil
	}
	if err != nil || scaffold.WithBuildRule(string(text)) == string(text) {
		return err
	}
	fmt.Fprintf(c.out, "%s gets a rule for functions of queues\n", scaffold.BuildFile)
	return os.WriteFile(scaffold.BuildFile, []byte(scaffold.WithBuildRule(string(text))), 0o644)
}
