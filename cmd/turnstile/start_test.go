package main

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/stage"
)

// Most of what starting takes is what packages do before main. Time is the
// machine's; what they allocate is theirs.
const (
	maxInitAllocations = 40_000
	maxInitBytes       = 6 << 20
)

func TestStartingDoesLittle(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	binary := filepath.Join(t.TempDir(), "turnstile.exe")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary, "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	// init PACKAGE @1.2 ms, 0.03 ms clock, 1234 bytes, 5 allocs
	packages, allocations, size := 0, 0, 0
	for lines := bufio.NewScanner(&trace); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) != 11 || words[0] != "init" {
			continue
		}
		n, err1 := strconv.Atoi(words[9])
		bytes, err2 := strconv.Atoi(words[7])
		if err1 != nil || err2 != nil {
			t.Fatalf("the trace is written otherwise: %s", lines.Text())
		}
		packages, allocations, size = packages+1, allocations+n, size+bytes
	}
	t.Logf("%d packages make %d allocations of %d bytes", packages, allocations, size)
	if packages < 50 {
		t.Fatalf("the trace has %d packages only", packages)
	}
	if allocations > maxInitAllocations || size > maxInitBytes {
		t.Errorf("packages make %d allocations (at most %d) of %d bytes (at most %d) before main", allocations, maxInitAllocations, size, maxInitBytes)
	}
}

// What needs no stack does not look for one: no configuration is read, and nobody is
// asked.
func TestNothingIsOpenedBeforeItIsNeeded(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"--version", "version", "help", "help list", "list --help", "", "lst", "list --satus x", "list --status stuk", "describe", "wake",
		"wake --status completed", "list --count --watch", "complete", "pause --drain x", "replay", "completion bash", "__complete list --status st", "__complete hist",
	} {
		var out bytes.Buffer
		c := cli{in: strings.NewReader(""), out: &out, err: &out, getenv: func(string) string { return "" }, now: epochNow, open: func(*backend.Settings) backend.Backend {
			t.Errorf("turnstile %s opens a stack", line)
			return newBench(t)
		}}
		c.run(context.Background(), strings.Fields(line))
	}
}
