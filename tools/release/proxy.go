package main

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
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
	tree, err := os.MkdirTemp("", "turnstile-tree-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tree)
	if err := r.export(ctx, tree); err != nil {
		return err
	}
	for _, m := range released {
		if err := r.proxyOf(m, tree, directory, at); err != nil {
			return fmt.Errorf("%s: %w", m.path(), err)
		}
	}
	return nil
}

func (r *repository) proxyOf(m module, tree, directory string, at time.Time) (err error) {
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
	source := filepath.Join(tree, filepath.FromSlash(string(m)))
	goMod, err := os.ReadFile(filepath.Join(source, "go.mod"))
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
	return zip.CreateFromDir(out, mod.Version{Path: m.path(), Version: r.version}, source)
}

// export writes the files that are committed into a folder, with the licence in
// each module, where the go command puts it too.
func (r *repository) export(ctx context.Context, folder string) error {
	packed, err := r.git(ctx, "archive", "--format=tar", "HEAD")
	if err != nil {
		return err
	}
	into, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer into.Close()
	files := tar.NewReader(bytes.NewReader(packed))
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(files)
		if err != nil {
			return err
		}
		if err := into.MkdirAll(path.Dir(header.Name), 0o755); err != nil {
			return err
		}
		if err := into.WriteFile(header.Name, data, 0o644); err != nil {
			return err
		}
	}
	licence, err := into.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	for _, m := range released {
		if err := into.WriteFile(path.Join(string(m), "LICENSE"), licence, 0o644); err != nil {
			return err
		}
	}
	return nil
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
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, exit.Stderr)
	}
	return out, err
}
