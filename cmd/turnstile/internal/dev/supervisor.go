package dev

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/turnstile-go/turnstile/internal/supervised"
)

// ErrRefused reports that the program could not open its database or listen on its address. The
// program has printed the reason.
var ErrRefused = errors.New("the program has ended: see above")

// Supervisor keeps a program running. Out, Err, Say and Look must be set.
type Supervisor struct {
	// Dir is the folder of the module, Package the program's main package, as
	// the go command names it from there.
	Dir, Package string
	// Env is added to the environment of the program.
	Env []string
	// FirstEnv is added only for the first start of the program.
	FirstEnv []string
	// Out and Err are the program's standard output and error.
	Out, Err io.Writer
	// Say prints a line for the user.
	Say func(text string)
	// Look triggers a check of the source files. The program is rebuilt when files have changed
	// and two checks in a row then find the same files.
	Look <-chan time.Time
	// Grace is the time that the program has to end before it is killed.
	Grace time.Duration
	// Pause and MaxPause are the shortest and longest wait before a crashed program is restarted.
	// The wait starts at Pause again after the program has run for longer than MaxPause.
	Pause, MaxPause time.Duration
}

// supervision is a run of a supervisor.
type supervision struct {
	*Supervisor
	ctx      context.Context
	folder   string // where binaries are built
	builds   int
	binary   string // the last that was built; empty if none was
	sources  sources
	before   snapshot // that the last build was made of
	last     snapshot
	program  *child // nil while none runs
	pause    time.Duration
	restart  <-chan time.Time // nil unless it is to be started again
	firstEnv []string
}

// Run builds the program and runs it until ctx ends. It returns ErrRefused, or an error if the go
// command cannot run.
func (s *Supervisor) Run(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "turnstile-dev-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	r := &supervision{Supervisor: s, ctx: ctx, folder: folder, pause: s.Pause, firstEnv: s.FirstEnv}
	defer r.stop()
	if r.sources, err = findSources(ctx, s.Dir, s.Package); err != nil {
		return err
	}
	s.Say("building " + s.Package)
	if err := r.rebuild(); err != nil {
		return err
	}
	for {
		var ended <-chan end
		if r.program != nil {
			ended = r.program.ended
		}
		select {
		case <-ctx.Done():
			return nil
		case <-s.Look:
			err = r.look()
		case e := <-ended:
			err = r.died(e)
		case <-r.restart:
			err = r.start()
		}
		if err != nil {
			return err
		}
	}
}

// look rebuilds the program if files have changed and the last two checks found the same files.
func (r *supervision) look() error {
	now := r.sources.look()
	moving := len(now.changed(r.last)) > 0
	r.last = now
	if moving {
		return nil
	}
	changed := now.changed(r.before)
	if len(changed) == 0 {
		return nil
	}
	r.Say(named(r.Dir, changed) + ": building")
	// The imports may have changed too. If go list fails, the build will report the error.
	if found, err := findSources(r.ctx, r.Dir, r.Package); err == nil {
		r.sources = found
	}
	return r.rebuild()
}

// rebuild builds the program and, if the build succeeds, replaces the running program. After a failed
// build the old program keeps running.
func (r *supervision) rebuild() error {
	r.sources.tree = ""
	r.before = r.sources.look()
	// A missing package may appear in a folder that is not part of the build yet.
	whole := r.sources
	whole.tree = r.Dir
	wider := whole.look()

	r.builds++
	binary := filepath.Join(r.folder, fmt.Sprintf("program-%d", r.builds))
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	startedAt := time.Now()
	build := exec.CommandContext(r.ctx, "go", "build", "-o", binary, "--", r.Package)
	build.Dir, build.Stdout, build.Stderr = r.Dir, r.Err, r.Err
	switch err := build.Run(); {
	case r.ctx.Err() != nil:
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return err
	case err != nil:
		r.sources, r.before = whole, wider
		r.last = r.before
		goes := "No program runs."
		if r.program != nil {
			goes = "The old program keeps running."
		}
		r.Say("the build failed: see above. " + goes + " Save a file to try again.")
		return nil
	}
	r.last = r.before
	r.Say(fmt.Sprintf("built in %s", time.Since(startedAt).Round(10*time.Millisecond)))
	r.stop()
	if r.binary != "" {
		_ = os.Remove(r.binary)
	}
	r.binary, r.pause = binary, r.Pause
	return r.start()
}

// start runs the last built program.
func (r *supervision) start() error {
	r.restart = nil
	cmd := exec.Command(r.binary)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.Dir, r.Out, r.Err
	cmd.Env = append(append(append(os.Environ(), supervised.Supervised+"=1"), r.Env...), r.firstEnv...)
	r.firstEnv = nil
	program, err := start(cmd)
	if err != nil {
		return fmt.Errorf("starting the built program: %w", err)
	}
	r.program = program
	return nil
}

// died handles a program that ended by itself.
func (r *supervision) died(e end) error {
	lived := time.Since(r.program.startedAt)
	_ = r.program.leash.Close()
	r.program = nil
	switch e.status {
	case supervised.Refused:
		return ErrRefused
	case 0, supervised.Failed:
		r.Say(fmt.Sprintf("the program has ended (%s). It restarts when a file changes.", e.text))
		return nil
	}
	if lived > r.MaxPause {
		r.pause = r.Pause
	}
	r.Say(fmt.Sprintf("the program crashed (%s). It restarts in %s.", e.text, r.pause))
	r.restart = time.After(r.pause)
	r.pause = min(2*r.pause, r.MaxPause)
	return nil
}

// stop ends the program, if one runs.
func (r *supervision) stop() {
	r.restart = nil
	if r.program == nil {
		return
	}
	if r.program.stop(r.Grace) {
		r.Say(fmt.Sprintf("the program did not end within %s and was killed", r.Grace))
	}
	r.program = nil
}

// named describes the changed files in a few words.
func named(dir string, paths []string) string {
	name := paths[0]
	if inside, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(inside) {
		name = inside
	}
	switch n := len(paths); n {
	case 1:
		return name + " changed"
	default:
		return fmt.Sprintf("%s and %d more changed", name, n-1)
	}
}
