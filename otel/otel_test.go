package otel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/otel"
)

var (
	charge   = turnstile.NewActivity[string, string]("Charge").With(turnstile.Retry(turnstile.RetryPolicy{MaxAttempts: 3, InitialInterval: time.Second}))
	tax      = turnstile.NewActivity[string, string]("Tax")
	ship     = turnstile.NewOrchestration[string, string]("Ship")
	fulfil   = turnstile.NewOrchestration[int, string]("Fulfil")
	approved = turnstile.NewEvent[string]("approved")
)

// parts returns an application with several turns, a retry, an inline activity, a timer, a child,
// an event and two executions. "secret" is part of all its payloads.
func parts() []turnstile.Component {
	return []turnstile.Component{
		charge.Implement(func(ctx context.Context, _ string) (string, error) {
			if turnstile.ActivityInfo(ctx).Number == 1 {
				return "", turnstile.WithCode(errors.New("no secret today"), "busy")
			}
			return "secret receipt", nil
		}),
		tax.Implement(func(context.Context, string) (string, error) { return "secret tax", nil }),
		ship.Implement(func(ctx turnstile.Context, what string) (string, error) { return charge.Call(ctx, what) }),
		fulfil.Implement(func(ctx turnstile.Context, round int) (string, error) {
			if _, err := charge.Call(ctx, "secret order"); err != nil {
				return "", err
			}
			if _, err := tax.Inline(ctx, "secret order"); err != nil {
				return "", err
			}
			if err := turnstile.Sleep(ctx.WithLabel("grace period"), time.Minute); err != nil {
				return "", err
			}
			if _, err := ship.Call(ctx, "secret goods"); err != nil {
				return "", err
			}
			if round == 0 {
				return "", fulfil.ContinueAsNew(ctx, 1)
			}
			return approved.Wait(ctx)
		}),
	}
}

// ran has all spans of a run of the application.
func ran(t *testing.T, lost func(int) bool) (*world, []tracetest.SpanStub) {
	t.Helper()
	w := newWorld(t, parts)
	w.lost = lost
	run, err := client.Start(t.Context(), w.client, fulfil, 0, client.WithInstanceID("order-17"))
	if err != nil {
		t.Fatal(err)
	}
	w.run()
	if err := client.Raise(t.Context(), w.client, approved, "order-17", "secret word"); err != nil {
		t.Fatal(err)
	}
	w.run()
	if d, err := run.Describe(t.Context()); err != nil || d.Status != client.StatusCompleted {
		t.Fatalf("the instance is %+v, %v", d, err)
	}
	var all []tracetest.SpanStub
	for _, p := range w.all {
		all = append(all, p.spans.GetSpans()...)
	}
	return w, all
}

func attr(s *tracetest.SpanStub, key string) attribute.Value {
	for _, a := range s.Attributes {
		if string(a.Key) == key {
			return a.Value
		}
	}
	return attribute.Value{}
}

