package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

// errFindings reports that lint has printed findings or other output of go vet.
var errFindings = errors.New("lint: see the findings above; docs/lint.md lists the replacements")

func lintCommand() *command {
	return &command{
		name: "lint", also: []string{"vet", "check"}, offline: true, words: folders, operands: "[PACKAGE…]", most: -1,
		short: "find nondeterministic code in orchestrations",
		long: paragraph(
			"Checks the source of orchestrations and of the functions that they call for code that can differ",
			"between replays, such as the clock, random numbers, goroutines and map order. Without operands it",
			"checks ./... in this folder. It requires the go command, and no stack.",
			"",
			"turnstile is also a go vet tool: go vet -vettool=$(which turnstile) ./...",
		),
		examples: []string{"turnstile lint", "turnstile lint ./orders/..."},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, packages []string) error { return c.lint(ctx, packages) }
		},
	}
}

// lint makes go vet run this program on each package, because go vet orders packages by their
// dependencies and caches results.
func (c *cli) lint(ctx context.Context, packages []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("lint: the path of this program: %w", err)
	}
	args := []string{"vet", "-vettool=" + self}
	if c.json() {
		args = append(args, "-json")
	}
	if len(packages) == 0 {
		packages = []string{"./..."}
	}
	vet := exec.CommandContext(ctx, "go", append(append(args, "--"), packages...)...)
	vet.Stdout, vet.Stderr = term.Unwrapped(c.out), c.err
	err = vet.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		return errFindings
	}
	if err != nil {
		return fmt.Errorf("lint: %w", err)
	}
	return nil
}

// isVetTool reports whether go vet runs this program. go vet passes flags only, except that the
// last argument may be the description of a package.
func isVetTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	for _, arg := range args[:len(args)-1] {
		if !strings.HasPrefix(arg, "-") {
			return false
		}
	}
	last := args[len(args)-1]
	return last == "-V=full" || last == "-flags" || strings.HasSuffix(last, ".cfg")
}
