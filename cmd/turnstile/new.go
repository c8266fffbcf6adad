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

// project is what new writes, as scaffold.Files reads it.
//
//go:embed project
var project embed.FS

func newCommand() *command {
	return &command{
		name: "new", also: []string{"init"}, offline: true, words: folders, operands: "FOLDER", least: 1, most: 1,
		short: "make a project to start from",
		long: paragraph(
			"Makes a folder with a Go module that builds, tests and lints at once: an orchestration",
			"with its activities and tests, what runs it on this machine, the mains of the two",
			"functions, template.yaml to deploy them, and a workflow for CI. A folder that is there",
			"may have other files in it, and keeps them; you are asked first. It needs no stack, and",
			"the go command, which fetches the modules.",
			"",
			"A turnstile that was built from source uses that source, and says so: --replace names",
			"another one. One that was installed with a version requires that version.",
		),
		examples: []string{"turnstile new shop", "turnstile new --module example.com/shop shop"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			p := projectMaker{cli: c}
			flags.StringVar(&p.module, "module", "", "`path` of the Go module; the folder's name if not given")
			flags.StringVar(&p.source, "replace", "", "`folder` with the source of Turnstile, to use in place of a release")
			flags.BoolVar(&p.yes, "yes", false, "fill a folder that is not empty without asking")
			return func(ctx context.Context, operands []string) error {
				if err := p.make(ctx, operands[0]); err != nil {
					return fmt.Errorf("new: %w", err)
				}
				return nil
			}
		},
	}
}

// projectMaker makes a project.
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
	if !scaffold.IsModule(p.module) {
		return usagef("%q cannot be the path of a Go module (ASCII letters, digits and -._~ between slashes): give one with --module, such as example.com/shop", p.module)
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
		// It is a module of its own, whatever stands around it.
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
		return fmt.Errorf("the files are written, but go mod tidy failed in %s (see above): run it again there: %w", folder, err)
	}
	fmt.Fprintf(p.out, "%s is made, with %s. Next:\n\n  cd %s\n  turnstile dev     # runs it on this machine; change a file and see\n  make test\n\nREADME.md says what is where, and how to deploy it.\n",
		p.module, from, plain.ShellWord(named))
	return nil
}

// mayFill makes sure that nothing of the folder is written over, and that whoever
// fills one that is not empty wants to.
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
		return fmt.Errorf("%s has its own %s: nothing was written; name another folder, or move them away", folder, strings.Join(both, ", "))
	}
	if p.yes {
		return nil
	}
	agreed, err := p.agreed(ctx, fmt.Sprintf("%s is not empty (%s). Add %d files to it?", folder, plain.Plural(len(there), "entry", "entries"), len(files)))
	switch {
	case err != nil:
		return err
	case !agreed:
		return errors.New("nothing was written")
	}
	return nil
}
