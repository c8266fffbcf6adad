package main

import (
	"context"
	"flag"
	"fmt"
	"runtime/debug"
)

func versionCommand() *command {
	return &command{
		name: "version", most: 0,
		short: "print the version of this command",
		long:  "Prints the version that it was built from, and the version of Go.",
		declare: func(c *cli, _ *flag.FlagSet) action {
			return func(context.Context, []string) error {
				info, ok := debug.ReadBuildInfo()
				if !ok {
					return fmt.Errorf("this binary was built without build information")
				}
				version := info.Main.Version
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						version += " " + s.Value
					}
				}
				fmt.Fprintf(c.out, "turnstile %s %s\n", version, info.GoVersion)
				return nil
			}
		},
	}
}
