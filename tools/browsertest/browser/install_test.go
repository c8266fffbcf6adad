package browser

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// withTools puts commands of these names on the PATH, and nothing else.
func withTools(t *testing.T, tools map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range tools {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("TURNSTILE_BROWSER", "")
}

func TestInstallWithoutNpmSaysWhatIsMissing(t *testing.T) {
	withTools(t, nil)
	dir := t.TempDir()
	err := Install(context.Background(), dir, &strings.Builder{})
	if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && (err == nil || !strings.Contains(err.Error(), "npm is not on the PATH")) {
		t.Fatalf("got %v, want that npm is missing", err)
	}
	isEmpty(t, dir)
}

func TestInstallRefusesAnotherArchive(t *testing.T) {
	withTools(t, map[string]string{"npm": "echo other > other.tgz", "chromium": "echo Chromium 1"})
	dir := t.TempDir()
	err := Install(context.Background(), dir, &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "axe-core@4.14.1 is not the package that was pinned: its digest is sha512-") {
		t.Fatalf("got %v, want that the digest is another", err)
	}
	isEmpty(t, dir)
}

func TestABrowserThatDoesNotRunIsPassedOver(t *testing.T) {
	withTools(t, map[string]string{"chromium": "exit 1", "google-chrome": "echo Google Chrome 7"})
	if got, err := onPath(context.Background()); err != nil || got.Version != "Google Chrome 7" {
		t.Errorf("got %+v, %v, want Google Chrome 7", got, err)
	}
	t.Setenv("TURNSTILE_BROWSER", filepath.Join(os.Getenv("PATH"), "chromium"))
	if got, err := onPath(context.Background()); err == nil {
		t.Errorf("got %+v although the browser that was named does not run", got)
	}
}

func isEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}
