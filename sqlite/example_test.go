package sqlite_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/sqlite"
)

var (
	bake    = turnstile.NewActivity[string, string]("Bake")
	ordered = turnstile.NewEvent[int]("ordered")
	bakery  = turnstile.NewOrchestration[string, string]("Bakery")
)

// An instance waits for an event while no process runs.
func Example() {
	dir, err := os.MkdirTemp("", "bakery")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()

	app := turnstile.NewApp(
		bake.Implement(func(_ context.Context, cake string) (string, error) { return "a fresh " + cake, nil }),
		bakery.Implement(func(ctx turnstile.Context, cake string) (string, error) {
			n, err := ordered.Wait(ctx)
			if err != nil {
				return "", err
			}
			baked, err := bake.Call(ctx, cake)
			return fmt.Sprintf("%d times %s", n, baked), err
		}),
	)
	// process runs the application on the database in dir while use runs.
	process := func(use func(ctx context.Context, env *embedded.Runtime) error) {
		db, err := sqlite.Open(dir)
		if err != nil {
			log.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		env, err := embedded.New(app, embedded.WithDatabase(db))
		if err != nil {
			log.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- env.Run(ctx) }()
		if err := use(ctx, env); err != nil {
			log.Fatal(err)
		}
		stop()
		if err := <-ended; err != nil {
			log.Fatal(err)
		}
	}
	process(func(ctx context.Context, env *embedded.Runtime) error {
		_, err := client.Start(ctx, env.Client(), bakery, "cake", client.WithInstanceID("order-17"))
		return err
	})
	process(func(ctx context.Context, env *embedded.Runtime) error {
		if err := client.Raise(ctx, env.Client(), ordered, "order-17", 2); err != nil {
			return err
		}
		result, err := client.Attach(env.Client(), bakery, "order-17").Wait(ctx)
		fmt.Println(result)
		return err
	})
	// Output: 2 times a fresh cake
}
