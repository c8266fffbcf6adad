package turnstile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile"
)

// Process many items, a few at a time: Call is a plain function value.
func ExampleMap() {
	thumbnail := turnstile.NewActivity[string, string]("Thumbnail")
	album := turnstile.NewOrchestration[[]string, []string]("Album")
	show(album, []string{"cat.jpg", "dog.jpg", "yak.jpg"}, nil,
		thumbnail.Implement(func(_ context.Context, file string) (string, error) { return "small-" + file, nil }),
		album.Implement(func(ctx turnstile.Context, files []string) ([]string, error) {
			return turnstile.Map(ctx, files, 2, thumbnail.Call)
		}))
	// Output: completed: [small-cat.jpg small-dog.jpg small-yak.jpg]
}

// Each item has its own outcome; at most a third may fail.
func ExampleMapSettled() {
	send := turnstile.NewActivity[string, string]("Send")
	news := turnstile.NewOrchestration[[]string, string]("News")
	show(news, []string{"ada@example.com", "nobody", "grace@example.com"}, nil,
		send.Implement(func(_ context.Context, to string) (string, error) {
			if !strings.Contains(to, "@") {
				return "", errors.New("no such address")
			}
			return "", nil
		}),
		news.Implement(func(ctx turnstile.Context, readers []string) (string, error) {
			outcomes, err := turnstile.MapSettled(ctx, readers, 10, send.Call, turnstile.TolerateFailures(len(readers)/3))
			if err != nil {
				return "", err
			}
			var missed []string
			for i, o := range outcomes {
				if o.Err != nil {
					missed = append(missed, readers[i])
				}
			}
			return fmt.Sprintf("%d readers, not reached: %v", len(readers), missed), nil
		}))
	// Output: completed: 3 readers, not reached: [nobody]
}

// Several steps for each item, without a result.
func ExampleForEach() {
	reserve := turnstile.NewActivity[string, int]("Reserve")
	pack := turnstile.NewActivity[int, bool]("Pack")
	fulfil := turnstile.NewOrchestration[[]string, string]("Fulfil")
	show(fulfil, []string{"teapot", "cup"}, nil,
		reserve.Implement(func(_ context.Context, what string) (int, error) { return len(what), nil }),
		pack.Implement(func(context.Context, int) (bool, error) { return true, nil }),
		fulfil.Implement(func(ctx turnstile.Context, items []string) (string, error) {
			err := turnstile.ForEach(ctx, items, 5, func(ctx turnstile.Context, item string) error {
				shelf, err := reserve.Call(ctx, item)
				if err != nil {
					return err
				}
				_, err = pack.Call(ctx, shelf)
				return err
			})
			return "packed", err
		}))
	// Output: completed: packed
}

// Two branches with several steps each run concurrently.
func ExampleGo() {
	price := turnstile.NewActivity[string, int]("Price")
	exchange := turnstile.NewActivity[int, int]("Exchange")
	compare := turnstile.NewOrchestration[string, string]("Compare")
	show(compare, "teapot", nil,
		price.Implement(func(_ context.Context, shop string) (int, error) { return 10 * len(shop), nil }),
		exchange.Implement(func(_ context.Context, cents int) (int, error) { return 2 * cents, nil }),
		compare.Implement(func(ctx turnstile.Context, what string) (string, error) {
			home := turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) { return price.Call(ctx, "home") })
			abroad := turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) {
				foreign, err := price.Call(ctx, "far")
				if err != nil {
					return 0, err
				}
				return exchange.Call(ctx, foreign)
			})
			prices, err := turnstile.Join(ctx, home, abroad)
			return fmt.Sprint(what, " ", prices), err
		}))
	// Output: completed: teapot [40 60]
}

