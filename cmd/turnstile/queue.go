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
			"Adds the resources of turnstile.Queue(NAME) to template.yaml: an SQS queue, an activity function",
			"with parameters for its memory, concurrency and batch size, a log group, alarms, permissions, and",
			"the queue's URL for the other functions. They are copies of the file's default queue, including",
			"your changes to it; you can edit the copies. The command shows the difference and asks; nothing is",
			"deployed. An existing queue is not changed. It requires git.",
			"The command fails if a policy or the variables of a function would exceed the limits of AWS. That",
			"happens with about ten queues; a short stack name (--stack, otherwise 32 characters) allows more.",
		),
		examples: []string{"turnstile queue add gpu", "turnstile queue add gpu --dry-run"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			dry := flags.Bool("dry-run", false, "show the difference and write nothing")
			yes := flags.Bool("yes", false, "write without asking")
			return func(ctx context.Context, operands []string) error { return c.addQueue(ctx, operands[0], *dry, *yes) }
		},
	}
}

// templateForQueue reads the template in this folder, to add or remove the queue.
func templateForQueue(name string) ([]byte, error) {
	if p := naming.Queue(name); p != "" {
		return nil, usagef("the name of the queue %s", p)
	}
	if name == naming.DefaultQueue {
		return nil, usagef("%q is the default queue, which every template has", name)
	}
	own, err := os.ReadFile(scaffold.TemplateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("there is no %s in this folder: change to the project's folder", scaffold.TemplateFile)
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
		return fmt.Errorf("queue add: adding queue %[2]q to %[1]s: %[3]w", scaffold.TemplateFile, name, err)
	}
	if err := scaffold.Fits(with, c.lengthOfStack()); err != nil && with != string(own) {
		return fmt.Errorf("queue add: with queue %[2]q, AWS would refuse to deploy %[1]s as a stack whose name has %[3]d characters (--stack NAME sets the name): %[4]w; let activities share a queue, and use turnstile.FairnessKey to divide its workers by a key",
			scaffold.TemplateFile, name, c.lengthOfStack(), err)
	}
	if with == string(own) {
		fmt.Fprintf(c.out, "%s already has the queue %s\n", scaffold.TemplateFile, name)
		return nil
	}
	written, err := c.writesTemplate(ctx, own, with, dry, yes)
	if err != nil || !written {
		return err
	}
	return c.buildsQueues()
}

// usualStack is the assumed length of an unknown stack name. Names and URLs of the stack's
// resources start with it, so a longer name leaves room for fewer queues.
const usualStack = 32

func (c *cli) lengthOfStack() int {
	if name := c.settings.Stack; name != "" {
		return len(name)
	}
	return usualStack
}

// writesTemplate shows the change of the template, and writes it if the user agrees.
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

// buildsQueues adds the build rule for functions of queues to a project that was created before
// named queues existed.
func (c *cli) buildsQueues() error {
	text, err := os.ReadFile(scaffold.BuildFile)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(c.err, "there is no %s: make `sam build` build the new function like ActivityFunction\n", scaffold.BuildFile)
		return nil
	}
	if err != nil || scaffold.WithBuildRule(string(text)) == string(text) {
		return err
	}
	fmt.Fprintf(c.out, "added a rule for functions of queues to %s\n", scaffold.BuildFile)
	return os.WriteFile(scaffold.BuildFile, []byte(scaffold.WithBuildRule(string(text))), 0o644)
}
