package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/advice"
	"github.com/turnstile-go/turnstile/internal/console"
)

// consoleAddr is the default address of the console.
const consoleAddr = "127.0.0.1:8877"

func consoleCommand() *command {
	return &command{
		name: "console", also: []string{"ui", "web", "serve"}, most: 0,
		short: "serve the console: instances and their timelines in a browser",
		long: paragraph(
			"Serves the web console and its JSON API until Ctrl-C. The console shows instances, their",
			"timelines and histories, why an instance is stuck, dead letters and queues. It reads with your",
			"credentials and decodes payloads with your keys. It changes nothing unless actions are",
			"allowed. The console has no login, so it listens only on this machine: anyone who can reach",
			"the address sees everything. To serve it to others, mount console.Handler behind your login.",
			"",
			"Open pages read records for live changes; --reads limits the reads of all pages together. The",
			"console reads nothing while no page is open."),
		examples: []string{
			"turnstile console --stack turnstile",
			"turnstile console --stack turnstile --allow-actions --open",
			"turnstile console --addr 127.0.0.1:0",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			s := consoleServer{cli: c}
			flags.StringVar(&s.addr, "addr", "", "listen on this `ADDRESS`, host:port, where port 0 chooses a free port; default "+consoleAddr+", or a free port if that is taken")
			flags.BoolVar(&s.actions, "allow-actions", false, "allow actions: start, raise events, end, purge and redrive; by default the console only reads")
			flags.Func("allow-host", "also accept requests for this `HOST`; required to listen on an address that is not loopback; may be repeated", func(name string) error {
				s.hosts = append(s.hosts, name)
				return nil
			})
			c.settings.declareActor(flags)
			flags.BoolVar(&s.open, "open", false, "open it in the browser")
			flags.DurationVar(&s.every, "every", 3*time.Second, "shortest `TIME` between two reads of a shown record")
			flags.IntVar(&s.reads, "reads", 600, "read at most `N` records per minute for live changes; a record of up to 4 KB costs one read unit")
			return s.run
		},
	}
}

// consoleServer runs the command console.
type consoleServer struct {
	*cli
	addr          string
	hosts         []string
	actions, open bool
	every         time.Duration
	reads         int
	// listening, if not nil, is called with the address, for tests.
	listening func(url string)
}

func (s *consoleServer) run(ctx context.Context, _ []string) error {
	if err := s.check(); err != nil {
		return err
	}
	handler, err := s.handler(ctx)
	if err != nil {
		return err
	}
	listener, err := s.listen()
	if err != nil {
		return fmt.Errorf("%w; pass another --addr, or port 0 to choose a free port", err)
	}
	// Streamed responses end with the command.
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    log.New(io.Discard, "", 0), // A closed browser is not worth a log line.
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	s.announce(ctx, "http://"+listener.Addr().String()+"/")
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	stop()
	ending, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer done()
	if server.Shutdown(ending) != nil {
		_ = server.Close() // Cut off responses that take longer.
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// listen listens on the given address. Without one it takes consoleAddr, or a free port if another
// console, such as LocalStack's, already listens there.
func (s *consoleServer) listen() (net.Listener, error) {
	if s.addr != "" {
		return net.Listen("tcp", s.addr)
	}
	if l, err := net.Listen("tcp", consoleAddr); err == nil {
		return l, nil
	}
	return net.Listen("tcp", "127.0.0.1:0")
}

func (s *consoleServer) check() error {
	if s.reads < 1 {
		return usagef("--reads %d: must be at least 1", s.reads)
	}
	if s.addr == "" {
		return nil
	}
	host, _, err := net.SplitHostPort(s.addr)
	if err != nil {
		return usagef("--addr %q: must be host:port, such as %s", s.addr, consoleAddr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && len(s.hosts) == 0 {
		return usagef("--addr is %q: other machines can reach that address, and the console has no login. Listen on 127.0.0.1, or put the console behind a proxy with a login and pass the proxy's host with --allow-host", s.addr)
	}
	return nil
}

// handler returns the handler of the console.
func (s *consoleServer) handler(ctx context.Context) (http.Handler, error) {
	on := s.cli.backend()
	c, err := on.Client(ctx)
	if err != nil {
		return nil, err
	}
	options := []console.Option{console.WithPolling(s.every, s.reads), console.WithExplainer(advice.Explain), console.WithClock(s.now), console.AllowHosts(s.hosts...)}
	if s.actions {
		options = append(options, console.AllowActions())
	}
	own, err := on.Console(ctx, s.poll)
	if err != nil {
		return nil, err
	}
	h, err := console.Handler(c, append(append(options, own...), console.WithLinksOf(s.getenv))...)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "console: ")
		if strings.HasPrefix(text, "TURNSTILE_") {
			return nil, usagef("%s", text)
		}
		return nil, usagef("--allow-host: %s", text)
	}
	return h, nil
}

func (s *consoleServer) announce(ctx context.Context, url string) {
	what := "read-only; --allow-actions enables actions"
	if s.actions {
		what = "actions are allowed"
	}
	fmt.Fprintf(s.out, "console: %s (%s; press Ctrl-C to stop)\n", url, what)
	if s.open {
		if err := browse(ctx, url); err != nil {
			fmt.Fprintf(s.err, "cannot open a browser: %v\n", err)
		}
	}
	if s.listening != nil {
		s.listening(url)
	}
}

// browse opens a URL in the user's browser.
func browse(ctx context.Context, url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	return exec.CommandContext(context.WithoutCancel(ctx), name, args...).Start()
}
