package guide_test

import (
	"context"
	"testing"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

type Scene struct{ Tenant, Title string }

var Encode = turnstile.NewActivity[Scene, string]("Encode").With(turnstile.Queue("gpu"))

var Notify = turnstile.NewActivity[Scene, string]("Notify")

func encode(ctx turnstile.Context, s Scene) (string, error) {
	video, err := Encode.With(turnstile.FairnessKey(s.Tenant)).Call(ctx, s) // still through the queue gpu
	if err != nil {
		return "", err
	}
	_, err = Notify.With(turnstile.Queue("urgent")).Call(ctx, s)
	return video, err
}

func TestAnActivityWithAQueue(t *testing.T) {
	t.Parallel()
	flow := turnstile.NewOrchestration[Scene, string]("EncodeScene")
	app := turnstile.NewApp(flow.Implement(encode),
		Encode.Implement(func(_ context.Context, s Scene) (string, error) { return s.Title + ".mp4", nil }),
		Notify.Implement(func(_ context.Context, s Scene) (string, error) { return "", nil }))
	env := turnstiletest.New(t, app)
	run := turnstiletest.Start(env, flow, Scene{"ann", "film"})
	if got, err := run.Wait(); err != nil || got != "film.mp4" {
		t.Errorf("%q, %v", got, err)
	}
	queues := map[string]string{}
	for _, e := range run.History() {
		if e.Retry != nil {
			queues[e.Name] = e.Retry.Queue + " " + e.Retry.FairKey
		}
	}
	if queues["Encode"] != "gpu ann" || queues["Notify"] != "urgent " {
		t.Errorf("the queues are %v", queues)
	}
}
