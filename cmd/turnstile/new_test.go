package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/stage"
)

// What new makes is built, vetted, tested and linted as its author would. Without a
// flag it is of the source that the command was built from.
func TestNew(t *testing.T) {
	stage.Builds(t)
	folder := filepath.Join(t.TempDir(), "shop")
	b := newBench(t)
	r := b.run("new", "--module", "example.com/shop", folder)
	if r.status != exitOK {
		t.Fatalf("exit status %d\n%s%s", r.status, r.out, r.err)
	}
	if root, err := filepath.Abs("../.."); err != nil || !strings.Contains(r.out, "with the source of Turnstile in "+root) {
		t.Errorf("%v; it says\n%s", err, r.out)
	}
	for _, args := range []string{"build -o bin/ ./lambdas/...", "vet ./...", "test ./..."} {
		cmd := exec.Command("go", strings.Fields(args)...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("go %s: %v\n%s", args, err, out)
		}
	}
	theSchedulesOf(t, folder)
	unformatted, err := exec.Command("gofmt", "-l", folder).CombinedOutput()
	if err != nil || len(unformatted) > 0 {
		t.Errorf("gofmt: %s, %v", unformatted, err)
	}
	t.Chdir(folder)
	if r := b.run("lint"); r.status != exitOK {
		t.Errorf("turnstile lint: exit status %d\n%s%s", r.status, r.out, r.err)
	}
	if got := b.ok("template", "upgrade"); got != "template.yaml is up to date\n" {
		t.Errorf("template upgrade: %s", got)
	}
}

// theSchedulesOf applies the schedules of a project as its Makefile does, up to the first request: an aws
// command that is none names the queue and the tables.
func theSchedulesOf(t *testing.T, folder string) {
	t.Helper()
	bin := t.TempDir()
	aws := `#!/bin/sh
[ "$1 $2 $3 $4" = "cloudformation describe-stacks --stack-name shop" ] || { echo "Stack $4 does not exist" >&2; exit 255; }
case $6 in
*OrchestratorQueueUrl*) echo https://sqs.eu-central-1.amazonaws.com/123456789012/shop-orchestrator.fifo ;;
*HistoryTable*) echo shop-history ;;
*InstancesTable*) echo shop-instances ;;
*) exit 1 ;;
esac
`
	if err := os.WriteFile(filepath.Join(bin, "aws"), []byte(aws), 0o755); err != nil {
		t.Fatal(err)
	}
	making := func(want string, fails bool, args ...string) {
		t.Helper()
		cmd := exec.Command("make", append([]string{"schedules"}, args...)...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "AWS_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=x", "AWS_SECRET_ACCESS_KEY=x")
		if out, err := cmd.CombinedOutput(); (err != nil) != fails || !strings.Contains(string(out), want) {
			t.Errorf("make schedules %v: %v\n%s", args, err, out)
		}
	}
	making("name the stack: make schedules STACK=name", true)
	making("Stack other does not exist", true, "STACK=other")
	making("no schedules: declare them in app/schedules.go", false, "STACK=shop")
	file := filepath.Join(folder, "app/schedules.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	one := strings.Replace(string(text), "return nil }", "return []schedule.Definition{{Name: \"w\", Cron: \"@daily\", TimeZone: \"Nowhere\", Starts: schedule.Orchestration(Welcome, Customer{})}} }", 1)
	if err := os.WriteFile(file, []byte(one), 0o644); err != nil {
		t.Fatal(err)
	}
	making(`schedule "w": zone "Nowhere": there is no such time zone`, true, "STACK=shop")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A folder that has files keeps them: one is asked, and nothing is written over.
func TestNewInAFolderThatIsNotEmpty(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entries := func() (names []string) {
		all, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range all {
			names = append(names, e.Name())
		}
		return names
	}
	write("notes.txt", "mine")
	b := newBench(t)
	b.fails(exitUsage, []string{folder + " is not empty (1 entry)", "--yes"}, "new", folder)
	b.asked = true
	if r := b.runWith(t.Context(), "n\n", "new", folder); r.status != exitFailed || !strings.Contains(r.err, "[y/N] ") || !strings.Contains(r.err, "nothing was written") {
		t.Errorf("refused: exit status %d, %s", r.status, r.err)
	}
	write("README.md", "mine too")
	b.fails(exitFailed, []string{"already has a different README.md", "nothing was written"}, "new", "--yes", folder)
	if got := entries(); !slices.Equal(got, []string{"README.md", "notes.txt"}) {
		t.Errorf("the folder has %v", got)
	}
	if err := os.Remove(filepath.Join(folder, "README.md")); err != nil {
		t.Fatal(err)
	}
	if r := b.runWith(t.Context(), "y\n", "new", "--module", "example.com/notes", folder); r.status != exitOK {
		t.Fatalf("agreed: exit status %d, %s", r.status, r.err)
	}
	if got := entries(); !slices.Contains(got, "go.mod") || !slices.Contains(got, ".github") || !slices.Contains(got, "notes.txt") {
		t.Errorf("the folder has %v", got)
	}
}

// Within another workspace, such as a copy of Turnstile, a project is one of its own.
func TestNewWithinAWorkspace(t *testing.T) {
	stage.Builds(t)
	outer := t.TempDir()
	if err := os.WriteFile(filepath.Join(outer, "go.work"), []byte("go 1.26.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(outer, "shop")
	newBench(t).ok("new", folder)
	cmd := exec.Command("go", "list", "-deps", "./...") // TestNew builds it.
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go list: %v\n%s", err, out)
	}
}

func TestNewRefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "shop")
	for _, args := range [][]string{{"new"}, {"new", "a", "b"}, {"new", "--replace", t.TempDir(), folder}, {"new", "--module", "go", folder}, {"new", "--module", "vendor", folder}, {"new", filepath.Join(folder, "go")}, {"new", filepath.Join(folder, "vendor")}, {"template", "upgrade", "x"}} {
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
