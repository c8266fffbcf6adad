// Package orchestrations does by itself what orchestration code may not.
package orchestrations

import (
	"context"
	crypto "crypto/rand"
	"fmt"
	"log"
	"log/slog"
	"math/rand"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"example.com/library"
	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
)

type order struct{ ID string }

var (
	fulfil = turnstile.NewOrchestration[order, string]("Fulfil")
	remind = turnstile.NewOrchestration[string, string]("Remind")
	charge = turnstile.NewActivity[order, string]("Charge")

	count   int
	prices  = map[string]int{}
	current order
	rate    = 7
)

type service struct{ client *client.Client }

var app = turnstile.NewApp(
	fulfil.Implement(clocks),
	fulfil.Implement(service{}.fromOutside),
	fulfil.Implement(generic[order]),
	fulfil.Implement(func(ctx turnstile.Context, o order) (string, error) {
		return time.Now().String(), nil // want `clock: time.Now reads the wall clock; use turnstile.Now`
	}),
	remind.Implement(library.Remind), // want `clock: library.Remind reaches \(through Stamp\) time.Now, which reads the wall clock, at library.go:26; use turnstile.Now`
)

func clocks(ctx turnstile.Context, o order) (string, error) {
	start := time.Now()         // want `clock: time.Now reads the wall clock; use turnstile.Now`
	time.Sleep(time.Second)     // want `clock: time.Sleep waits for the wall clock; use turnstile.Sleep`
	<-time.After(time.Second)   // want `clock: time.After waits for the wall clock; use turnstile.After` `channel: a receive from`
	later := func() time.Time { // A literal is part of the enclosing function.
		return time.Now() // want `clock: time.Now`
	}
	tell := time.Since // want `clock: time.Since`
	_ = tell
	_ = start.Local() // want `env: time.Time.Local is the time zone of this machine; use time.UTC`
	return later().String(), nil
}

func generic[In any](ctx turnstile.Context, in In) (string, error) {
	return fmt.Sprint(rand.Intn(6)), nil // want `random: rand.Intn is not the same on replay; use turnstile.UUID for an id, turnstile.Random for numbers`
}

func randomness(ctx turnstile.Context, b []byte) {
	_, _ = crypto.Read(b) // want `random: rand.Read`
	_ = crypto.Reader     // want `random: rand.Reader`
	// A separate source with a seed from the input is the same each time.
	_ = rand.New(rand.NewSource(17)).Intn(6)
}

func concurrency(ctx turnstile.Context, items []string) {
	var mu sync.Mutex
	mu.Lock()         // want `sync: sync.Mutex.Lock waits for other goroutines; remove it, `
	defer mu.Unlock() // want `sync: sync.Mutex.Unlock`
	var n atomic.Int64
	n.Add(1)                     // want `sync: atomic.Int64.Add is made for several goroutines`
	results := make(chan string) // want `channel: a channel is made for several goroutines; wait for operations with Future.Await`
	go func() {                  // want `goroutine: a go statement starts work that replay does not control; start several operations, or branches with turnstile.Go`
		results <- "this is not told once more"
	}()
	select { // want `channel: a select statement depends on which`
	case <-results:
	default:
	}
	for range results { // want `channel: a receive from`
	}
	results <- ""  // want `channel: a send on`
	close(results) // want `channel: the close of`
}

func world(ctx turnstile.Context, o order) {
	_ = os.Getenv("RATE")                  // want `env: os.Getenv depends on the process or its machine; put it into the input`
	_ = os.Args                            // want `env: os.Args`
	_, _ = os.ReadFile("rates.json")       // want `file: os.ReadFile uses files; do it in an activity`
	_, _ = http.Get("https://example.com") // want `network: http.Get uses the network; do it in an activity`
	_ = exec.Command("true").Run()         // want `process: exec.Command runs a program` `process: exec.Cmd.Run`
	os.Exit(1)                             // want `process: os.Exit acts on processes`
	_ = context.Background()               // want `context: context.Background makes a context that replay does not control; use the turnstile.Context`
	fmt.Println(o.ID)                      // want `output: fmt.Println is written again on every replay; use turnstile.Logger`
	log.Printf("order %s", o.ID)           // want `output: log.Printf`
	slog.Info("order", "id", o.ID)         // want `output: slog.Info`
	fmt.Fprintln(os.Stderr, o.ID)          // want `output: os.Stderr`
	_ = os.IsNotExist(nil)
	_ = http.StatusText(http.StatusOK)
	var missing *os.PathError
	_ = missing.Error()
}

func variables(ctx turnstile.Context, o order) {
	count++             // want `global: the package-level variable count is written, and another instance or process sees another value; keep it in a local variable`
	prices[o.ID] = 1    // want `global: the package-level variable prices is written`
	delete(prices, "x") // want `global: the package-level variable prices is written`
	current.ID = o.ID   // want `global: the package-level variable current is written`
	_ = rate
	_ = setting // want `global: the package-level variable setting is written by Configure, at orchestrations.go:\d+`
}

var setting string

// Configure changes a variable that orchestrations read.
func Configure(s string) { setting = s }

func init() { rate = 8 }

func (s service) fromOutside(ctx turnstile.Context, o order) (string, error) {
	_, err := client.Start(nil, s.client, fulfil, o) // want `network: client.Start is for callers of orchestrations, and uses the network; use the durable call for it`
	return "", err
}

// A function without a Context, which no orchestration code calls, may do anything.
func elsewhere() {
	time.Sleep(0)
	count++
	go elsewhere()
}

func byChance(a, b int) int { return rand.Int() }

// saga has a Context of its own: its methods are orchestration code.
type saga struct{ ctx turnstile.Context }

func (s *saga) undo() error {
	time.Sleep(1) // want `clock: time.Sleep`
	_, err := charge.Call(s.ctx, order{})
	return err
}
