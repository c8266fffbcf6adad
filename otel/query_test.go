package otel_test

import (
	"errors"
	"testing"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/turnstiletest"
)

// A query has a span of the client, and inside it one of the process that answers.
func TestAQueryAndItsAnswerAreSpansOfOneTrace(t *testing.T) {
	t.Parallel()
	asking, answering := newProcess(t, "client"), newProcess(t, "queries")
	flow, left := turnstile.NewOrchestration[int, string]("Flow"), turnstile.NewQuery[int, string]("left")
	env := turnstiletest.New(t, turnstile.NewApp(answering.tel.Interceptor(), flow.Implement(func(ctx turnstile.Context, _ int) (string, error) {
		left.Handle(ctx, func(n int) (string, error) {
			if n < 0 {
				return "", errors.New("no secret today")
			}
			return "secret", nil
		})
		return approved.Wait(ctx)
	})))
	turnstiletest.Start(env, flow, 1, client.WithInstanceID("i"))
	env.Run()
	c := env.Client().WithInterceptors(asking.tel.Interceptor())
	for n, want := range map[int]codes.Code{1: codes.Unset, -1: codes.Error} {
		asking.spans.Reset()
		answering.spans.Reset()
		if _, err := client.Query(t.Context(), c, left, "i", n); (err == nil) != (want == codes.Unset) {
			t.Fatal(err)
		}
		out, in := asking.spans.GetSpans(), answering.spans.GetSpans()
		if len(out) != 1 || len(in) != 1 {
			t.Fatalf("%d: %d spans of the client, %d of the answer", n, len(out), len(in))
		}
		is := func(s *tracetest.SpanStub, name string, kind trace.SpanKind) {
			t.Helper()
			if s.Name != name || s.SpanKind != kind || attr(s, "turnstile.query").AsString() != "left" || attr(s, "turnstile.instance").AsString() != "i" || s.Status.Code != want || want == codes.Error && attr(s, "error.type").AsString() != "failed" {
				t.Errorf("%d: it is %+v", n, s)
			}
		}
		is(&out[0], "query left", trace.SpanKindClient)
		is(&in[0], "answer left", trace.SpanKindServer)
		if in[0].Parent.SpanID() != out[0].SpanContext.SpanID() || in[0].SpanContext.TraceID() != out[0].SpanContext.TraceID() {
			t.Errorf("%d: the answer is in %v, the query is %v", n, in[0].Parent, out[0].SpanContext)
		}
	}
}
