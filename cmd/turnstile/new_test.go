package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What new makes is built, vetted, tested and linted as its author would.
func TestNew(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "shop")
	b := newBench(t)
	if r := b.run("new", "--module", "example.com/shop", "--replace", "../..", folder); r.status != exitOK {
		t.Fatalf("exit status %d\n%s%s", r.status, r.out, r.err)
	}
	for _, args := range []string{"build -o bin/ ./lambdas/...", "vet ./...", "test ./..."} {
		cmd := exec.Command("go", strings.Fields(args)...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args, err, out)
		}
	}
	unformatted, err := exec.Command("gofmt", "-l", folder).CombinedOutput()
	if err != nil || len(unformatted) > 0 {
		t.Errorf("gofmt: %s, %v", unformatted, err)
	}
	t.Chdir(folder)
	if r := b.run("lint"); r.status != exitOK {
		t.Errorf("turnstile lint: exit status %d\n%s%s", r.status, r.out, r.err)
	}
	if r := b.run("new", folder); r.status != exitFailed || !strings.Contains(r.err, "is not empty") {
		t.Errorf("a second time: exit status %d\n%s", r.status, r.err)
	}
}

func TestNewRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "shop")
	for _, args := range [][]string{{"new"}, {"new", "a", "b"}, {"new", "--replace", t.TempDir(), folder}} {
		if r := newBench(t).run(args...); r.status != exitUsage {
			t.Errorf("turnstile %v: exit status %d\n%s", args, r.status, r.err)
		}
	}
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("a folder was made all the same: %v", err)
	}
}

// What a project deploys is what is tested here.
func TestTheProjectHasTheTemplateOfThisRepository(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"template.yaml", "samconfig.toml", "lambdas/build/build.mk", "lambdas/build/arm64/Makefile", "lambdas/build/x86_64/Makefile"} {
		want, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		own := filepath.Join("project", file)
		if *update {
			if err := os.WriteFile(own, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(own); err != nil || !bytes.Equal(got, want) {
			t.Errorf("cmd/turnstile/%s is not that of the repository (go test . -run TheProject -update copies it): %v", own, err)
		}
	}
}
