package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Merge merges two changes of a file with git. It returns the merged file and the number of conflicts.
func Merge(ctx context.Context, work string, own, base, newest []byte) (merged []byte, conflicts int, err error) {
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
		return nil, 0, errors.New("git is not in the PATH: install it")
	case errors.As(err, &exit) && exit.ExitCode() > 0 && exit.ExitCode() < 128:
		return merged, exit.ExitCode(), nil // so many conflicts
	}
	if exit != nil {
		return nil, 0, fmt.Errorf("git merge-file: %w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return nil, 0, fmt.Errorf("git merge-file: %w", err)
}

// ShowChange prints the change of a file in the format of git diff.
func ShowChange(ctx context.Context, w io.Writer, work, file string, own, merged []byte) error {
	for name, data := range map[string][]byte{"a": own, "b": merged} {
		if err := os.MkdirAll(filepath.Join(work, name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(work, name, file), data, 0o600); err != nil {
			return err
		}
	}
	diff := exec.CommandContext(ctx, "git", "diff", "--no-index", "--no-prefix", "a/"+file, "b/"+file)
	diff.Dir = work
	out, err := diff.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return fmt.Errorf("git diff: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "diff ") && !strings.HasPrefix(line, "index ") {
			fmt.Fprint(w, line)
		}
	}
	return nil
}
