package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/dev"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/program"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/supervised"
)

func devCommand() *command {
	return &command{
		name: "dev", also: []string{"local"}, offline: true, words: folders, operands: "[PACKAGE]", most: 1,
		short: "run a project on this machine, and restart it when a file changes",
		long: paragraph(
			"Builds and runs the main package ./local of the project in this folder: the whole application",
			"in one process, with an SQLite database and the console. It prints each turn. When a source",
			"file changes, dev rebuilds and restarts the program, and instances continue. If the new code",
			"disagrees with an instance's history, dev shows the instance as stuck, with history and code",
			"side by side, until the code agrees again. After a failed build the old program keeps running.",
			"If the program crashes, dev restarts it.",
			"",
			"Projects of `turnstile new` have ./local. PACKAGE names another main package; it receives --addr",
			"and --data if it calls local.Run of github.com/turnstile-go/turnstile/sqlite/local."),
		examples: []string{"turnstile dev", "turnstile dev --reset", "turnstile dev --addr 127.0.0.1:9000 ./cmd/local"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			addr := flags.String("addr", "", "`HOST:PORT` at which the console listens; default "+embedded.ConsoleAddr+", or a free port if that is taken")
			data := flags.String("data", "", "folder `DIR` of the database; default "+dev.Data+" in the project")
			reset := flags.Bool("reset", false, "start with an empty database; this deletes all instances")
			return func(ctx context.Context, operands []string) error {
				pkg := program.Default
				if len(operands) > 0 {
					pkg = operands[0]
				}
				return c.dev(ctx, pkg, *addr, *data, *reset)
			}
		},
	}
}

// Intervals of the supervisor.
const (
	devLook     = 250 * time.Millisecond
	devGrace    = 10 * time.Second
	devPause    = time.Second
	devMaxPause = 30 * time.Second
)

func (c *cli) dev(ctx context.Context, pkg, addr, data string, reset bool) error {
	project, err := program.Find(ctx, pkg)
	if err != nil {
		return fmt.Errorf("dev: %w", err)
	}
	here, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("dev: %w", err)
	}
	if data == "" {
		data = filepath.Join(project, dev.Data)
	}
	if data, err = filepath.Abs(data); err != nil {
		return fmt.Errorf("dev: %w", err)
	}
	say := func(text string) {
		fmt.Fprintf(c.err, "%s %s\n", c.screen(c.err).In(term.Bold, "turnstile dev:"), text)
	}
	addr, taken, err := chooseAddr(addr)
	if err != nil {
		return fmt.Errorf("dev: %w", err)
	}
	if taken {
		say(fmt.Sprintf("%s is in use: the console listens on %s", embedded.ConsoleAddr, addr))
	}
	s := dev.Supervisor{
		Dir: here, Package: pkg, Out: term.Unwrapped(c.out), Err: c.err, Say: say,
		Env:   []string{supervised.Addr + "=" + addr, supervised.Data + "=" + data},
		Grace: devGrace, Pause: devPause, MaxPause: devMaxPause,
	}
	if own := filepath.Join(project, dev.Data); data != own {
		s.Env = append(s.Env, supervised.Console+"="+filepath.Join(own, supervised.ConsoleFile))
	}
	if c.settings.color == string(term.ColoursNever) {
		s.Env = append(s.Env, "NO_COLOR=1")
	}
	if reset {
		s.FirstEnv = []string{supervised.Reset + "=1"}
	}
	look := time.NewTicker(devLook)
	defer look.Stop()
	s.Look = look.C
	if err := s.Run(ctx); err != nil {
		return fmt.Errorf("dev: %w", err)
	}
	return nil
}

// chooseAddr chooses the address of the console. The address stays the same when the program
// restarts, so that open pages reconnect. An asked address with a port number is returned
// unchecked; the program reports if it cannot listen there. taken reports that the default was
// in use.
func chooseAddr(asked string) (addr string, taken bool, err error) {
	if asked == "" {
		if free(embedded.ConsoleAddr) {
			return embedded.ConsoleAddr, false, nil
		}
		asked, taken = "127.0.0.1:0", true
	}
	host, port, err := net.SplitHostPort(asked)
	if err != nil || port != "0" {
		return asked, taken, nil
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return "", false, err
	}
	return l.Addr().String(), taken, l.Close()
}

func free(addr string) bool {
	l, err := net.Listen("tcp", addr)
	return err == nil && l.Close() == nil
}
