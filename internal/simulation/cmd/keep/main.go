// Command keep writes histories of this build, which later builds test against: random
// programs of the simulation, each with the history of every execution, and histories of
// the sample application from the same world. It writes to a folder of this build, and
// overwrites nothing.
//
//	go run ./internal/simulation/cmd/keep -build v3
//
// docs/internal/testing.md lists the other contents of the folder. When the folder is
// complete,
//
//	go run ./internal/simulation/cmd/keep -build v3 -sums
//
// writes its list of checksums, or adds to it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/kept"
	"github.com/turnstile-go/turnstile/internal/simulation"
)

func main() {
	k := keeper{}
	flag.StringVar(&k.folder, "histories", "testdata/histories", "where the folders of all builds are")
	flag.StringVar(&k.build, "build", "", "the name of this build: its folder")
	flag.IntVar(&k.programs, "programs", 500, "how many random programs to keep")
	flag.IntVar(&k.orders, "orders", 20, "how many runs of the sample application to keep")
	flag.Uint64Var(&k.seed, "from", 1, "first seed")
	sums := flag.Bool("sums", false, "write checksums of files that have none")
	flag.Parse()
	if k.build == "" {
		fmt.Fprintln(os.Stderr, "keep: say with -build which build this is")
		os.Exit(2)
	}
	act := k.keep
	if *sums {
		act = k.sums
	}
	if err := act(); err != nil {
		fmt.Fprintln(os.Stderr, "keep:", err)
		os.Exit(1)
	}
}

type keeper struct {
	folder, build    string
	programs, orders int
	seed             uint64
}

const (
	inBundle = 100
	// mostEvents is the limit for a run that is kept: a longer one shows little more.
	mostEvents = 300
)

func (k *keeper) sums() error {
	added, err := kept.AddSums(filepath.Join(k.folder, k.build))
	fmt.Printf("%d files have got a checksum\n", added)
	return err
}

func (k *keeper) keep() error {
	programs, orders := filepath.Join(k.folder, k.build, "programs"), filepath.Join(k.folder, k.build, "orders")
	if err := errors.Join(os.MkdirAll(programs, 0o755), os.MkdirAll(orders, 0o755)); err != nil {
		return err
	}
	var runs []*kept.Run
	for ; k.programs > 0 || k.orders > 0; k.seed++ {
		run, sample, err := simulation.Keep(k.seed)
		if err != nil {
			return err
		}
		if run == nil {
			if k.orders > 0 {
				if err := k.keepSample(orders, sample); err != nil {
					return err
				}
				k.orders--
			}
			continue
		}
		if n := events(run); k.programs == 0 || n == 0 || n > mostEvents {
			continue
		}
		k.programs--
		if runs = append(runs, run); len(runs) == inBundle || k.programs == 0 {
			first, last := runs[0].Name, runs[len(runs)-1].Name
			if err := kept.WriteBundle(filepath.Join(programs, first+"-to-"+last+".tar.gz"), runs); err != nil {
				return err
			}
			runs = nil
		}
	}
	return nil
}

func events(r *kept.Run) (n int) {
	for _, x := range r.Executions {
		n += len(x.Events)
	}
	return n
}

func (k *keeper) keepSample(folder string, sample []history.Export) error {
	for i, x := range sample {
		name := fmt.Sprintf("seed-%d-%d.json", k.seed, i+1)
		if err := kept.WriteNew(filepath.Join(folder, name), history.EncodeExport(x)); err != nil {
			return err
		}
	}
	return nil
}
