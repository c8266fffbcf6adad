package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
)

func templateUpgradeCommand() *command {
	return &command{
		name: "template upgrade", also: []string{"template", "upgrade"}, offline: true, most: 0,
		short: "upgrade template.yaml in this folder to this version",
		long: paragraph(
			"Merges the changes of Turnstile's template since the project was created or last upgraded into",
			"template.yaml, and keeps your changes. It shows the difference and asks; nothing is deployed. The",
			"base of the merge is "+scaffold.TemplateBase+": commit it with the project. If you and Turnstile changed",
			"the same lines, the file gets both versions between conflict markers, like those of git merge, and",
			"the exit status is 1. It requires git.",
		),
		examples: []string{"turnstile template upgrade --dry-run", "turnstile template upgrade"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			dry := flags.Bool("dry-run", false, "show the difference and write nothing")
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
		return usagef("there is no %s in this folder: change to the project's folder", scaffold.TemplateFile)
	}
	if err != nil {
		return err
	}
	base, err := os.ReadFile(scaffold.TemplateBase)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !bytes.Equal(own, newest):
		return usagef("there is no %s, the template that the project was created with: without it, your changes cannot be distinguished from Turnstile's. Save the template.yaml of the Turnstile version that created the project under this name, and run the command again", scaffold.TemplateBase)
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
	merged, conflicts, err := scaffold.Merge(ctx, work, own, base, newest)
	if err != nil {
		return err
	}
	if write, err := c.mayWriteTemplate(ctx, work, own, merged, dry, yes); err != nil || !write {
		return err
	}
	// Write the base last, so that a repeated call completes an interrupted upgrade.
	for _, file := range []struct {
		name string
		data []byte
	}{{scaffold.TemplateFile, merged}, {scaffold.TemplateBase, newest}} {
		if err := os.WriteFile(file.name, file.data, 0o644); err != nil {
			return err
		}
	}
	if conflicts > 0 {
		return fmt.Errorf("%s has %s where you and Turnstile changed the same lines: search it for <<<<<<<", scaffold.TemplateFile, plain.Plural(conflicts, "place", "places"))
	}
	fmt.Fprintf(c.out, "%s is up to date; deploy it as usual\n", scaffold.TemplateFile)
	return nil
}

// mayWriteTemplate shows the change of the template and asks whether to write it. With dry it
// returns false; with yes it returns true without asking. The answer no is an error.
func (c *cli) mayWriteTemplate(ctx context.Context, work string, own, changed []byte, dry, yes bool) (bool, error) {
	if err := scaffold.ShowChange(ctx, c.out, work, scaffold.TemplateFile, own, changed); err != nil || dry || yes {
		return !dry && err == nil, err
	}
	agreed, err := c.agreed(ctx, "Write this to "+scaffold.TemplateFile+"?")
	if err == nil && !agreed {
		err = errors.New("nothing was written")
	}
	return agreed, err
}
