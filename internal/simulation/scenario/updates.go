package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// update is an update that clients have sent.
type update struct{ instance, id string }

// update lets clients update an instance, which starts after some time. Each caller may send the update again
// under its id, at once or days later, and callers read the answer from time to time.
func (s *Random) update(w *world.World, instance string, p *program.Program, after time.Duration) {
	if p.Updates == nil {
		return
	}
	how := w.Choices.At(w.Choices.At(choice.OfClient, instance), "updates")
	together := time.Duration(-1)
	if w.Choices.OneIn(how, 3) {
		together = time.Duration(w.Choices.IntN(how, 120)) * time.Second
	}
	for range 1 + w.Choices.IntN(how, 4) {
		u := update{instance, fmt.Sprintf("update-%d", len(s.updates))}
		s.updates = append(s.updates, u)
		in := program.DrawUpdate(&w.Choices, how, u.id)
		data, _ := json.Marshal(in)
		if w.Choices.OneIn(how, 12) {
			data = fmt.Appendf(nil, `"hidden no input of %s"`, u.id)
		}
		item := wire.Item{Kind: wire.ExternalRaised, Instance: instance, Name: history.UpdatePrefix + program.UpdateName(w.Choices.IntN(how, 2)), ID: u.id, Data: data}
		at := together
		if at < 0 {
			at = time.Duration(w.Choices.IntN(how, 120)) * time.Second
			if w.Choices.OneIn(how, 3) {
				at *= 60
			}
		}
		at += after
		if w.Choices.OneIn(how, 5) {
			item.ExpiresAtMS = w.Clock.Now().Add(at + time.Duration(w.Choices.IntN(how, 60))*time.Second).UnixMilli()
		}
		if w.Tracing {
			w.Log("a client will update %s in %s: %s", instance, at, in)
		}
		careful := w.Choices.Even(how)
		send := func() {
			if last := w.Ledger.Last[instance]; careful && (last == 0 || w.Ledger.Hidden[instance] >= last || w.Ledger.Ended(instance)) {
				return // It has read the record.
			}
			w.SendItem(item)
		}
		w.Clock.AfterFunc(at, send)
		for range w.Choices.IntN(how, 4) {
			w.Clock.AfterFunc(at+s.span(w, how), send)
		}
		for range w.Choices.IntN(how, 5) {
			w.Clock.AfterFunc(at+s.span(w, how), func() { s.reads(w, u) })
		}
	}
}

// span returns a time between two calls of a caller.
func (s *Random) span(w *world.World, at choice.Spot) time.Duration {
	return time.Duration(w.Choices.IntN(at, 60)) * []time.Duration{100 * time.Millisecond, time.Second, time.Minute, time.Hour}[w.Choices.IntN(at, 4)]
}

// client returns the client with which callers read.
func (s *Random) client(w *world.World, from store.Store) *client.Client {
	// A client that is told of changes does not pause between two reads: nothing else runs meanwhile.
	changed := func(string) <-chan struct{} { return nil }
	c, err := client.New(client.Config{Store: from, Queue: w.FIFO.Queue, Codecs: w.Encoding.World, Clock: w.Clock, Changed: changed})
	if err != nil {
		panic(err)
	}
	return c
}

// reads lets a caller read how far its update has come. What it reads never goes back within a run.
func (s *Random) reads(w *world.World, u update) {
	if s.callers == nil {
		s.callers = s.client(w, w.ForCallers())
	}
	now, err := s.callers.UpdateStatus(context.Background(), u.instance, u.id)
	if w.Tracing {
		w.Log("a caller reads that update %s of %s is %s (event %d of execution %d): %v", u.id, u.instance, now.Stage, now.EventID, now.ExecutionID, err)
	}
	if err != nil {
		return
	}
	r, err := w.Describe(u.instance)
	if err != nil {
		return
	}
	s.follows(w, store.AnswerKey{Instance: u.instance, StartID: r.StartID, ID: u.id}, now)
}

// follows checks that a status does not contradict the one that was read before.
func (s *Random) follows(w *world.World, key store.AnswerKey, now client.UpdateStatus) {
	was, known := s.stages[key]
	w.Reached("update, reads " + string(now.Stage))
	order := func(u *client.UpdateStatus) int {
		switch {
		case u.Stage == client.UpdateSent:
			return 0
		case u.Stage == client.UpdateAccepted:
			return 1
		}
		return 2
	}
	later := now.ExecutionID > was.ExecutionID || now.ExecutionID == was.ExecutionID && now.EventID > was.EventID
	same := now.ExecutionID == was.ExecutionID && now.EventID == was.EventID
	switch {
	case !known:
	case was.Stage == client.UpdateUnfinished && later:
		// A redrive runs the handler to its end.
	case order(&now) < order(&was):
		w.Violate("update", "a caller reads that update %s of %s is %s (%d of execution %d); before, it was %s (%d of execution %d)",
			key.ID, key.Instance, now.Stage, now.EventID, now.ExecutionID, was.Stage, was.EventID, was.ExecutionID)
	case order(&was) == 2 && (now.Stage != was.Stage || !same || string(now.Output) != string(was.Output)):
		w.Violate("update", "a caller reads another answer to update %s of %s: %s %s, and before %s %s", key.ID, key.Instance, now.Stage, now.Output, was.Stage, was.Output)
	}
	note(&s.stages, key, now)
}

// checkUpdates checks at the end of a run that no caller waits for an answer that cannot come.
func (s *Random) checkUpdates(w *world.World) {
	if len(s.updates) == 0 {
		return
	}
	c := s.client(w, w.Store)
	for _, u := range s.updates {
		if w.Ledger.Forsaken[u.instance] {
			continue
		}
		r, err := w.Describe(u.instance)
		if err != nil || !r.Status.Terminal() {
			continue // It never existed, or waits because of its scenario.
		}
		now, err := c.UpdateStatus(context.Background(), u.instance, u.id)
		ended, _ := errors.AsType[*client.EndedError](err)
		purged, _ := errors.AsType[*client.PurgedError](err)
		switch {
		case ended != nil || purged != nil || errors.Is(err, client.ErrNotFound):
			w.Reached("update, not decided")
		case err != nil:
			w.Violate("update", "update %s of %s, which has ended, cannot be read: %v", u.id, u.instance, err)
		case !now.Stage.Answered():
			w.Violate("update", "update %s of %s, which has ended, is %s", u.id, u.instance, now.Stage)
		default:
			s.follows(w, store.AnswerKey{Instance: u.instance, StartID: r.StartID, ID: u.id}, now)
		}
	}
}
