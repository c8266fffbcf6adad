package world

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/fault"
	"github.com/turnstile-go/turnstile/internal/timer"
	"github.com/turnstile-go/turnstile/internal/wire"
)

// simTimer is the timer service as a process sees it.
type simTimer struct {
	timer.Timer
	p *Process
}

// firedStays is how long the service takes to delete a schedule that has fired. Until then it
// creates no other schedule of that name.
const firedStays = time.Minute

func (t simTimer) Schedule(ctx context.Context, s timer.Schedule) error {
	w := t.p.W
	asked := s
	w.Watch.Schedules(t.p, s.Body)
	switch {
	case t.p.Dead:
		return ErrKilled
	case w.hit(fault.TimerLate):
		s.Due = s.Due.Add(w.upToADay(fault.TimerLate))
	}
	err := t.p.call(timerClass, func() string { return fmt.Sprintf("schedules %s for %s", BodyText(s.Body), w.at(asked.Due)) }, func() error {
		if err := asked.Validate(); err != nil {
			return err
		}
		if !asked.Due.After(w.Clock.Now()) {
			return fmt.Errorf("%w (simulated)", timer.ErrPast)
		}
		if !s.Due.After(w.Clock.Now()) {
			s.Due = w.Clock.Now().Add(time.Millisecond)
		}
		if fired, there := w.fired[s.Name]; there && w.Clock.Now().Before(fired.Add(firedStays)) {
			return nil
		}
		w.Ledger.Outside.Scheduled[s.Name] = true
		return t.Timer.Schedule(ctx, s)
	})
	w.Watch.Scheduled(t.p, asked.Name)
	return err
}

func (t simTimer) Cancel(ctx context.Context, name string) error {
	err := t.p.call(timerClass, func() string { return "removes schedule " + name }, func() error {
		t.p.W.Ledger.Outside.Removed[name] = true
		return t.Timer.Cancel(ctx, name)
	})
	t.p.W.Watch.Scheduled(t.p, name)
	return err
}

// longestTry is how long EventBridge Scheduler tries to deliver the message of a schedule (API
// reference, RetryPolicy: MaximumEventAgeInSeconds is 86,400 at most, as in the template).
const longestTry = 24 * time.Hour

// upToADay is mostly at most an hour, and sometimes up to a day.
func (w *World) upToADay(f fault.Kind) time.Duration {
	d := time.Duration(1+w.Choices.IntN(w.How(f), 3600)) * time.Second
	if w.Choices.OneIn(w.How(f), 4) {
		d *= 24
	}
	return min(d, longestTry)
}

// fire delivers the message of a schedule. While the queues are down, the service retries for a day,
// and then drops the message together with its dead letter (Scheduler User Guide, "Configuring a
// dead-letter queue": the metric InvocationsFailedToBeSentToDeadLetterCount, which triggers
// TimersLostAlarm).
func (w *World) fire(s timer.Schedule) error {
	if w.Walk == nil {
		w.fired[s.Name] = w.Clock.Now()
	}
	if over := w.queuesAreBack(); over.After(w.Clock.Now()) {
		if over.Sub(w.Clock.Now()) > longestTry {
			w.losesTimer(s, over)
			return nil
		}
		w.Clock.AfterFunc(over.Sub(w.Clock.Now()), func() { w.delivers(s) })
		return nil
	}
	if w.hit(fault.TimerLost) {
		w.losesTimer(s, w.Clock.Now())
		return nil
	}
	w.delivers(s)
	return nil
}

func (w *World) delivers(s timer.Schedule) {
	if w.hit(fault.TimerFailed) {
		// Its deliveries failed until the service gave up: the message is in the schedule's
		// dead-letter queue, which is the delay queue.
		letter := queue.Outgoing{Body: fmt.Sprintf(`{"MessageBody":%q,"MessageGroupId":%q}`, s.Body, s.Group)}
		w.Firing = append(w.Firing, s.Body)
		w.Clock.AfterFunc(w.upToADay(fault.TimerFailed), func() {
			w.fires(s.Body)
			w.SendAs("a schedule", w.Delay, letter)
		})
		return
	}
	out := queue.Outgoing{Body: s.Body, Group: s.Group}
	if w.hit(fault.TimerTwice) {
		w.Clock.AfterFunc(time.Duration(w.Choices.IntN(w.How(fault.TimerTwice), 600))*time.Second, func() { w.SendAs("a schedule", w.FIFO, out) })
	}
	w.SendAs("a schedule", w.FIFO, out)
}

// fires records that the message of a schedule has been delivered.
func (w *World) fires(body string) {
	at := slices.Index(w.Firing, body)
	w.Firing = slices.Delete(w.Firing, at, at+1)
}

// timerOf returns the instance whose timer holds an item. That is its target, except for the request
// that an instance under a limit sends to the coordinator when its time has come.
func timerOf(item *wire.Item) string {
	var asks struct {
		Instance string `json:"instance"`
	}
	if item.Kind == wire.StartOrchestration && len(item.Events) == 1 && json.Unmarshal(item.Events[0].Data, &asks) == nil && asks.Instance != "" {
		return asks.Instance
	}
	return item.Target()
}

// losesTimer drops the message of a schedule. An alarm fires, and an operator wakes the instance an
// hour after the queues accept messages again, or purges it once more.
func (w *World) losesTimer(s timer.Schedule, back time.Time) {
	item, err := w.Item(s.Body)
	if err != nil {
		w.Violate("world", "what a schedule holds is no item: %v", err)
		return
	}
	w.Log("what the schedule holds is LOST: %s", BodyText(s.Body))
	w.Reached("a timer is lost")
	w.Firing = append(w.Firing, s.Body)
	w.Clock.AfterFunc(back.Sub(w.Clock.Now())+time.Hour, func() {
		w.fires(s.Body)
		remedy := wire.Item{Kind: wire.Wake, Instance: timerOf(item), ID: "after-loss-" + s.Name}
		if item.Kind == wire.PurgeInstance {
			remedy.Kind = wire.PurgeInstance
		}
		w.SendItem(remedy)
	})
}
