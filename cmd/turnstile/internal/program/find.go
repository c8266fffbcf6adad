// Package program finds and runs the main package of a project, for `turnstile dev` and `turnstile
// replay`.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
)

// Default is the default main package.
const Default = "./local"

// Find checks that the main package exists, and returns the folder of its module.
func Find(ctx context.Context, pkg string) (project string, err error) {
	return find(ctx, "", pkg)
}

// find is Find relative to a folder; empty for the current one.
func find(ctx context.Context, folder, pkg string) (project string, err error) {
	module, err := output(ctx, folder, "env", "GOMOD")
	if err != nil {
		return "", err
	}
	if module == "" || module == os.DevNull {
		return "", errors.New("there is no Go module here: change to the folder of a project; `turnstile new FOLDER` creates one")
	}
	found, err := output(ctx, folder, "list", "-e", "-f", "{{.Name}}", "--", pkg)
	switch {
	case err != nil:
		return "", err
	case found == "" && !hasGoFiles(filepath.Join(folder, pkg)):
		return "", fmt.Errorf("package %s, the program to build and run, does not exist: %s", pkg, advice(pkg))
	case found != "" && found != "main":
		return "", fmt.Errorf("%s is package %s: name a main package", pkg, found)
	}
	return filepath.Dir(module), nil
}

// hasGoFiles reports whether a folder has Go files, even invalid ones.
func hasGoFiles(folder string) bool {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	return err == nil && len(files) > 0
}

// advice returns a main package to write.
func advice(pkg string) string {
	file := filepath.ToSlash(filepath.Join(pkg, "main.go"))
	return "name another main package, or write " + file + `:

	package main

	import (
		"github.com/turnstile-go/turnstile"
		"github.com/turnstile-go/turnstile/sqlite/local"
	)

	func main() {
		local.Run(turnstile.NewApp(…)) // all orchestrations and activities
	}

Then: go get ` + scaffold.OwnModule + `/sqlite`
}

func output(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = folder
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, strings.TrimSpace(problems.String()))
	}
	return strings.TrimSpace(string(out)), nil
}
