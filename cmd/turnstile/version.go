package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	flag "github.com/spf13/pflag"

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
				if c.json() {
					return c.printJSON(buildOf())
				}
				fmt.Fprintln(c.out, versionLine())
				return nil
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
	out := api.Build{Version: "(unknown)", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	out.Version = info.Main.Version
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			out.Revision = s.Value
		case "vcs.modified":
			out.Modified = s.Value == "true"
		}
	}
	return out
}