func TestTheSpansOfARunOverSeveralProcesses(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]func(int) bool{
		"each batch once":                      nil,
		"answers are lost, batches come again": func(batch int) bool { return batch%3 == 0 && batch < 40 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, spans := ran(t, lost)
			byID := map[trace.SpanID]*tracetest.SpanStub{}
			count := map[string]int{}
			for i := range spans {
				s := &spans[i]
				if byID[s.SpanContext.SpanID()] != nil {
					t.Errorf("two spans have one id: %s", s.Name)
				}
				byID[s.SpanContext.SpanID()] = s
				count[s.Name]++
			}
			for what, want := range map[string]int{"start Fulfil": 1, "raise approved": 1, "attempt Charge": 8, "attempt Tax": 2} {
				if count[what] != want {
					t.Errorf("%d spans %q, want %d: %v", count[what], what, want, count)
				}
			}
			if count["turn"] < 14 {
				t.Errorf("%d turns", count["turn"])
			}
			linked := map[trace.SpanID]bool{}
			for i := range spans {
				s := &spans[i]
				for _, l := range s.Links {
					to := byID[l.SpanContext.SpanID()]
					if to == nil || to.SpanContext.TraceID() != l.SpanContext.TraceID() {
						t.Errorf("a link of %s (event %d, %v) leads nowhere", s.Name, attr(s, "turnstile.event_id").AsInt64(), l.Attributes)
						continue
					}
					linked[l.SpanContext.SpanID()] = true
				}
				switch {
				case s.Name == "turn":
					if s.Parent.IsValid() {
						t.Errorf("a turn has a parent")
					}
					if len(s.Links) == 0 {
						t.Errorf("the turn at event %d of %s/%d has no link", attr(s, "turnstile.event_id").AsInt64(), attr(s, "turnstile.instance").AsString(), attr(s, "turnstile.execution_id").AsInt64())
					}
					if attr(s, "messaging.system").AsString() != "aws_sqs" || attr(s, "faas.invocation_id").AsString() == "" || s.SpanKind != trace.SpanKindConsumer {
						t.Errorf("a turn has the attributes %v", s.Attributes)
					}
				case s.Name == "attempt Charge":
					if parent := byID[s.Parent.SpanID()]; parent == nil || parent.Name != "turn" || parent.SpanContext.TraceID() != s.SpanContext.TraceID() {
						t.Errorf("an attempt is not in the trace of a turn")
					}
					if first := attr(s, "turnstile.attempt").AsInt64() == 1; first != (s.Status.Code == codes.Error) || first != (attr(s, "turnstile.code").AsString() == "busy") {
						t.Errorf("an attempt has %v, %v", s.Status, s.Attributes)
					}
				}
			}
			// The turn that starts a labelled operation has the label, once in each execution.
			labelled := 0
			for i := range spans {
				switch labels := attr(&spans[i], "turnstile.labels").AsStringSlice(); {
				case slices.Equal(labels, []string{"grace period"}) && spans[i].Name == "turn":
					labelled++
				case len(labels) > 0:
					t.Errorf("%s has the labels %q", spans[i].Name, labels)
				}
			}
			if labelled != 2 {
				t.Errorf("%d turns have the label of their timer, want 2", labelled)
			}
			// The turn that receives a result has a link to the span of the operation.
			for id, s := range byID {
				last := s.Name == "attempt Charge" && attr(s, "turnstile.attempt").AsInt64() == 2
				if (last || s.Name == "attempt Tax" || s.SpanKind == trace.SpanKindProducer) && !linked[id] {
					t.Errorf("nothing leads to %s (event %d)", s.Name, attr(s, "turnstile.event_id").AsInt64())
				}
			}
			// Spans contain neither payloads nor error texts.
			for i := range spans {
				text := spans[i].Name + spans[i].Status.Description
				for _, a := range spans[i].Attributes {
					text += string(a.Key) + a.Value.String()
				}
				if strings.Contains(text, "secret") {
					t.Errorf("a payload is in %s: %v", spans[i].Name, spans[i].Attributes)
				}
			}
			// Traces are short: the longest has a turn and the operations that it started.
			sizes := map[trace.TraceID]int{}
			for i := range spans {
				sizes[spans[i].SpanContext.TraceID()]++
			}
			for id, n := range sizes {
				if n > 3 {
					t.Errorf("trace %s has %d spans", id, n)
				}
			}
			for _, p := range w.all[1:] {
				if len(p.spans.GetSpans()) == 0 {
					t.Errorf("%s made no span", p.name)
				}
			}
		})
	}
}

func TestTheMetricsOfARun(t *testing.T) {
	t.Parallel()
	w, _ := ran(t, nil)
	seen := map[string]int64{}
	for _, p := range w.all {
		var data metricdata.ResourceMetrics
		if err := p.metrics.Collect(t.Context(), &data); err != nil {
			t.Fatal(err)
		}
		for _, scope := range data.ScopeMetrics {
			for _, m := range scope.Metrics {
				switch d := m.Data.(type) {
				case metricdata.Sum[int64]:
					for _, point := range d.DataPoints {
						seen[m.Name] += point.Value
					}
				case metricdata.Histogram[float64]:
					for _, point := range d.DataPoints {
						seen[m.Name] += int64(point.Count)
					}
				}
			}
		}
	}
	if seen["turnstile.attempts"] != 10 || seen["turnstile.turns"] < 14 {
		t.Errorf("counted %v", seen)
	}
	for _, name := range []string{"turnstile.messages", "turnstile.cache", "turnstile.turn.duration", "turnstile.commit.duration", "turnstile.attempt.duration", "turnstile.message.age"} {
		if seen[name] == 0 {
			t.Errorf("nothing is told of %s: %v", name, seen)
		}
	}
}

func TestAProviderWithoutTheIDGeneratorIsRejected(t *testing.T) {
	t.Parallel()
	_, err := otel.New(otel.Config{TracerProvider: sdktrace.NewTracerProvider()})
	if err == nil || !strings.Contains(err.Error(), "WithIDGenerator") {
		t.Errorf("%v", err)
	}
	if _, err := otel.New(otel.Config{}); err != nil {
		t.Error(err)
	}
}

// A start whose headers leave no room for the trace is sent without it.
func TestATraceIsLeftOutIfHeadersNeedItsRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, parts)
	headers := map[string]string{}
	for i := range 16 {
		headers[fmt.Sprintf("h%d", i)] = "v"
	}
	for _, n := range []int{16, 15} {
		if n < len(headers) {
			delete(headers, "h0")
		}
		id := fmt.Sprintf("with-%d", n)
		if _, err := w.client.Start(t.Context(), client.StartRequest{Name: fulfil.Name(), Instance: id, Input: []byte("0"), Headers: headers}); err != nil {
			t.Fatalf("a start with %d headers: %v", n, err)
		}
		w.run()
		events, err := w.client.History(t.Context(), id, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(events[0].Start.Headers); got != 16 {
			t.Errorf("a start with %d headers has %d", n, got)
		}
	}
}
