package scenario

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// near makes the input of a root as long as its limit, in a run with nearLimits, and makes a
// service that does not use our client send a start and an event that are one byte longer. A client
// would refuse these at the call.
func (s *Random) near(w *world.World, start *wire.Item) {
	limits, near := w.NearLimits()
	if !near {
		return
	}
	at := w.Choices.At(choice.OfClient, "near "+start.Instance)
	start.Input = program.Padded(start.Input, []int{0, limits.Payload - 1, limits.Payload}[w.Choices.IntN(at, 3)])
	long := fmt.Appendf(nil, "%q", strings.Repeat("x", limits.Payload-1))
	event := wire.Item{Kind: wire.ExternalRaised, Instance: start.Instance, Name: program.EventName(0), ID: "too-long", Data: long}
	other := wire.Item{Kind: wire.StartOrchestration, Instance: "too long " + start.Instance, Name: start.Name, ID: "too-long", Input: bytes.Clone(long)}
	for _, item := range []wire.Item{event, other} {
		if w.Choices.Even(at) {
			w.Clock.AfterFunc(time.Duration(w.Choices.IntN(at, 3600))*time.Second, func() { w.SendItem(item) })
		}
	}
}

// length makes the text of an event as long as its limit.
func (s *Random) length(w *world.World, payload string) string {
	limits, near := w.NearLimits()
	if !near {
		return payload
	}
	length := []int{0, 0, 0, limits.Payload - 1, limits.Payload}[w.Choices.IntN(w.Choices.At(choice.OfClient, "near "+payload), 5)]
	long := payload + strings.Repeat(".", max(length-len(payload)-len(`""`), 0))
	s.sent[long] = s.sent[payload]
	return long
}
