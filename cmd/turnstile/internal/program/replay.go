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

// Replay builds the program in a folder (empty for the current one) and replays histories with it. If
// the code disagrees, said describes the difference. If it agrees, said has lines that start with
// supervised.Waits and say where the code waits. notes receives the output of the build and the program.
func Replay(ctx context.Context, folder, pkg string, exports []history.Export, notes io.Writer) (agrees bool, said string, err error) {
	if _, err := find(ctx, folder, pkg); err != nil {
		return false, "", err
	}
	// A program that does not support replay would run the application.
	deps, err := output(ctx, folder, "list", "-deps", "--", pkg)
	if err != nil {
		return false, "", err
	}
	if !slices.Contains(strings.Fields(deps), scaffold.DatabaseModule+"/local") {
		return false, "", fmt.Errorf("%s does not import %s/local, so it cannot replay: call local.ReplayIfAsked(app) first in its main, before it opens a database, or %s", pkg, scaffold.DatabaseModule, advice(pkg))
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
	program.Env = append(withoutSecrets(os.Environ()), supervised.Replay+"="+file)
	program.Dir, program.Stdout, program.Stderr = folder, &out, notes
	err = program.Run()
	exited, isExit := errors.AsType[*exec.ExitError](err)
	if err != nil && !(isExit && exited.ExitCode() == supervised.Disagrees) {
		return false, "", fmt.Errorf("the program %s ended without a result; local.ReplayIfAsked(app), or local.Run, must be the first call of its main: %w", pkg, err)
	}
	return err == nil, strings.TrimSpace(strings.ReplaceAll(out.String(), file+": ", "")), nil
}

// withoutSecrets leaves out what a replay does not need and the code, which an agent may have
// written, could use: the variables of AWS, except the region, and the keys of encrypted payloads. It
// turns off the credentials of a machine's role. Files that the user can read, such as
// ~/.aws/credentials, remain readable.
func withoutSecrets(environ []string) []string {
	kept := slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		switch name {
		case "AWS_REGION", "AWS_DEFAULT_REGION":
			return false
		case "TURNSTILE_KEYS", "TURNSTILE_KEY_FILE":
			return true
		}
		return strings.HasPrefix(name, "AWS_")
	})
	return append(kept, "AWS_EC2_METADATA_DISABLED=true")
}
