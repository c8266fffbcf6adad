package otel_test

import (
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

func TestAnUpdateHasTheSpanOfAMessage(t *testing.T) {
	t.Parallel()
	sending := newProcess(t, "client")
	flow, add := turnstile.NewOrchestration[int, string]("Flow"), turnstile.NewUpdate[int, int]("add")
	env := turnstiletest.New(t, turnstile.NewApp(flow.Implement(func(ctx turnstile.Context, n int) (string, error) {
		add.Handle(ctx, nil, func(_ turnstile.Context, by int) (int, error) { return n + by, nil })
		return approved.Wait(ctx)
	})))
	turnstiletest.Start(env, flow, 1, client.WithInstanceID("i"))
	env.Run()
	h, err := client.StartUpdate(t.Context(), env.Client().WithInterceptors(sending.tel.Interceptor()), add, "i", 2)
	if err != nil {
		t.Fatal(err)
	}
	env.Run()
	if n, err := h.Wait(t.Context()); n != 3 || err != nil {
		t.Fatal(n, err)
	}
	spans := sending.spans.GetSpans()
	if len(spans) != 1 || spans[0].Name != "update add" || spans[0].SpanKind != trace.SpanKindProducer || attr(&spans[0], "turnstile.instance").AsString() != "i" ||
		attr(&spans[0], "messaging.operation.name").AsString() != "update" {
		t.Errorf("the spans are %+v", spans)
	}
}
