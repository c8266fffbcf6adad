package guide_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

type Destination struct {
	Street string `json:"street"`
	Days   int    `json:"days"`
}

var (
	Parcel  = turnstile.NewOrchestration[Destination, string]("Parcel")
	Measure = turnstile.NewActivity[string, int]("Measure")
	Picked  = turnstile.NewEvent[string]("picked")
)

var ChangeAddress = turnstile.NewUpdate[Destination, int]("change-address")

func sendParcel(ctx turnstile.Context, to Destination) (string, error) {
	shipped := false
	ChangeAddress.Handle(ctx, func(other Destination) error {
		if shipped {
			return errors.New("the parcel is on its way")
		}
		return nil
	}, func(ctx turnstile.Context, other Destination) (int, error) {
		to = other
		return Measure.Call(ctx, other.Street) // how many days it takes
	})
	if _, err := Picked.Wait(ctx); err != nil {
		return "", err
	}
	shipped = true
	if err := turnstile.Sleep(ctx, 24*time.Hour); err != nil {
		return "", err
	}
	return to.Street, turnstile.AllHandlersFinished(ctx)
}

func changeAddress(ctx context.Context, c *client.Client, request string, to Destination) (int, error) {
	return client.Update(ctx, c, ChangeAddress, "parcel-17", to, client.WithDeduplicationID(request))
}

func TestTheUpdateOfTheGuide(t *testing.T) {
	t.Parallel()
	env := turnstiletest.New(t, turnstile.NewApp(Parcel.Implement(sendParcel), ChangeAddress, Picked,
		Measure.Implement(func(_ context.Context, street string) (int, error) { return len(street), nil })))
	run := turnstiletest.Start(env, Parcel, Destination{Street: "A"}, client.WithInstanceID("parcel-17"))
	if days, err := turnstiletest.Update(env, ChangeAddress, "parcel-17", Destination{Street: "BB"}, client.WithDeduplicationID("r")); days != 2 || err != nil {
		t.Error(days, err)
	}
	if days, err := changeAddress(t.Context(), env.Client(), "r", Destination{Street: "BB"}); days != 2 || err != nil {
		t.Error(days, err)
	}
	turnstiletest.Raise(env, Picked, "parcel-17", "now")
	env.Advance(time.Minute)
	if _, err := turnstiletest.Update(env, ChangeAddress, "parcel-17", Destination{Street: "CCC"}); !errors.As(err, new(*client.UpdateRejectedError)) {
		t.Error(err)
	}
	if street, err := run.Wait(); street != "BB" || err != nil {
		t.Error(street, err)
	}
}
