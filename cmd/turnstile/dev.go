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
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/internal/supervised"
)

func devCommand() *command {
	return &command{
		name: "dev", also: []string{"local"}, offline: true, words: folders, operands: "[PACKAGE]", most: 1,
		short: "run a project on this machine, and restart it when a file changes",
		long: paragraph(
			"Builds and runs the main package ./local of the project in this folder: the whole",
			"application in one process, on an SQLite database, with the console and each turn as",
			"it happens. When a source file changes, dev builds and starts it again, and instances go",
			"on. If the new code disagrees with the history of an instance, dev shows it as stuck, with",
			"history next to code, until the code agrees again. After a failed build the old program",
			"goes on. A program that dies is started again.",
			"",
			"Projects of `turnstile new` have ./local. Another main package can be named; it gets",
			"--addr and --data if it calls local.Run of github.com/turnstile-go/turnstile/sqlite/local."),
		examples: []string{"turnstile dev", "turnstile dev --reset", "turnstile dev --addr 127.0.0.1:9000 ./cmd/local"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			addr := flags.String("addr", "", "where the console listens, as `HOST:PORT` of this machine; default "+embedded.ConsoleAddr+", or any port if that is taken")
			data := flags.String("data", "", "`DIR` of the database; default "+dev.Data+" in the project")
			reset := flags.Bool("reset", false, "begin with an empty database: this deletes all instances")
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

// How the program is supervised.
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
		fmt.Fprintf(c.err, "%s %s\n", highlighted(c.err, "turnstile dev:"), text)
	}
	addr, taken, err := chooseAddr(addr)
	if err != nil {
		return fmt.Errorf("dev: %w", err)
	}
	if taken {
		say(fmt.Sprintf("%s is taken: the console gets %s", embedded.ConsoleAddr, addr))
	}
	s := dev.Supervisor{
		Dir: here, Package: pkg, Out: c.out, Err: c.err, Say: say,
		Env:   []string{supervised.Addr + "=" + addr, supervised.Data + "=" + data},
		Grace: devGrace, Pause: devPause, MaxPause: devMaxPause,
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

// chooseAddr settles where the console listens, so that it stays there when the
// program is started again: an open page finds it. What is asked for by number
// is for the program to take or to refuse. taken says that the default was not
// free.
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
