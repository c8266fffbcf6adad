package demo

import (
	"context"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/deadletter"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/queue/memory"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// Stand is a clock whose time does not change.
type Stand struct{ At time.Time }

// Now returns the time at which it stands.
func (s *Stand) Now() time.Time { return s.At }

// AfterFunc never calls f.
func (*Stand) AfterFunc(time.Duration, func()) (stop func() bool) { return func() bool { return true } }

// Token is in a dead letter; a page must not show it.
const Token = "00112233445566778899aabbccddeeff"

// DeadLetters returns queues with dead letters of every kind, as of a time.
func DeadLetters(now time.Time) (deadletter.Queues, error) {
	clock := &Stand{}
	all := deadletter.Queues{}
	for _, name := range append(deadletter.Sources(), deadletter.Final()...) {
		q, err := memory.New(memory.Options{Name: name, FIFO: name == deadletter.Orchestrator || name == deadletter.DeadFIFO, Clock: clock})
		if err != nil {
			return nil, err
		}
		all[name] = q
	}
	why := func(r wire.Reason, text string) map[string]string {
		return map[string]string{wire.ReasonAttribute: r.Attribute(text), "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
	}
	for _, l := range []struct {
		queue string
		ago   time.Duration
		out   queue.Outgoing
	}{
		{deadletter.DeadFIFO, 26 * time.Hour, queue.Outgoing{Group: "order-200", Body: `{"v":1,"kind":"ExternalRaised","instance":"order-200","id":"mail-1","name":"approved","data":{"by":"Grace","approved":true}}`,
			Attributes: why(wire.ReasonUnknownInstance, `event "approved" for instance "order-200", which was not started within 15m0s; redrive it after the start`)}},
		{deadletter.DeadFIFO, 2 * time.Hour, queue.Outgoing{Group: "g", Body: "<script>document.title='owned'</script> user\u202enimda\u202c &lt;b&gt;",
			Attributes: why(wire.ReasonMalformed, "it is not a JSON object")}},
		{deadletter.DeadFIFO, 90 * time.Minute, queue.Outgoing{Group: Waiting, Body: `{"kind":"Wake","instance":"` + Waiting + `"}`}},
		{deadletter.DeadFIFO, 40 * time.Minute, queue.Outgoing{Group: "order-7", Body: `{"v":1,"kind":"ExternalRaised","instance":"order-7","id":"m","name":"approved","data":"` + strings.Repeat("x", 20_000) + `"}`,
			Attributes: why(wire.ReasonInvalidField, "data: approved takes an object")}},
		{deadletter.Dead, 35 * time.Minute, queue.Outgoing{Body: `{"v":1,"kind":"ActivityExecute","instance":"order-9","execution_id":1,"scheduling_event_id":4,"name":"Charge","token":"` + Token + `","attempt":2}`}},
		{deadletter.Dead, 30 * time.Minute, queue.Outgoing{Body: `{"MessageBody":"{\"v\":1,\"kind\":\"TimerFired\",\"instance\":\"order-9\",\"execution_id\":1,\"source_event_id\":5,\"fire_at_ms\":1,\"token\":\"` + Token + `\"}","QueueUrl":"https://q"}`,
			Attributes: why(wire.ReasonForged, "its token does not match event 5")}},
		{deadletter.Dead, 3 * time.Minute, queue.Outgoing{Body: `{"v":9,"kind":"Tomorrow"}`, Attributes: why(wire.ReasonUnknownVersion, "wire: unknown_version: version 9")}},
	} {
		clock.At = now.Add(-l.ago)
		if err := all[l.queue].Send(context.Background(), l.out); err != nil {
			return nil, err
		}
	}
	clock.At = now
	return all, nil
}

// queuesOf reports the fill levels of queues in memory.
type queuesOf deadletter.Queues

// Queues implements console.QueueReader.
func (all queuesOf) Queues(context.Context) ([]api.Queue, error) {
	var out []api.Queue
	for i, name := range append(deadletter.Sources(), deadletter.Final()...) {
		q := all[name].(*memory.Queue)
		n := q.Counts()
		out = append(out, api.Queue{Name: name, FIFO: q.FIFO(), DeadLetters: i >= len(deadletter.Sources()), Visible: n.Visible, InFlight: n.InFlight, Delayed: n.Delayed})
	}
	return out, nil
}

// QueueAges implements console.QueueAger.
func (all queuesOf) QueueAges(context.Context) ([]api.QueueAge, error) {
	var out []api.QueueAge
	for _, name := range append(deadletter.Sources(), deadletter.Final()...) {
		age := api.QueueAge{Name: name}
		for _, m := range all[name].(*memory.Queue).Snapshot() {
			age.OldestSeconds = max(age.OldestSeconds, Epoch.Add(Span).Sub(m.SentAt).Seconds())
			age.At = Epoch.Add(Span)
		}
		out = append(out, age)
	}
	return out, nil
}
