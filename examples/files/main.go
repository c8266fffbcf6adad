// Command files shows a fan-out over files with a limit, and a saga that takes
// everything back when one of them fails. It needs nothing but Go and ends by
// itself:
//
//	go run ./examples/files
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/story"
)

func main() {
	if err := tell(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

// tell imports one delivery twice: one that may skip a file, and one that may
// not.
func tell(ctx context.Context, out io.Writer) error {
	for _, delivery := range []Delivery{{Folder: "monday", Tolerate: 1}, {Folder: "tuesday"}} {
		fmt.Fprintf(out, "\n%s, where %d files may fail:\n", delivery.Folder, delivery.Tolerate)
		s, err := story.New(out, func(s *story.Story) *turnstile.App {
			made := storage{files: []string{"customers.csv", "orders.csv", "broken.csv", "prices.csv", "stock.csv"}, say: s.Say}
			return turnstile.NewApp(Import.Is(importAll), made.activities())
		})
		if err != nil {
			return err
		}
		run, err := client.Start(ctx, s.Client(), Import, delivery, client.InstanceID("import-"+delivery.Folder))
		if err != nil {
			return err
		}
		err = s.Until(ctx, func(ctx context.Context) error {
			report, err := run.Wait(ctx)
			switch {
			case err == nil:
				s.Say("the import ended with %d tables, without %v", len(report.Tables), report.Skipped)
			case ctx.Err() == nil:
				s.Say("the import failed: %v", err)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
	}
	return nil
}
