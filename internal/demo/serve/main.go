// Command serve serves the console for an environment that has something of everything: the
// sample orders in every status, instances that are stuck, wait for children or have made
// many attempts, a history of 10,000 events, and payloads that break pages which do not
// escape them.
//
//	go run ./internal/demo/serve                   continues: new orders start, actions work
//	go run ./internal/demo/serve -still            nothing changes, and each run is the same
//	go run ./internal/demo/serve -addr 127.0.0.1:0 -prefix /console
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/turnstile-go/turnstile/console"
	"github.com/turnstile-go/turnstile/internal/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	addr := flag.String("addr", "127.0.0.1:8090", "address to listen on")
	prefix := flag.String("prefix", "", "path under which the console is mounted")
	still := flag.Bool("still", false, "nothing moves, and each run shows the same")
	reading := flag.Bool("read-only", false, "no actions")
	every := flag.Duration("every", 15*time.Second, "time between two new orders")
	flag.Parse()

	var options []console.Option
	if !*reading {
		options = append(options, console.AllowActions())
	}
	h, err := demo.Open(ctx, demo.Options{Still: *still, Every: *every}, options...)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(*prefix+"/", http.StripPrefix(*prefix, h))
	if *prefix != "" {
		mux.Handle(*prefix, http.StripPrefix(*prefix, h))
	}
	fmt.Printf("console: http://%s%s/\n", l.Addr(), *prefix)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
