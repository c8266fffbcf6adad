// Command files shows a fan-out over files with a limit, and a saga that undoes everything if one
// of them fails. It needs nothing but Go and ends by itself:
//
//	go run ./examples/files            its story, in virtual time
//	go run ./examples/files -console   slowly, with the console, until Ctrl-C
package main

import (
	"context"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/examples/story"
)

func main() { sample.Main() }

var sample = story.Sample{Name: "files", Pace: 3 * time.Second, Tell: tell}

// tell imports two deliveries: one in which a file may fail, and one in which none may.
func tell(ctx context.Context, t *story.Teller) error {
	s, err := t.New(func(s *story.Story) *turnstile.App {
		made := storage{files: []string{"customers.csv", "orders.csv", "broken.csv", "prices.csv", "stock.csv"}, say: s.Slowly}
		return turnstile.NewApp(Import.Implement(importAll), made.activities())
	})
	if err != nil {
		return err
	}
	return s.Until(ctx, func(ctx context.Context) error {
		for _, delivery := range []Delivery{{Folder: "monday", Tolerate: 1}, {Folder: "tuesday"}} {
			s.Say("%s, where %d files may fail:", delivery.Folder, delivery.Tolerate)
			run, err := client.Start(ctx, s.Client(), Import, delivery, client.WithInstanceID("import-"+delivery.Folder))
			if err != nil {
				return err
			}
			report, err := run.Wait(ctx)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				s.Say("the import failed: %v", err)
			default:
				s.Say("the import ended with %d tables, without %v", len(report.Tables), report.Skipped)
			}
		}
		return nil
	})
}
