//go:build unix

package dev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/turnstile-go/turnstile/internal/screen"
	"github.com/turnstile-go/turnstile/internal/stage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hang bounds the waits: a test that reaches it hangs, however slow the machine is.
const hang = 8 * time.Minute

// bench is a program that is supervised until the test ends.
type bench struct {
	*testing.T
	dir    string
	out    *screen.Screen
	seen   int // how much of the screen has been waited for
	cancel context.CancelFunc
	ended  chan error
}

// program is a main package that says what it is told to, and how it ends.
const program = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	fmt.Printf("TEXT, process %%d, first %%q\n", os.Getpid(), os.Getenv("FIRST"))
	END
	<-asked
	fmt.Println("TEXT ends")
}
`

func source(text, end string) string {
	return strings.NewReplacer("TEXT", text, "END", end, "%%", "%").Replace(program)
}

func newBench(t *testing.T, files map[string]string) *bench {
	t.Helper()
	b := &bench{T: t, dir: t.TempDir(), out: screen.New(), ended: make(chan error, 1)}
	b.write("go.mod", "module example.com/toy\n\ngo 1.26\n")
	for name, text := range files {
		b.write(name, text)
	}
	return b
}

// write makes or changes a file at one stroke: one that stood empty for a moment would
// be built like that.
func (b *bench) write(name, text string) {
	b.Helper()
	path, whole := filepath.Join(b.dir, name), filepath.Join(b.TempDir(), "whole")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(whole, []byte(text), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(whole, path); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) run(pkg string) *bench {
	ctx, cancel := context.WithCancel(context.Background())
	look := time.NewTicker(20 * time.Millisecond)
	s := &Supervisor{
		Dir: b.dir, Package: pkg, FirstEnv: []string{"FIRST=yes"}, Out: b.out, Err: b.out,
		Say:  func(text string) { fmt.Fprintln(b.out, "dev:", text) },
		Look: look.C, Grace: hang, Pause: 10 * time.Millisecond, MaxPause: time.Hour,
	}
	b.cancel = cancel
	go func() { b.ended <- s.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-b.ended; err != nil {
			b.Errorf("it ends with %v", err)
		}
		look.Stop()
	})
	return b
}

// waitFor returns once the pattern stands on the screen behind what was waited
// for before, and what its groups are.
func (b *bench) waitFor(pattern string) []string {
	b.Helper()
	limit, stop := context.WithTimeout(b.Context(), hang)
	defer stop()
	expression := regexp.MustCompile(pattern)
	for {
		text, changed := b.out.Look()
		if at := expression.FindStringSubmatchIndex(text[b.seen:]); at != nil {
			found := expression.FindStringSubmatch(text[b.seen:])
			b.seen += at[1]
			return found
		}
		select {
		case <-changed:
		case err := <-b.ended:
			b.ended <- nil
			b.Fatalf("it ended with %v before it showed %q:\n%s", err, pattern, text)
		case <-limit.Done():
			b.Fatalf("it does not show %q behind what was shown before:\n%s", pattern, text)
		}
	}
}

// process waits for a program to say its id.
func (b *bench) process(text string) int {
	b.Helper()
	pid, err := strconv.Atoi(b.waitFor(text + `, process (\d+), `)[1])
	if err != nil {
		b.Fatal(err)
	}
	return pid
}

// gone reports whether a process is no more: it has been waited for, so that
// its id is free.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestAChangeIsBuiltAndReplacesTheRunningProgram(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	b := newBench(t, map[string]string{"local/main.go": source("one", "")}).run("./local")
	b.waitFor(`dev: building ./local\n`)
	b.waitFor(`dev: built in `)
	first := b.process("one")
	b.waitFor(`first "yes"`)
	b.write("local/main.go", source("two", ""))
	b.waitFor(`dev: local/main.go changed: building\n`)
	b.waitFor(`one ends\n`) // It was asked to.
	second := b.process("two")
	b.waitFor(`first ""`)
	if !gone(first) || gone(second) {
		t.Errorf("the first program is gone: %t, the second: %t", gone(first), gone(second))
	}
	b.cancel()
	b.waitFor(`two ends\n`)
}

func TestABuildThatFailsLeavesTheProgramThatRuns(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	b := newBench(t, map[string]string{"local/main.go": source("one", ""), "part/part.go": "package part\n"}).run("./local")
	pid := b.process("one")
	b.write("local/main.go", source("two", `no such thing`))
	b.waitFor(`local/main.go:\d+:\d+: `)
	b.waitFor(`dev: the build failed: see above. The old program keeps running. Save a file to try again.\n`)
	if gone(pid) {
		t.Error("the program before is gone")
	}
	// What is missing comes in a folder that nothing was built from.
	b.write("local/main.go", strings.Replace(source("three", "_ = more.More"), `"fmt"`, "\"fmt\"\n\t\"example.com/toy/more\"", 1))
	b.waitFor(`dev: the build failed`)
	b.write("more/more.go", "package more\n\nvar More = 1\n")
	b.waitFor(`dev: more/more.go changed: building\n`)
	b.waitFor(`one ends\n`)
	b.process("three")
}

func TestAProgramThatDiesIsStartedAgain(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	b := newBench(t, map[string]string{"local/main.go": source("one", "")}).run("./local")
	for range 3 {
		if err := syscall.Kill(b.process("one"), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		b.waitFor(`dev: the program crashed \(signal: killed\). It restarts in \d+ms.\n`)
	}
	b.process("one")
	b.write("local/main.go", source("two", `panic("oh no")`))
	b.process("two")
	b.waitFor(`panic: oh no`)
	b.waitFor(`dev: the program crashed \(exit status 2\). It restarts in 10ms.\n`)
	b.waitFor(`dev: the program crashed \(exit status 2\). It restarts in 20ms.\n`)
	b.write("local/main.go", source("three", ""))
	b.process("three")
}

func TestAProgramThatCannotRunWaitsForAChange(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	b := newBench(t, map[string]string{"local/main.go": source("one", "os.Exit(1)")}).run("./local")
	b.waitFor(`dev: the program has ended \(exit status 1\). It restarts when a file changes.\n`)
	b.write("local/main.go", source("two", ""))
	b.process("two")
}

func TestAProgramThatIsRefusedItsDatabaseEndsIt(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	b := newBench(t, map[string]string{"local/main.go": source("one", "os.Exit(3)")}).run("./local")
	if err := <-b.ended; !errors.Is(err, ErrRefused) {
		t.Errorf("it ends with %v", err)
	}
	b.ended <- nil
}

// A program that does not end when it is asked is killed; so is none that hangs
// behind.
func TestAProgramThatDoesNotEndIsKilled(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	b := newBench(t, map[string]string{"main.go": source("one", "for { <-asked }")})
	ctx, cancel := context.WithCancel(t.Context())
	look := time.NewTicker(time.Hour)
	defer look.Stop()
	s := &Supervisor{Dir: b.dir, Package: ".", Out: b.out, Err: b.out, Say: func(text string) { fmt.Fprintln(b.out, "dev:", text) }, Look: look.C, Grace: 50 * time.Millisecond}
	go func() { b.ended <- s.Run(ctx) }()
	pid := b.process("one")
	cancel()
	if err := <-b.ended; err != nil {
		t.Error(err)
	}
	b.waitFor(`dev: the program did not end within 50ms and was killed\n`)
	if !gone(pid) {
		t.Error("it lives")
	}
}

func TestDevReportsThatThereIsNothingToBuild(t *testing.T) {
	t.Parallel()
	stage.Builds(t)
	b := newBench(t, nil)
	b.run("./local")
	b.waitFor(`directory not found|no such file`)
	b.waitFor(`dev: the build failed: see above. No program runs.`)
	b.write("local/main.go", source("one", ""))
	b.process("one")
}
