package main

import (
	"context"
	"runtime/debug"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/internal/console"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

func versionCommand() *command {
	return &command{
		name: "version", most: 0,
		short:   "print the version of this command",
		long:    "Prints the version of Turnstile and the version of Go that built it.",
		offline: true,
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(context.Context, []string) error {
				return c.did(c.out, buildOf(), versionLine())
			}
		},
	}
}

// versionLine returns the version in one line.
func versionLine() string {
	b := buildOf()
	line := "turnstile " + b.Version
	if b.Revision != "" {
		line += " " + b.Revision
	}
	if b.Modified {
		line += " (modified)"
	}
	return line + " " + b.Go
}

// buildOf returns the version and the source revision of this binary.
func buildOf() api.Build {
	out := console.BuildOf()
	if info, ok := debug.ReadBuildInfo(); ok {
		out.Version = info.Main.Version
	}
	return out
}
