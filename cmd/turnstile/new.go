package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"

	flag "github.com/spf13/pflag"
)

// project is what new writes. Files that would be part of this module, or
// hidden, have .txt behind their names; {{name}} and {{module}} stand for those
// of the project.
//
//go:embed project
var project embed.FS

// Modules that a project requires.
const (
	ownModule      = "github.com/turnstile-go/turnstile"
	databaseModule = ownModule + "/sqlite"
)

func newCommand() *command {
	return &command{
		name: "new", also: []string{"init"}, offline: true, words: folders, operands: "FOLDER", least: 1, most: 1,
		short: "make a project to start from",
		long: paragraph(
			"Makes a folder with a Go module that builds, tests and lints at once: an orchestration",
			"with its activities and tests, the mains of the two functions, and template.yaml to",
			"deploy them. The folder must not be there yet, or be empty. It needs no stack, and the",
			"go command, which fetches the modules.",
		),
		examples: []string{"turnstile new shop", "turnstile new --module example.com/shop shop"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			module := flags.String("module", "", "`path` of the Go module; the folder's name if not given")
			replace := flags.String("replace", "", "`folder` with the source of Turnstile, to use in place of a release")
			return func(ctx context.Context, operands []string) error {
				return c.newProject(ctx, operands[0], *module, *replace)
			}
		},
	}
}

func (c *cli) newProject(ctx context.Context, folder, module, replace string) error {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if module == "" {
		module = filepath.Base(folder)
	}
	switch there, err := os.ReadDir(folder); {
	case err == nil && len(there) > 0:
		return fmt.Errorf("new: %s is not empty: name a folder that is not there yet", folder)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("new: %w", err)
	}
	goMod := "module " + module + "\n\ngo 1.26\n"
	if replace != "" {
		source, err := filepath.Abs(replace)
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(source, "go.mod")); err != nil {
			return usagef("new: --replace names no folder with a Go module: %v", err)
		}
		for _, m := range []struct{ path, folder string }{{ownModule, source}, {databaseModule, filepath.Join(source, "sqlite")}} {
			goMod += fmt.Sprintf("\nrequire %s v0.0.0\n\nreplace %s => %q\n", m.path, m.path, m.folder)
		}
	} else if version := releasedVersion(); version != "" {
		// Modules of one repository are released together.
		goMod += fmt.Sprintf("\nrequire (\n\t%s %s\n\t%s %s\n)\n", ownModule, version, databaseModule, version)
	}
	if err := writeProject(folder, module); err != nil {
		return fmt.Errorf("new: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "go.mod"), []byte(goMod), 0o644); err != nil {
		return fmt.Errorf("new: %w", err)
	}
	tidy := exec.CommandContext(ctx, "go", "mod", "tidy")
	tidy.Dir, tidy.Stdout, tidy.Stderr = folder, c.err, c.err
	if err := tidy.Run(); err != nil {
		return fmt.Errorf("new: the files are written, but go mod tidy failed in %s (see above): run it again there: %w", folder, err)
	}
	fmt.Fprintf(c.out, "%s is made. Next:\n\n  cd %s\n  turnstile dev     # runs it on this machine; change a file and see\n  make test\n\nREADME.md says what is where, and how to deploy it.\n", module, folder)
	return nil
}

// writeProject writes all of the project but its go.mod.
func writeProject(folder, module string) error {
	words := strings.NewReplacer("{{name}}", path.Base(module), "{{module}}", module)
	return fs.WalkDir(project, "project", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := project.ReadFile(file)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(file, "project/"), ".txt")
		if name == "gitignore" {
			name = ".gitignore"
		}
		target := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		return os.WriteFile(target, []byte(words.Replace(string(data))), 0o644)
	})
}

// releasedVersion returns the version of Turnstile that this command was built
// from; empty for one that was built from source, for then go mod tidy takes
// the newest.
func releasedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if module.Path == ownModule && module.Replace == nil && strings.HasPrefix(module.Version, "v") {
			return module.Version
		}
	}
	return ""
}
