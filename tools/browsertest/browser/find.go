package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// names are what browsers are called, on the PATH or at a place of their own.
var names = []string{
	"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
	"chrome-headless-shell", "chromium-headless-shell", "chrome",
	"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	"/Applications/Chromium.app/Contents/MacOS/Chromium",
}

// Binary is a browser that runs here.
type Binary struct {
	Path string
	// Version is what it says of itself, "Chromium 153.0.8010.0".
	Version string
	// libraries is a folder that its libraries are taken from, "" for those of
	// the system.
	libraries string
	// dir is where the fonts and axe-core are.
	dir string
}

// ErrNone is returned when there is no browser.
var ErrNone = errors.New("no Chromium on the PATH and none installed (go -C tools/browsertest run ./cmd/install puts one into .local; it needs npm)")

// Find returns the browser that TURNSTILE_BROWSER names, else one on the PATH,
// else the installed one. [ErrNone] if there is none, or if the fonts and
// axe-core, which each of them needs, are not installed.
func Find(ctx context.Context) (Binary, error) {
	dir, err := Dir()
	if err != nil {
		return Binary{}, err
	}
	for _, p := range append([]npmPackage{axe}, fonts...) {
		if !installed(dir, p) {
			return Binary{}, fmt.Errorf("%s is not there: %w", p.title, ErrNone)
		}
	}
	binary, err := onPath(ctx)
	if err != nil {
		binary, err = pinned(ctx, dir)
	}
	binary.dir = dir
	return binary, err
}

// FindPinned returns the browser that [Install] installs, also where another
// one is on the PATH, so that a picture does not depend on the machine.
func FindPinned(ctx context.Context) (Binary, error) {
	dir, err := Dir()
	if err != nil {
		return Binary{}, err
	}
	binary, err := pinned(ctx, dir)
	binary.dir = dir
	return binary, err
}

func onPath(ctx context.Context) (Binary, error) {
	if named := os.Getenv("TURNSTILE_BROWSER"); named != "" {
		binary, err := ask(ctx, named, "")
		if err != nil {
			return Binary{}, fmt.Errorf("TURNSTILE_BROWSER: %w", err)
		}
		return binary, nil
	}
	for _, name := range names {
		found, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		// A name may be a stub that only says how to install one.
		if binary, err := ask(ctx, found, ""); err == nil {
			return binary, nil
		}
	}
	return Binary{}, ErrNone
}

func pinned(ctx context.Context, dir string) (Binary, error) {
	if !installed(dir, chromium) {
		return Binary{}, ErrNone
	}
	folder := filepath.Join(dir, chromium.folder())
	binary, err := ask(ctx, filepath.Join(folder, "chromium"), "")
	if err != nil {
		// The package has NSS with it, for a machine that lacks it.
		binary, err = ask(ctx, filepath.Join(folder, "chromium"), folder)
	}
	return binary, err
}

// ask runs the browser to hear its version: the sign that it runs at all.
func ask(ctx context.Context, path, libraries string) (Binary, error) {
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = environment(libraries)
	out, err := cmd.Output()
	if err != nil {
		return Binary{}, fmt.Errorf("%s --version: %w", path, err)
	}
	return Binary{Path: path, Version: string(bytes.TrimSpace(out)), libraries: libraries}, nil
}

func environment(libraries string, more ...string) []string {
	env := append(os.Environ(), more...)
	if libraries != "" {
		env = append(env, "LD_LIBRARY_PATH="+libraries)
	}
	return env
}
