// Release makes what is released of this repository, from what is committed:
//
//	go -C tools/release run . set v0.2.0       the version that the modules require of each other
//	go -C tools/release run . proxy DIRECTORY  a module proxy, to try an installation before it is published
//	go -C tools/release run . dist DIRECTORY   the command line for each platform, with checksums and a
//	                                     list of materials
//	go -C tools/release run . tags             the tags that publish the version
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

const usage = `usage: release set VERSION | proxy DIRECTORY | dist DIRECTORY | tags`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	r, err := open(root)
	if err != nil {
		return err
	}
	switch {
	case len(args) == 2 && args[0] == "set":
		return r.set(args[1])
	case len(args) == 2 && args[0] == "proxy":
		return r.proxy(ctx, args[1])
	case len(args) == 2 && args[0] == "dist":
		return r.dist(ctx, args[1], platforms)
	case len(args) == 1 && args[0] == "tags":
		for _, m := range released {
			fmt.Println(m.tag(r.version))
		}
		return nil
	}
	return fmt.Errorf("%s", usage)
}
