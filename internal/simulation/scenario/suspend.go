package scenario

import (
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// suspends lets clients suspend an instance and resume it, some time after it is started;
// together: at the time at which its events come. A resume may be missing, come twice, or
// ahead of its suspend: an operator resumes what stays suspended.
func (s *Random) suspends(w *world.World, instance string, after, together time.Duration) {
	how := w.Choices.At(w.Choices.At(choice.OfClient, instance), "suspend")
	for i := range w.Suspends(how) {
		at := time.Duration(w.Choices.IntN(how, 120)) * time.Second
		switch {
		case w.Choices.Even(how):
			at *= 60
		case together >= 0 && w.Choices.Even(how):
			at = together
		}
		suspend := wire.Item{Kind: wire.SuspendInstance, Instance: instance, ID: fmt.Sprintf("suspend-%d", i), Reason: fmt.Sprintf("reason %d", i)}
		resume := wire.Item{Kind: wire.ResumeInstance, Instance: instance, ID: fmt.Sprintf("resume-%d", i)}
		for n := range 1 + w.Choices.IntN(how, 2) {
			w.Clock.AfterFunc(after+at+time.Duration(n*w.Choices.IntN(how, 3600))*time.Second, func() { w.SendItem(suspend) })
		}
		if w.Choices.OneIn(how, 3) {
			continue
		}
		pause := []time.Duration{0, time.Second, time.Minute}[w.Choices.IntN(how, 3)] * time.Duration(w.Choices.IntN(how, 60))
		for n := range 1 + w.Choices.IntN(how, 2) {
			w.Clock.AfterFunc(after+at+pause+time.Duration(n*w.Choices.IntN(how, 3600))*time.Second, func() { w.SendItem(resume) })
		}
	}
}
