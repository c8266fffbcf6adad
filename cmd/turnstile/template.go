package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/merge"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
)

func templateUpgradeCommand() *command {
	return &command{
		name: "template upgrade", also: []string{"template", "upgrade"}, offline: true, most: 0,
		short: "bring template.yaml of this folder up to this version",
		long: paragraph(
			"Merges the changes of Turnstile's template since the project was made, or last upgraded,",
			"into template.yaml, and keeps your changes. It shows the",
			"difference and asks; nothing is deployed. "+scaffold.TemplateBase+", which it compares with, belongs",
			"to the project as much as template.yaml. Where both have changed the same lines, the",
			"file gets both between marks, as git merge leaves them, and the exit status is 1.",
			"It needs git.",
		),
		examples: []string{"turnstile template upgrade --dry-run", "turnstile template upgrade"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			dry := flags.Bool("dry-run", false, "show the difference, and write nothing")
			yes := flags.Bool("yes", false, "write without asking")
			return func(ctx context.Context, _ []string) error {
				if err := c.upgradeTemplate(ctx, *dry, *yes); err != nil {
					return fmt.Errorf("template upgrade: %w", err)
				}
				return nil
			}
		},
	}
}

func (c *cli) upgradeTemplate(ctx context.Context, dry, yes bool) error {
	newest, err := project.ReadFile("project/" + scaffold.TemplateFile)
	if err != nil {
		return err
	}
	own, err := os.ReadFile(scaffold.TemplateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("there is no %s in this folder: change to the project's", scaffold.TemplateFile)
	}
	if err != nil {
		return err
	}
	base, err := os.ReadFile(scaffold.TemplateBase)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !bytes.Equal(own, newest):
		return usagef("there is no %s, the template with which the project began: without it your changes cannot be told from Turnstile's. Put template.yaml of the version of Turnstile that made the project there, and run this again", scaffold.TemplateBase)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case bytes.Equal(base, newest), errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(c.out, "%s is up to date\n", scaffold.TemplateFile)
		return nil
	}
	work, err := os.MkdirTemp("", "turnstile-template-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	merged, conflicts, err := merge.Files(ctx, work, own, base, newest)
	if err != nil {
		return err
	}
	if write, err := c.mayWriteTemplate(ctx, work, own, merged, dry, yes); err != nil || !write {
		return err
	}
	// The base last: if only the first is written, another call does the rest.
	for _, file := range []struct {
		name string
		data []byte
	}{{scaffold.TemplateFile, merged}, {scaffold.TemplateBase, newest}} {
		if err := os.WriteFile(file.name, file.data, 0o644); err != nil {
			return err
		}
	}
	if conflicts > 0 {
		return fmt.Errorf("%s has %s where you and Turnstile changed the same lines: look for <<<<<<< in it", scaffold.TemplateFile, plain.Plural(conflicts, "place", "places"))
	}
	fmt.Fprintf(c.out, "%s is up to date; deploy it as always\n", scaffold.TemplateFile)
	return nil
}

// mayWriteTemplate shows what changes in the template, and asks whether it is to be written:
// not with dry, and with yes without a question. A no is an error.
func (c *cli) mayWriteTemplate(ctx context.Context, work string, own, changed []byte, dry, yes bool) (bool, error) {
	if err := merge.Show(ctx, c.out, work, scaffold.TemplateFile, own, changed); err != nil || dry || yes {
		return !dry && err == nil, err
	}
	agreed, err := c.agreed(ctx, "Write this to "+scaffold.TemplateFile+"?")
	if err == nil && !agreed {
		err = errors.New("nothing was written")
	}
	return agreed, err
}
