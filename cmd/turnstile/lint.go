package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	flag "github.com/spf13/pflag"
)

// errFindings says that lint has printed findings, or what else go vet had to
// say.
var errFindings = errors.New("lint: see above; docs/lint.md says what to use instead")

func lintCommand() *command {
	return &command{
		name: "lint", also: []string{"vet", "check"}, offline: true, words: folders, operands: "[PACKAGE…]", most: -1,
		short: "find what orchestration code may not do",
		long: paragraph(
			"Looks through the source of orchestrations, and of what they call, for what is not",
			"the same on every replay: the clock, random numbers, goroutines, the order of maps",
			"and so on. Without operands it takes ./... of this folder. It needs no stack, and",
			"the go command.",
			"",
			"This program is a tool for go vet, too: go vet -vettool=$(which turnstile) ./...",
		),
		examples: []string{"turnstile lint", "turnstile lint ./orders/..."},
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(ctx context.Context, packages []string) error { return c.lint(ctx, packages) }
		},
	}
}

// lint has go vet run this program on each package: it knows what is to be
// analysed first, and remembers what has been.
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
	vet.Stdout, vet.Stderr = c.out, c.err
	err = vet.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		return errFindings
	}
	if err != nil {
		return fmt.Errorf("lint: %w", err)
	}
	return nil
}

// isVetTool reports whether go vet has called this program, and not a person:
// with flags only, of which the last may be the description of a package.
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
