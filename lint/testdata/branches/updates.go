package branches

import (
	"errors"
	"time"

	"github.com/turnstile-go/turnstile"
)

var raise = turnstile.NewUpdate[int, int]("raise")

func updated(ctx turnstile.Context, limit int) (int, error) {
	price, tries := 1, 0
	raise.Handle(ctx, func(by int) error {
		_ = time.Now() // Its verdict is recorded.
		tries++        // want `capture: the captured variable tries is written by the validator of an update, which does not run on replay: the write is lost there; only read variables in a validator; write them in the handler`
		if price+by > limit {
			return errors.New("too much")
		}
		return nil
	}, func(ctx turnstile.Context, by int) (int, error) {
		price += by    // The handler runs on replay, as a branch.
		_ = time.Now() // want `clock: time.Now`
		return price, shown.Set(ctx, "raised")
	})
	raise.Handle(ctx, func(by int) error {
		if err := shown.Set(ctx, "asked"); err != nil { // want `durable: turnstile.State.Set changes what the instance shows, which only orchestration code can`
			return err
		}
		return turnstile.Sleep(ctx, time.Second) // want `durable: turnstile.Sleep is a durable call, which replay expects only in orchestration code`
	}, nil)
	raise.Handle(ctx, nil, func(ctx turnstile.Context, by int) (int, error) {
		return charge.Call(ctx, "one")
	})
	return price + tries, turnstile.AllHandlersFinished(ctx)
}
