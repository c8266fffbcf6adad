package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommand runs the program as a person does, and as go vet does.
func TestCommand(t *testing.T) {
	t.Parallel()
	if os.Getenv("TURNSTILE_BUILDS") != "1" {
		t.Skip("NOT RUN: it builds the linter, which TURNSTILE_BUILDS=1 runs; `make test` sets it")
	}
	program := filepath.Join(t.TempDir(), "turnstile-lint")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for name, c := range map[string]struct {
		command []string
		fails   bool
		shows   string
	}{
		"findings, by itself":    {command: []string{program, "./silenced"}, fails: true, shows: "silenced.go:29:6: clock: time.Now reads the wall clock; use turnstile.Now"},
		"findings, by go vet":    {command: []string{"go", "vet", "-vettool=" + program, "./orchestrations"}, fails: true, shows: "clock: helpers.Stamp reaches (through stamp, now) time.Now, which reads the wall clock, at helpers.go:16"},
		"no findings, by go vet": {command: []string{"go", "vet", "-vettool=" + program, "./fine"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(c.command[0], c.command[1:]...)
			cmd.Dir = filepath.Join("..", "..", "testdata")
			cmd.Env = append(os.Environ(), "GOWORK=off") // It is a module of somebody else's.
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if (err != nil) != c.fails || !strings.Contains(string(out), c.shows) || !c.fails && len(out) > 0 {
				t.Errorf("%s: %v, want a failure: %v, and %q\n%s", strings.Join(c.command, " "), err, c.fails, c.shows, out)
			}
		})
	}
}
