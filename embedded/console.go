package embedded

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// ConsoleAddr is the address on which [WithConsole] listens by default, if it is free.
const ConsoleAddr = "127.0.0.1:8876"

// WithConsole serves the console (package console) while the runtime runs. It accepts connections
// only from this machine and allows actions, so every user of the machine can use it.
// [Runtime.ConsoleURL] returns its address.
//
// addr is host:port. The host defaults to 127.0.0.1. Any other host must also be a loopback
// address, because the console has no login: to make the console accessible from elsewhere, mount
// console.Handler behind your login. Port 0 is any free port. If addr is empty, the console listens
// on ConsoleAddr, or on any free port if ConsoleAddr is in use. New already listens, so New returns
// the error if addr is in use.
//
// The options are added to those that the runtime sets itself: its clock, its place
// (console.WithPlace), and permission for actions.
func WithConsole(addr string, opts ...console.Option) Option {
	return option(func(o *options) {
		o.beside = func(e *Runtime) (beside, error) { return newConsoleServer(e, addr, opts) }
	})
}

// ConsoleURL returns the address of the console, such as "http://127.0.0.1:8876/"; empty without
// [WithConsole].
func (e *Runtime) ConsoleURL() string {
	if e.beside == nil {
		return ""
	}
	return e.beside.url()
}

// beside is a server that runs alongside a runtime. Only WithConsole creates one, so that a program
// without it links no HTTP server.
type beside interface {
	url() string
	// begin is called when Run starts, end before Run returns.
	begin()
	end() error
}

type consoleServer struct {
	listener net.Listener
	server   http.Server
	// stop ends the requests that last as long as a page is open.
	stop   context.CancelFunc
	served chan error
}

func newConsoleServer(e *Runtime, addr string, opts []console.Option) (*consoleServer, error) {
	place := api.Place{Kind: "embedded"}
	if file, ok := e.database.(interface{ Path() string }); ok {
		place = api.Place{Kind: "sqlite", Settings: map[string]string{"file": file.Path()}}
	}
	opts = slices.Concat(e.ConsoleOptions(), []console.Option{console.AllowActions(), console.WithPlace(place), console.WithLinksOf(os.Getenv)}, opts)
	handler, err := console.Handler(e.client, opts...)
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	listener, err := listen(addr)
	if err != nil {
		return nil, err
	}
	base, stop := context.WithCancel(context.Background())
	return &consoleServer{
		listener: listener, stop: stop, served: make(chan error, 1),
		server: http.Server{
			Handler: handler, ReadHeaderTimeout: 10 * time.Second,
			BaseContext: func(net.Listener) context.Context { return base },
			// Disconnected browsers are not worth a log line.
			ErrorLog: log.New(io.Discard, "", 0),
		},
	}, nil
}

func (c *consoleServer) url() string { return "http://" + c.listener.Addr().String() + "/" }

func (c *consoleServer) begin() {
	go func() { c.served <- c.server.Serve(c.listener) }()
}

func (c *consoleServer) end() error {
	c.stop()
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close() // Cut off requests that take longer.
	}
	if err := <-c.served; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("embedded: the console's server failed: %w", err)
	}
	return nil
}

// listen listens on a loopback address.
func listen(addr string) (net.Listener, error) {
	if addr == "" {
		if l, err := net.Listen("tcp", ConsoleAddr); err == nil {
			return l, nil
		}
		addr = "127.0.0.1:0"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("embedded: WithConsole(%q): this is not an address: give host:port, such as %s", addr, ConsoleAddr)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("embedded: WithConsole(%q): %s is not a loopback address, and the console has no login: use 127.0.0.1, or mount console.Handler behind a login of your own", addr, host)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("embedded: the console cannot listen: %w; use another address, or port 0 for any free port", err)
	}
	return l, nil
}