// The first success is enough.
func ExampleAny() {
	fetch := turnstile.NewActivity[string, string]("Fetch")
	load := turnstile.NewOrchestration[[]string, string]("Load")
	show(load, []string{"broken", "good"}, nil,
		fetch.Implement(func(_ context.Context, mirror string) (string, error) {
			if mirror == "broken" {
				return "", errors.New("no answer")
			}
			return "the file", nil
		}),
		load.Implement(func(ctx turnstile.Context, mirrors []string) (string, error) {
			var files []turnstile.Future[string]
			for _, mirror := range mirrors {
				files = append(files, fetch.Start(ctx, mirror))
			}
			i, file, err := turnstile.Any(ctx, files...)
			if err != nil {
				return "", err
			}
			return file + " from " + mirrors[i], nil
		}))
	// Output: completed: the file from good
}

// Settle returns every outcome, including failures.
func ExampleJoinSettled() {
	check := turnstile.NewActivity[string, bool]("Check")
	audit := turnstile.NewOrchestration[[]string, []string]("Audit")
	show(audit, []string{"door", "alarm"}, nil,
		check.Implement(func(_ context.Context, what string) (bool, error) {
			if what == "alarm" {
				return false, errors.New("no power")
			}
			return true, nil
		}),
		audit.Implement(func(ctx turnstile.Context, things []string) ([]string, error) {
			var checks []turnstile.Future[bool]
			for _, thing := range things {
				checks = append(checks, check.Start(ctx, thing))
			}
			outcomes, err := turnstile.JoinSettled(ctx, checks...)
			var report []string
			for i, o := range outcomes {
				report = append(report, fmt.Sprintf("%s: %v %v", things[i], o.Value, o.Err))
			}
			return report, err
		}))
	// Output: completed: [door: true <nil> alarm: false activity "Check" failed: no power]
}

// Process results as they arrive.
func ExampleAsCompleted() {
	run := turnstile.NewOrchestration[[]int, []int]("Race")
	show(run, []int{30, 10, 20}, nil,
		run.Implement(func(ctx turnstile.Context, minutes []int) ([]int, error) {
			var runners []turnstile.Future[int]
			for _, m := range minutes {
				runners = append(runners, turnstile.Go(ctx, func(ctx turnstile.Context) (int, error) {
					return m, turnstile.Sleep(ctx, time.Duration(m)*time.Minute)
				}))
			}
			var finish []int
			for _, runner := range turnstile.AsCompleted(ctx, runners...) {
				if runner.Err != nil {
					return nil, runner.Err
				}
				finish = append(finish, runner.Value)
			}
			return finish, nil
		}))
	// Output: completed: [10 20 30]
}

// Wait for operations of different types.
func ExampleJoinMixed() {
	stock := turnstile.NewActivity[string, int]("Stock")
	name := turnstile.NewActivity[string, string]("Name")
	page := turnstile.NewOrchestration[string, string]("Page")
	show(page, "t-1", nil,
		stock.Implement(func(context.Context, string) (int, error) { return 3, nil }),
		name.Implement(func(context.Context, string) (string, error) { return "Teapot", nil }),
		page.Implement(func(ctx turnstile.Context, id string) (string, error) {
			left, title := stock.Start(ctx, id), name.Start(ctx, id)
			if err := turnstile.JoinMixed(ctx, left, title); err != nil {
				return "", err
			}
			n, _ := left.Await(ctx)
			t, _ := title.Await(ctx)
			return fmt.Sprintf("%s: %d left", t, n), nil
		}))
	// Output: completed: Teapot: 3 left
}

// When its time is over, a scope cancels the operations that were started in it.
func ExampleWithTimeout() {
	search := turnstile.NewEvent[string]("found")
	find := turnstile.NewOrchestration[string, string]("Find")
	show(find, "keys", nil,
		find.Implement(func(ctx turnstile.Context, what string) (string, error) {
			scope, cancel := turnstile.WithTimeout(ctx, time.Hour)
			place, err := search.Wait(scope)
			if errors.Is(err, turnstile.ErrTimeout) {
				return what + " not found", nil
			}
			cancel("found")
			return place, err
		}))
	// Output: completed: keys not found
}
