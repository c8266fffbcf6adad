package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"
)

var here = platform{runtime.GOOS, runtime.GOARCH}

func opened(t *testing.T) *repository {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	r, err := open(root)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// builds skips a test that builds the released programs from nothing, which takes minutes, unless
// TURNSTILE_PROVE is 1.
func builds(t *testing.T) {
	t.Helper()
	if os.Getenv("TURNSTILE_PROVE") != "1" {
		t.Skip("NOT RUN: it builds the released programs, which TURNSTILE_PROVE=1 runs; `make prove` sets it")
	}
}

// What is committed is installed from a proxy, as it will be from the public one:
// the linter, and the library in a module of somebody else's.
func TestInstalledFromAfar(t *testing.T) {
	t.Parallel()
	builds(t)
	r := opened(t)
	s, err := r.newShelf(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if _, err := s.install(t.Context(), "lint/cmd/turnstile-lint", here); err != nil {
		t.Error(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  fmt.Sprintf("module example.com/shop\n\ngo 1.26\n\nrequire (\n\t%s %s\n\t%s/sqlite %s\n)\n", ownModule, r.version, ownModule, r.version),
		"main.go": "package main\n\nimport (\n\t_ \"" + ownModule + "/embedded\"\n\t_ \"" + ownModule + "/sqlite\"\n)\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"mod", "tidy"}, {"build", "-o", os.DevNull, "."}} {
		if err := s.run(t.Context(), folder, here, args...); err != nil {
			t.Error(err)
		}
	}
}

// One commit gives the same files twice, by module caches of their own, and each
// has its checksum and a list of what it was built of.
func TestTheSameCommitGivesTheSameFiles(t *testing.T) {
	t.Parallel()
	builds(t)
	r := opened(t)
	of := []platform{here}
	folders := []string{t.TempDir(), t.TempDir()}
	for _, folder := range folders {
		if err := r.dist(t.Context(), folder, of); err != nil {
			t.Fatal(err)
		}
	}
	sums, err := os.ReadFile(filepath.Join(folders[0], "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := os.ReadFile(filepath.Join(folders[1], "checksums.txt"))
	if err != nil || !bytes.Equal(sums, again) {
		t.Errorf("%v, two builds of one commit differ:\n%s\n%s", err, sums, again)
	}
	lines := strings.Split(strings.TrimSpace(string(sums)), "\n")
	if len(lines) != 2*len(of) {
		t.Fatalf("%d files, want %d:\n%s", len(lines), 2*len(of), sums)
	}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		data, err := os.ReadFile(filepath.Join(folders[0], name))
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); err != nil || got != sum {
			t.Errorf("%s: %v, its checksum is %s, and listed as %s", name, err, got, sum)
		}
		if !strings.HasSuffix(name, ".cdx.json") {
			continue
		}
		var bom struct {
			Components []struct{ Name, Version string } `json:"components"`
		}
		if err := json.Unmarshal(data, &bom); err != nil {
			t.Error(err)
		}
		has := map[string]string{}
		for _, c := range bom.Components {
			has[c.Name] = c.Version
		}
		if has[ownModule] != r.version || has["std"] != runtime.Version() || len(has) < 5 {
			t.Errorf("%s lists %v", name, has)
		}
	}
	unpacked := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "tar", "-xzf", filepath.Join(folders[0], fmt.Sprintf("turnstile-%s-%s.tar.gz", r.version, here)), "-C", unpacked).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(unpacked, "turnstile"), "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), r.version) {
		t.Errorf("turnstile version: %v, %s; want %s", err, out, r.version)
	}
}

func TestWindowsGetsAZipFile(t *testing.T) {
	t.Parallel()
	r := opened(t)
	binary := filepath.Join(t.TempDir(), "turnstile.exe")
	if err := os.WriteFile(binary, []byte("a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	data, suffix, err := r.archive(binary, platform{"windows", "arm64"}, time.Unix(1_700_000_000, 0))
	if err != nil || suffix != ".zip" {
		t.Fatalf("%v, %s", err, suffix)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(z.File) != 2 || z.File[0].Name != "turnstile.exe" || z.File[1].Name != "LICENSE" {
		t.Errorf("%v, %v", err, z)
	}
}

func TestSetChangesAllModulesTogether(t *testing.T) {
	t.Parallel()
	from := opened(t)
	root := t.TempDir()
	for _, m := range append(released, others...) {
		data, err := os.ReadFile(filepath.Join(from.root, string(m), "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(root, string(m)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, string(m), "go.mod"), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	work, err := os.ReadFile(filepath.Join(from.root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.work"), work, 0o644); err != nil {
		t.Fatal(err)
	}
	r := &repository{root: root}
	for _, wrong := range []string{"1.2.3", "v1", "v2.0.0", "v1.2", "latest"} {
		if err := r.set(wrong); err == nil {
			t.Errorf("%s was set", wrong)
		}
	}
	if err := r.set("v0.7.3"); err != nil {
		t.Fatal(err)
	}
	if r, err = open(root); err != nil || r.version != "v0.7.3" {
		t.Fatalf("%v, version %s", err, r.version)
	}
	data, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, replaced := range f.Replace {
		if replaced.Old.Version != "v0.7.3" {
			t.Errorf("go.work replaces %s", replaced.Old)
		}
	}
	if len(f.Replace) < 3 {
		t.Errorf("go.work replaces %d modules", len(f.Replace))
	}
	// One that is left behind is an error.
	name := filepath.Join(root, "tools", "smoke", "go.mod")
	behind, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.ReplaceAll(behind, []byte("v0.7.3"), []byte("v0.7.2")), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := open(root); err == nil || !strings.Contains(err.Error(), "tools/smoke") {
		t.Errorf("one module requires another version: %v", err)
	}
	if err := os.WriteFile(name, append(behind, "\nreplace "+ownModule+" => ../\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := open(root); err == nil || !strings.Contains(err.Error(), "replace") {
		t.Errorf("a module with a replace directive: %v", err)
	}
}
