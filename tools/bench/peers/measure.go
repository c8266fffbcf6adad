package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/turnstile-go/turnstile/tools/bench/workloads"
)

// figures of one measurement.
type figures struct {
	Steps     int
	Wall, CPU time.Duration
	// Median and P99 are what an instance took.
	Median, P99 time.Duration
}

// asker is an engine that has queries.
type asker interface {
	// openAsked starts the workflow of ask, and returns when it has made its steps.
	openAsked(ctx context.Context, steps int, id string) error
	// ask queries how many steps it has made.
	ask(ctx context.Context, id string) (int, error)
	// closeAsked ends it, and returns its steps.
	closeAsked(ctx context.Context, id string) (int, error)
}

// asked is the workflow that is queried.
const asked = "asked"

// single makes one measurement and prints it as JSON. If ctx ends, the engine is
// closed at once, so that no process of its own is left behind.
func single(ctx context.Context, table, what string) error {
	shapes, parts := tables[table], strings.Split(what, "/")
	var number int
	if len(parts) != 3 {
		return fmt.Errorf("-one %s: want ENGINE/SHAPE/DURABILITY", what)
	}
	if _, err := fmt.Sscan(parts[1], &number); err != nil || number < 0 || number >= len(shapes) {
		return fmt.Errorf("-one %s: want ENGINE/SHAPE/DURABILITY, SHAPE from 0 to %d", what, len(shapes)-1)
	}
	for _, e := range engines {
		if e.name != parts[0] {
			continue
		}
		dir, err := os.MkdirTemp("", "peers")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		opened, err := e.open(ctx, filepath.Join(dir, "db.sqlite"), parts[2])
		if err != nil {
			return err
		}
		var f figures
		measured := make(chan error, 1)
		go func() {
			var err error
			f, err = load(ctx, opened, shapes[number])
			measured <- err
		}()
		select {
		case err = <-measured:
		case <-ctx.Done(): // An engine may not heed it.
			err = ctx.Err()
		}
		if err := errors.Join(err, opened.close()); err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(f)
	}
	return fmt.Errorf("-one %s: no engine %q", what, parts[0])
}

// load runs the instances of a shape, behind one that warms the engine up, and
// checks what came of them.
func load(ctx context.Context, e engine, s shape) (figures, error) {
	ids := make([]string, s.instances)
	for i := range ids {
		ids[i] = fmt.Sprintf("instance-%d", i)
	}
	everyone := append([]string{"warm-up"}, ids...)
	if s.work == transfer {
		if err := each(everyone, s.sideBySide, func(id string) error {
			return errors.Join(e.openAccount(ctx, from(id)), e.openAccount(ctx, to(id)))
		}); err != nil {
			return figures{}, err
		}
	}
	if s.work == ask {
		a, ok := e.(asker)
		if !ok {
			return figures{}, errors.New("the engine has no queries")
		}
		if err := a.openAsked(ctx, s.steps, asked); err != nil {
			return figures{}, err
		}
	}
	if err := one(ctx, e, s, "warm-up"); err != nil {
		return figures{}, err
	}
	var mu sync.Mutex
	var took []time.Duration
	before, cpu := time.Now(), used(e)
	if err := each(ids, s.sideBySide, func(id string) error {
		began := time.Now()
		err := one(ctx, e, s, id)
		mu.Lock()
		defer mu.Unlock()
		took = append(took, time.Since(began))
		return err
	}); err != nil {
		return figures{}, err
	}
	f := figures{Steps: s.instances * s.steps, Wall: time.Since(before), CPU: used(e) - cpu}
	slices.Sort(took)
	f.Median, f.P99 = took[len(took)/2], took[len(took)*99/100]
	if s.work == ask {
		f.Steps = s.instances
		n, err := e.(asker).closeAsked(ctx, asked)
		if err == nil && n != s.steps {
			err = fmt.Errorf("the workflow that was queried made %d steps of %d", n, s.steps)
		}
		return f, err
	}
	if s.work == transfer {
		return f, each(everyone, s.sideBySide, func(id string) error {
			a, err := e.closeAccount(ctx, from(id))
			if err != nil {
				return err
			}
			b, err := e.closeAccount(ctx, to(id))
			if err == nil && (a != opening-amount || b != opening+amount) {
				err = fmt.Errorf("the accounts have %d and %d", a, b)
			}
			return err
		})
	}
	return f, nil
}

// one runs an instance.
func one(ctx context.Context, e engine, s shape, id string) error {
	var n int
	var err error
	if s.work == ask {
		n, err = e.(asker).ask(ctx, asked)
	} else {
		n, err = e.run(ctx, s, id)
	}
	if err == nil && n != s.steps {
		err = fmt.Errorf("it made %d steps of %d", n, s.steps)
	}
	if err == nil && s.work == trip {
		err = agency.Check(id, lacking.Lacks)
	}
	return err
}

// each calls f for all ids, so many side by side.
func each(ids []string, sideBySide int, f func(id string) error) error {
	next := make(chan string)
	var mu sync.Mutex
	var first error
	var wg sync.WaitGroup
	for range sideBySide {
		wg.Go(func() {
			for id := range next {
				if err := f(id); err != nil {
					mu.Lock()
					if first == nil {
						first = fmt.Errorf("%s: %w", id, err)
					}
					mu.Unlock()
				}
			}
		})
	}
	for _, id := range ids {
		next <- id
	}
	close(next)
	wg.Wait()
	return first
}

// agency is what all engines book trips with.
var agency workloads.Agency

// lacking is the journey of all trips.
var lacking = workloads.Journey{To: "Lisbon", Lacks: "car"}

// refused is how a trip has to end; nil if it does.
func refused(err error) error {
	if err == nil || !strings.Contains(err.Error(), "sold out") {
		return fmt.Errorf("a trip without a car ended with: %v", err)
	}
	return nil
}

// used is the processor's time of this process, and of an engine's own.
func used(e engine) time.Duration {
	var u syscall.Rusage
	// It cannot fail for the own process.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	own := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	if outside, ok := e.(interface{ cpu() time.Duration }); ok {
		own += outside.cpu()
	}
	return own
}
