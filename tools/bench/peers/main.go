// Command peers runs the same work on Turnstile's embedded database and on
// engines that keep theirs in SQLite too: chains of activities and fan-outs, or
// the workloads of tools/bench/workloads. Each measurement is a process of its own on a
// new file; the engines take turns, so that a busy machine is busy for all of them.
//
//	./fetch.sh                       the sources of the peers, once
//	go run .                         chains and fan-outs, all engines, three rounds
//	go run . -table workloads        the field's workloads
//	go run . -table queries -only turnstile,temporal
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
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// engine runs instances.
type engine interface {
	// run makes one instance of the shape under this id, waits for it, and
	// returns what it counted: the steps that it made.
	run(ctx context.Context, s shape, id string) (int, error)
	// openAccount opens an account of the bank, closeAccount closes it and returns
	// what it had.
	openAccount(ctx context.Context, id string) error
	closeAccount(ctx context.Context, id string) (int, error)
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
	{"temporal", newTemporal},
}

var durabilities = []struct{ name, synchronous string }{{"process", "NORMAL"}, {"power", "FULL"}}

func main() {
	rounds := flag.Int("rounds", 3, "how often each is measured, once if that takes 20 seconds; the best counts")
	table := flag.String("table", "steps", "what to run: "+strings.Join(slices.Sorted(maps.Keys(tables)), " or "))
	only := flag.String("only", "", "engines to measure, by comma; all by default")
	markdown := flag.Bool("markdown", false, "print the table as docs/internal/performance.md has it")
	one := flag.String("one", "", "make one measurement, ENGINE/SHAPE/DURABILITY, and print it as JSON; the command calls itself so")
	flag.Parse()
	// A measurement that is told to end stops what it has started.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	err := fmt.Errorf("-table %s: there is none of this name", *table)
	switch {
	case tables[*table] == nil:
	case *one != "":
		err = single(ctx, *table, *one)
	default:
		err = compare(ctx, *table, *rounds, *only, *markdown)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// long is what an engine may take to be measured more than once.
const long = 20 * time.Second

// compare measures and prints a line for each shape and durability.
func compare(ctx context.Context, table string, rounds int, only string, markdown bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	measured := func(name string) bool { return only == "" || slices.Contains(strings.Split(only, ","), name) }
	out := newPrinter(markdown, measured)
	for i, s := range tables[table] {
		for _, d := range durabilities {
			best := make([]figures, len(engines))
			for range rounds {
				for e, known := range engines {
					if !measured(known.name) || best[e].Wall > long {
						continue
					}
					f, err := measure(ctx, self, table, fmt.Sprintf("%s/%d/%s", known.name, i, d.synchronous))
					if err != nil {
						return fmt.Errorf("%s, %s: %w", known.name, s.name, err)
					}
					if best[e].Steps == 0 || f.Wall < best[e].Wall {
						best[e].Steps, best[e].Wall, best[e].Median, best[e].P99 = f.Steps, f.Wall, f.Median, f.P99
					}
					best[e].CPU = min(f.CPU, cmp.Or(best[e].CPU, f.CPU))
				}
			}
			out.line(s.name, d.name, best)
		}
	}
	return nil
}

func measure(ctx context.Context, self, table, what string) (figures, error) {
	cmd := exec.CommandContext(ctx, self, "-table", table, "-one", what)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	out, err := cmd.Output()
	if err != nil {
		return figures{}, err
	}
	var f figures
	return f, json.Unmarshal(out, &f)
}

// printer prints the table, a line when it is known.
type printer struct {
	markdown bool
	// peers are the places in engines of those beside Turnstile that are measured.
	peers []int
	to    io.Writer
	flush func() error
}

func newPrinter(markdown bool, measured func(name string) bool) printer {
	p := printer{markdown: markdown, to: os.Stdout, flush: func() error { return nil }}
	for i, e := range engines[1:] {
		if measured(e.name) {
			p.peers = append(p.peers, i+1)
		}
	}
	if !markdown {
		w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
		p.to, p.flush = w, w.Flush
		fmt.Fprintln(w, "shape\tsurvives\tengine\tsteps/s\tp50 ms\tp99 ms\tCPU ms/step\tof turnstile's steps/s\tof turnstile's CPU")
		return p
	}
	var names []string
	for _, e := range p.peers {
		names = append(names, engines[e].name)
	}
	fmt.Fprintf(p.to, "| | survives | CPU per step, relative to Turnstile: %s | steps per second, relative to Turnstile: %s |\n", strings.Join(names, " | "), strings.Join(names, " | "))
	fmt.Fprintln(p.to, "|"+strings.Repeat(" --- |", 2+2*len(names)))
	return p
}

// line prints what was best of each engine.
func (p printer) line(shape, kept string, best []figures) {
	ours := best[0]
	if p.markdown {
		fmt.Fprintf(p.to, "| %s | %s |", shape, kept)
		for _, ratio := range []func(f figures) float64{
			func(f figures) float64 { return f.CPU.Seconds() / ours.CPU.Seconds() },
			func(f figures) float64 { return ours.Wall.Seconds() / f.Wall.Seconds() },
		} {
			for _, e := range p.peers {
				if ours.Steps == 0 {
					fmt.Fprint(p.to, " – |")
					continue
				}
				fmt.Fprintf(p.to, " %s |", short(ratio(best[e])))
			}
		}
		fmt.Fprintln(p.to)
		return
	}
	for e, f := range best {
		if f.Steps == 0 {
			continue
		}
		beside := cmp.Or(ours, f)
		fmt.Fprintf(p.to, "%s\t%s\t%s\t%.0f\t%.2f\t%.2f\t%.3f\t%.3f\t%.2f\n", shape, kept, engines[e].name,
			float64(f.Steps)/f.Wall.Seconds(), ms(f.Median), ms(f.P99), float64(f.CPU.Microseconds())/1000/float64(f.Steps),
			beside.Wall.Seconds()/f.Wall.Seconds(), f.CPU.Seconds()/beside.CPU.Seconds())
	}
	_ = p.flush()
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// short is a ratio with two digits that count.
func short(ratio float64) string {
	if ratio >= 10 {
		return fmt.Sprintf("%.0f", ratio)
	}
	return fmt.Sprintf("%.2g", ratio)
}
