// Command peers runs the same work on Turnstile's embedded database and on
// engines that keep theirs in SQLite too: chains of activities, one after the
// other, and fan-outs. Each measurement is a process of its own on a new file;
// the engines take turns, so that a busy machine is busy for all of them.
//
//	./fetch.sh       the sources of the peers, once
//	go run .         all engines, all shapes, three rounds
//
// What each keeps is said with the figures. "process" is SQLite's
// synchronous=NORMAL in WAL mode: all that was committed survives the death of
// the process, and a power cut may take the last transactions. "power" is
// synchronous=FULL: a power cut takes nothing either.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
)

// shape is what is run: instances of so many steps, so many side by side.
type shape struct {
	name                  string
	steps                 int
	fanOut                bool
	instances, sideBySide int
}

var shapes = []shape{
	{"one chain after the other", 10, false, 50, 1},
	{"50 chains side by side", 10, false, 300, 50},
	{"one fan-out after the other", 100, true, 10, 1},
	{"10 fan-outs side by side", 100, true, 30, 10},
}

// engine runs instances.
type engine interface {
	// run makes one instance of the shape under this id, waits for it, and
	// returns what it counted: the steps that it made.
	run(ctx context.Context, s shape, id string) (int, error)
	close() error
}

// engines by name, in the order of the table.
var engines = []struct {
	name string
	open func(ctx context.Context, file, synchronous string) (engine, error)
}{
	{"turnstile", newTurnstile},
	{"dbos", newDBOS},
	{"go-workflows", newGoWorkflows},
	{"durabletask-go", newDurableTask},
}

var durabilities = []struct{ name, synchronous string }{{"process", "NORMAL"}, {"power", "FULL"}}

// figures of one measurement.
type figures struct {
	Steps      int
	Wall, CPU  time.Duration
	FileSystem int64 // blocks written, as the kernel counts them
}

func main() {
	rounds := flag.Int("rounds", 3, "how often each is measured; the best counts")
	one := flag.String("one", "", "make one measurement, ENGINE/SHAPE/DURABILITY, and print it as JSON; the command calls itself so")
	only := flag.String("only", "", "engines to measure, by comma; all by default")
	flag.Parse()
	if *one != "" {
		if err := single(*one); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := table(*rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func table(rounds int, only string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "shape\tkept over\tengine\tsteps/s\tCPU ms/step\tof turnstile's steps/s")
	for i, s := range shapes {
		for _, d := range durabilities {
			best := make([]figures, len(engines))
			for range rounds {
				for e, known := range engines {
					if only != "" && !slices.Contains(strings.Split(only, ","), known.name) {
						continue
					}
					f, err := measure(self, fmt.Sprintf("%s/%d/%s", known.name, i, d.synchronous))
					if err != nil {
						return fmt.Errorf("%s, %s: %w", known.name, s.name, err)
					}
					if best[e].Steps == 0 || f.Wall < best[e].Wall {
						best[e] = f
					}
				}
			}
			for e, f := range best {
				if f.Steps == 0 {
					continue
				}
				ours := cmp.Or(best[0].Wall.Seconds(), f.Wall.Seconds())
				fmt.Fprintf(w, "%s\t%s\t%s\t%.0f\t%.3f\t%.2f\n", s.name, d.name, engines[e].name,
					float64(f.Steps)/f.Wall.Seconds(), float64(f.CPU.Microseconds())/1000/float64(f.Steps), ours/f.Wall.Seconds())
			}
			w.Flush()
		}
	}
	return nil
}

func measure(self, what string) (figures, error) {
	cmd := exec.Command(self, "-one", what)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return figures{}, err
	}
	var f figures
	return f, json.Unmarshal(out, &f)
}

func single(what string) error {
	parts := strings.Split(what, "/")
	var number int
	if _, err := fmt.Sscan(parts[1], &number); err != nil || len(parts) != 3 || number >= len(shapes) {
		return fmt.Errorf("-one %s: want ENGINE/SHAPE/DURABILITY, SHAPE from 0 to %d", what, len(shapes)-1)
	}
	for _, e := range engines {
		if e.name == parts[0] {
			dir, err := os.MkdirTemp("", "peers")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			opened, err := e.open(context.Background(), filepath.Join(dir, "db.sqlite"), parts[2])
			if err != nil {
				return err
			}
			f, err := load(opened, shapes[number])
			if err != nil {
				return err
			}
			if err := opened.close(); err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(f)
		}
	}
	return fmt.Errorf("-one %s: no engine %q", what, parts[0])
}

// load runs the instances of a shape, behind one that warms the engine up.
func load(e engine, s shape) (figures, error) {
	ctx := context.Background()
	if _, err := e.run(ctx, s, "warm-up"); err != nil {
		return figures{}, err
	}
	before, cpu, written := time.Now(), used(), blocks()
	ids := make(chan int)
	errs := make(chan error, s.sideBySide)
	var wg sync.WaitGroup
	for range s.sideBySide {
		wg.Go(func() {
			for i := range ids {
				n, err := e.run(ctx, s, fmt.Sprintf("instance-%d", i))
				if err == nil && n != s.steps {
					err = fmt.Errorf("instance %d made %d steps of %d", i, n, s.steps)
				}
				if err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	for i := range s.instances {
		ids <- i
	}
	close(ids)
	wg.Wait()
	select {
	case err := <-errs:
		return figures{}, err
	default:
	}
	return figures{Steps: s.instances * s.steps, Wall: time.Since(before), CPU: used() - cpu, FileSystem: blocks() - written}, nil
}

func usage() (u syscall.Rusage) {
	// It cannot fail for the own process.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u
}

func used() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func blocks() int64 { u := usage(); return u.Oublock }
