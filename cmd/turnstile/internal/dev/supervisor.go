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

// ErrRefused: the program could not have its database or its address. It has
// said why.
var ErrRefused = errors.New("the program has ended: see above")

// Supervisor keeps a program running. Out, Err, Say and Look must be set.
type Supervisor struct {
	// Dir is the folder of the module, Package the program's main package, as
	// the go command names it from there.
	Dir, Package string
	// Env is added to the environment of the program.
	Env []string
	// FirstEnv is added when the program is started first, and not again.
	FirstEnv []string
	// Out and Err are the program's standard output and error.
	Out, Err io.Writer
	// Say tells the person a line.
	Say func(text string)
	// Look has a value each time that the files are to be looked at. They are
	// built when they have changed and two looks after that are the same.
	Look <-chan time.Time
	// Grace is how long the program may take to end.
	Grace time.Duration
	// Pause and MaxPause: how long the first and the longest wait is before a
	// program that died by itself is started again. One that lived for longer
	// than MaxPause begins with Pause again.
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

// Run builds the program and runs it until ctx ends. Its error is ErrRefused, or
// says that the go command cannot be run here.
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

// look builds the program anew if files have changed, and no longer do.
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
	// What is imported may have changed with it. If the go command cannot say
	// now, the build will say why.
	if found, err := findSources(r.ctx, r.Dir, r.Package); err == nil {
		r.sources = found
	}
	return r.rebuild()
}

// rebuild builds the program and, if that succeeds, runs it in place of the one
// that runs. A build that fails changes nothing: what runs goes on.
func (r *supervision) rebuild() error {
	r.sources.tree = ""
	r.before = r.sources.look()
	// What a build lacks may come in a folder that nothing is built from yet.
	whole := r.sources
	whole.tree = r.Dir
	wider := whole.look()

	r.builds++
	binary := filepath.Join(r.folder, fmt.Sprintf("program-%d", r.builds))
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	began := time.Now()
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
			goes = "The program from before goes on."
		}
		r.Say("the build failed: see above. " + goes + " Save a file to try again.")
		return nil
	}
	r.last = r.before
	r.Say(fmt.Sprintf("built in %s", time.Since(began).Round(10*time.Millisecond)))
	r.stop()
	if r.binary != "" {
		_ = os.Remove(r.binary)
	}
	r.binary, r.pause = binary, r.Pause
	return r.start()
}

// start runs what was built last.
func (r *supervision) start() error {
	r.restart = nil
	cmd := exec.Command(r.binary)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.Dir, r.Out, r.Err
	cmd.Env = append(append(append(os.Environ(), supervised.Supervised+"=1"), r.Env...), r.firstEnv...)
	r.firstEnv = nil
	program, err := start(cmd)
	if err != nil {
		return fmt.Errorf("the program was built and cannot be started: %w", err)
	}
	r.program = program
	return nil
}

// died decides what becomes of a program that ended by itself.
func (r *supervision) died(e end) error {
	lived := time.Since(r.program.began)
	_ = r.program.leash.Close()
	r.program = nil
	switch e.status {
	case supervised.Refused:
		return ErrRefused
	case 0, supervised.Failed:
		r.Say(fmt.Sprintf("the program has ended (%s). It is started again when a file changes.", e.text))
		return nil
	}
	if lived > r.MaxPause {
		r.pause = r.Pause
	}
	r.Say(fmt.Sprintf("the program died (%s). It is started again in %s.", e.text, r.pause))
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

// named names what has changed in a few words.
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
