package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/stage"
)

// A command whose result cannot be written fails, whatever it prints and in which form.
func TestAResultThatAFullDiskDoesNotTakeIsAnError(t *testing.T) {
	t.Parallel()
	lines := []string{
		"list", "list --ids", "list --all --output json", "list --count", "list --count --output json", "describe order-2", "describe order-2 --output json",
		"history order-1", "history order-1 --output json", "history order-1 --export", "timeline order-1", "timeline order-1 --output json", "failures --since 7d", "failures --since 7d --output json",
		"wait order-1", "wait order-1 --output json", "watch order-1", "watch order-1 --output json", "cost order-1", "cost order-1 --output json", "diff order-1 order-3",
		"start Fulfil --instance new", "start Fulfil --instance new --output json", "terminate --status stuck --dry-run", "terminate --status stuck --dry-run --output json",
		"context list", "context list --output json", "dead-letter list --output json", "schedule list --output json",
		"doctor", "doctor --output json", "version", "version --output json", "--version", "help", "help flags", "skill", "completion bash", "completion zsh", "completion fish", "completion powershell",
	}
	for _, cmd := range commands() {
		lines = append(lines, "help "+cmd.name)
	}
	for _, line := range lines {
		b := sampled(t)
		b.ok("context", "add", "prod", "--stack", "shop")
		args := strings.Fields(line)
		whole := b.run(args...)
		if whole.out == "" {
			t.Errorf("turnstile %s prints nothing: exit status %d: %s", line, whole.status, whole.err)
			continue
		}
		for _, room := range []int{1, 1 + len(whole.out)/2, len(whole.out)} {
			full := sampled(t)
			full.env, full.room = b.env, room
			if r := full.run(args...); r.status != exitFailed || !strings.Contains(r.err, "writing the result to standard output: no space left on device") {
				t.Errorf("turnstile %s on a disk with room for %d of %d bytes: exit status %d: %s", line, room-1, len(whole.out), r.status, r.err)
			}
		}
	}
}

func TestTheCommandFailsOnAFullDisk(t *testing.T) {
	stage.Builds(t)
	if runtime.GOOS != "linux" {
		t.Skip("there is no /dev/full")
	}
	command := filepath.Join(t.TempDir(), "turnstile")
	if out, err := exec.Command("go", "build", "-o", command, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, line := range []string{"version", "help list", "context list --output json"} {
		cmd := exec.Command(command, strings.Fields(line)...)
		cmd.Stdout = full
		cmd.Env = append(os.Environ(), contextsVariable+"="+filepath.Join(t.TempDir(), "contexts.json"))
		err := cmd.Run()
		if exit := cmd.ProcessState.ExitCode(); exit != exitFailed {
			t.Errorf("turnstile %s > /dev/full: exit status %d, %v", line, exit, err)
		}
	}
}
