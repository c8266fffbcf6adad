// Command install puts what the browser tests need into .local/browser:
// Chromium where none is on the PATH, fonts, axe-core. What is there already
// is left as it is.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir, err := browser.Dir()
	if err != nil {
		return err
	}
	if err := browser.Install(ctx, dir, os.Stdout); err != nil {
		return err
	}
	found, err := browser.Find(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", found.Version, found.Path)
	return nil
}
