package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	mod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// proxy writes a module proxy of what is committed: GOPROXY=file://DIRECTORY.
// https://go.dev/ref/mod#goproxy-protocol
func (r *repository) proxy(ctx context.Context, directory string) error {
	at, err := r.committed(ctx)
	if err != nil {
		return err
	}
	for _, m := range released {
		if err := r.proxyOf(ctx, m, directory, at); err != nil {
			return fmt.Errorf("%s: %w", m.path(), err)
		}
	}
	return nil
}

func (r *repository) proxyOf(ctx context.Context, m module, directory string, at time.Time) (err error) {
	escaped, err := mod.EscapePath(m.path())
	if err != nil {
		return err
	}
	folder := filepath.Join(directory, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	file := func(suffix string) string { return filepath.Join(folder, r.version+suffix) }
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{r.version, at})
	if err != nil {
		return err
	}
	goMod, err := r.git(ctx, "show", "HEAD:"+strings.TrimPrefix(string(m)+"/go.mod", "/"))
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{file(".info"): info, file(".mod"): goMod, filepath.Join(folder, "list"): []byte(r.version + "\n")} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			return err
		}
	}
	out, err := os.Create(file(".zip"))
	if err != nil {
		return err
	}
	defer func() {
		if closed := out.Close(); err == nil {
			err = closed
		}
	}()
	return zip.CreateFromVCS(out, mod.Version{Path: m.path(), Version: r.version}, r.root, "HEAD", string(m))
}

// committed is when the commit was made, which what is released has for its time.
func (r *repository) committed(ctx context.Context) (time.Time, error) {
	out, err := r.git(ctx, "show", "--no-patch", "--format=%cI", "HEAD")
	if err != nil {
		return time.Time{}, err
	}
	at, err := time.Parse(time.RFC3339, strings.TrimSpace(string(out)))
	return at.UTC(), err
}

func (r *repository) git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.root}, args...)...)
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, exit.Stderr)
	}
	return out, err
}
