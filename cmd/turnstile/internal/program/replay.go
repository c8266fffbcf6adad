package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/scaffold"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/recording"
	"github.com/turnstile-go/turnstile/internal/supervised"
)

// Replay builds the program, from a folder on (empty for the one that the process is in), and has it
// replay histories. said is where its code does not
// agree with them; if it agrees where it waits, in lines that begin with supervised.Waits.
// notes gets what the build and the program print.
func Replay(ctx context.Context, folder, pkg string, exports []history.Export, notes io.Writer) (agrees bool, said string, err error) {
	if _, err := find(ctx, folder, pkg); err != nil {
		return false, "", err
	}
	// A program that does not know what it is asked for would run the application.
	deps, err := output(ctx, folder, "list", "-deps", "--", pkg)
	if err != nil {
		return false, "", err
	}
	if !slices.Contains(strings.Fields(deps), scaffold.DatabaseModule+"/local") {
		return false, "", fmt.Errorf("%s does not import %s/local, so it cannot replay: begin its main with local.ReplayIfAsked(app), before it opens a database, or %s", pkg, scaffold.DatabaseModule, advice(pkg))
	}
	made, err := os.MkdirTemp("", "turnstile-replay-")
	if err != nil {
		return false, "", err
	}
	defer func() { _ = os.RemoveAll(made) }()
	document, err := recording.Encode(&recording.Recording{Histories: exports})
	if err != nil {
		return false, "", err
	}
	file, binary := filepath.Join(made, "history.json"), filepath.Join(made, "program.exe")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		return false, "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "--", pkg)
	build.Dir, build.Stdout, build.Stderr = folder, notes, notes
	if err := build.Run(); err != nil {
		return false, "", fmt.Errorf("the build failed: see above: %w", err)
	}
	var out bytes.Buffer
	program := exec.CommandContext(ctx, binary)
	program.Env = append(os.Environ(), supervised.Replay+"="+file)
	program.Dir, program.Stdout, program.Stderr = folder, &out, notes
	err = program.Run()
	exited, isExit := errors.AsType[*exec.ExitError](err)
	if err != nil && !(isExit && exited.ExitCode() == supervised.Disagrees) {
		return false, "", fmt.Errorf("the program %s ended without an answer; local.ReplayIfAsked(app), or local.Run, must be the first call of its main: %w", pkg, err)
	}
	return err == nil, strings.TrimSpace(strings.ReplaceAll(out.String(), file+": ", "")), nil
}
