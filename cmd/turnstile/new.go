package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
)

// project holds the files of a new project, for scaffold.Files.
//
//go:embed project
var project embed.FS

func newCommand() *command {
	return &command{
		name: "new", also: []string{"init"}, offline: true, words: folders, operands: "FOLDER", least: 1, most: 1,
		short: "create a new project",
		long: paragraph(
			"Creates a folder with a Go module that builds, tests and lints: an orchestration with its",
			"activities and tests, a program that runs it on this machine, the main packages of the two",
			"functions, template.yaml to deploy them, and a CI workflow. If the folder exists and is not",
			"empty, new asks first and keeps the existing files. It requires the go command, which downloads",
			"the modules, and no stack.",
			"",
			"The new module requires the installed version of turnstile. If turnstile was built from source,",
			"the module uses that source, and new says so; --replace names another source folder.",
		),
		examples: []string{"turnstile new shop", "turnstile new --module example.com/shop shop"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			p := projectMaker{cli: c}
			flags.StringVar(&p.module, "module", "", "`path` of the Go module; default the folder's name")
			flags.StringVar(&p.source, "replace", "", "`folder` with the source of Turnstile, to use instead of a release")
			flags.BoolVar(&p.yes, "yes", false, "write into a folder that is not empty without asking")
			return func(ctx context.Context, operands []string) error {
				if err := p.make(ctx, operands[0]); err != nil {
					return fmt.Errorf("new: %w", err)
				}
				return nil
			}
		},
	}
}

// projectMaker creates a project.
type projectMaker struct {
	*cli
	module, source string
	yes            bool
}

func (p *projectMaker) make(ctx context.Context, named string) error {
	folder, err := filepath.Abs(named)
	if err != nil {
		return err
	}
	if p.module == "" {
		p.module = filepath.Base(folder)
	}
	if problem := scaffold.ModuleProblem(p.module); problem != "" {
		return usagef("%q cannot be a Go module path: %s; pass one with --module, such as example.com/shop", p.module, problem)
	}
	files, err := scaffold.Files(project, p.module)
	if err != nil {
		return err
	}
	goMod, from, err := scaffold.GoMod(p.module, p.source)
	var none *scaffold.NoSourceError
	if errors.As(err, &none) {
		return usagef("--replace %v", none)
	}
	if err != nil {
		return err
	}
	files["go.mod"] = goMod
	if _, shared := scaffold.WorkspaceOf(folder); shared {
		// A workspace of its own keeps the module out of the surrounding one.
		files["go.work"] = []byte("go 1.26.0\n\nuse .\n")
	}
	if err := p.mayFill(ctx, folder, files); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		target := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, files[name], 0o644); err != nil {
			return err
		}
	}
	tidy := exec.CommandContext(ctx, "go", "mod", "tidy")
	tidy.Dir, tidy.Stdout, tidy.Stderr = folder, p.err, p.err
	if err := tidy.Run(); err != nil {
		return fmt.Errorf("the files were written, but go mod tidy failed in %s (see above): run it again in that folder: %w", folder, err)
	}
	fmt.Fprintf(p.out, "Created %s with %s. Next:\n\n  cd %s\n  turnstile dev     # runs it on this machine and restarts it when a file changes\n  make test\n\nREADME.md describes the files and how to deploy.\n",
		p.module, from, plain.Operand(named))
	return nil
}

// mayFill returns an error if a file in the folder would be overwritten, or if the folder is not
// empty and the user does not confirm.
func (p *projectMaker) mayFill(ctx context.Context, folder string, files map[string][]byte) error {
	there, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(there) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	var both []string
	for name, data := range files {
		if old, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name))); !errors.Is(err, fs.ErrNotExist) && !bytes.Equal(old, data) {
			both = append(both, name)
		}
	}
	if slices.Sort(both); len(both) > 0 {
		return fmt.Errorf("%s already has a different %s: nothing was written; name another folder, or move these files", folder, strings.Join(both, ", "))
	}
	if p.yes {
		return nil
	}
	agreed, err := p.agreed(ctx, fmt.Sprintf("%s is not empty (%s). Add %d files?", folder, plain.Plural(len(there), "entry", "entries"), len(files)))
	switch {
	case err != nil:
		return err
	case !agreed:
		return errors.New("nothing was written")
	}
	return nil
}
