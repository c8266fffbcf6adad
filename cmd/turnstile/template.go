package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	flag "github.com/spf13/pflag"
)

// The files of a project's template: what is deployed, which its authors change,
// and that which came with Turnstile, to tell their changes from later ones.
const (
	templateFile = "template.yaml"
	templateBase = "template.base.yaml"
)

func templateUpgradeCommand() *command {
	return &command{
		name: "template upgrade", also: []string{"template", "upgrade"}, offline: true, most: 0,
		short: "bring template.yaml of this folder up to this version",
		long: paragraph(
			"Merges what has changed in Turnstile's template since the project was made, or upgraded",
			"last, into template.yaml, and keeps what you have changed there. It shows the",
			"difference and asks; nothing is deployed. "+templateBase+", which it compares with, belongs",
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
	newest, err := project.ReadFile("project/" + templateFile)
	if err != nil {
		return err
	}
	own, err := os.ReadFile(templateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("there is no %s in this folder: change to the project's", templateFile)
	}
	if err != nil {
		return err
	}
	base, err := os.ReadFile(templateBase)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !bytes.Equal(own, newest):
		return usagef("there is no %s, by which your changes could be told from later ones: put the template there that the project began with (template.yaml of the version of Turnstile that made it), and call this again", templateBase)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case bytes.Equal(base, newest), errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(c.out, "%s is up to date\n", templateFile)
		return nil
	}
	work, err := os.MkdirTemp("", "turnstile-template-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	merged, conflicts, err := merge(ctx, work, own, base, newest)
	if err != nil {
		return err
	}
	if err := c.showDifference(ctx, work, own, merged); err != nil {
		return err
	}
	if dry {
		return nil
	}
	if !yes {
		agreed, err := c.agreed(ctx, "Write this to "+templateFile+"?")
		if err != nil {
			return err
		}
		if !agreed {
			return errors.New("nothing was written")
		}
	}
	// The base last: if only the first is written, another call does the rest.
	for _, file := range []struct {
		name string
		data []byte
	}{{templateFile, merged}, {templateBase, newest}} {
		if err := os.WriteFile(file.name, file.data, 0o644); err != nil {
			return err
		}
	}
	if conflicts > 0 {
		return fmt.Errorf("%s has %s where you and Turnstile changed the same lines: look for <<<<<<< in it", templateFile, plural(conflicts, "place", "places"))
	}
	fmt.Fprintf(c.out, "%s is up to date; deploy it as always\n", templateFile)
	return nil
}

// merge is what git makes of two changes of one file.
func merge(ctx context.Context, work string, own, base, newest []byte) (merged []byte, conflicts int, err error) {
	args := []string{"merge-file", "--stdout", "-L", "yours", "-L", "before", "-L", "Turnstile's"}
	for name, data := range map[string][]byte{"own": own, "base": base, "newest": newest} {
		if err := os.WriteFile(filepath.Join(work, name), data, 0o600); err != nil {
			return nil, 0, err
		}
	}
	for _, name := range []string{"own", "base", "newest"} {
		args = append(args, filepath.Join(work, name))
	}
	merged, err = exec.CommandContext(ctx, "git", args...).Output()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return merged, 0, nil
	case errors.Is(err, exec.ErrNotFound):
		return nil, 0, errors.New("git, which merges the two, is not in the PATH: install it")
	case errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128:
		return merged, exit.ExitCode(), nil // so many conflicts
	}
	if exit != nil {
		return nil, 0, fmt.Errorf("git merge-file: %w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return nil, 0, fmt.Errorf("git merge-file: %w", err)
}

// showDifference prints what is to change in template.yaml.
func (c *cli) showDifference(ctx context.Context, work string, own, merged []byte) error {
	for name, data := range map[string][]byte{"a": own, "b": merged} {
		if err := os.MkdirAll(filepath.Join(work, name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(work, name, templateFile), data, 0o600); err != nil {
			return err
		}
	}
	diff := exec.CommandContext(ctx, "git", "diff", "--no-index", "--no-prefix", "a/"+templateFile, "b/"+templateFile)
	diff.Dir = work
	out, err := diff.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return fmt.Errorf("git diff: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "diff ") && !strings.HasPrefix(line, "index ") {
			fmt.Fprint(c.out, line)
		}
	}
	return nil
}
