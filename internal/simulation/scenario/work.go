package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/choice"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/internal/simulation/world"
	"github.com/turnstile-go/turnstile/store"
)

// finalError is an error after which no attempt follows.
type finalError struct{ error }

func isFinal(err error) bool {
	var f finalError
	return errors.As(err, &f)
}

// laterError requests the next attempt after hours: more than a queue can delay.
type laterError struct{ error }

// RetryDelay implements marks.Delayer.
func (laterError) RetryDelay() time.Duration { return 2 * time.Hour }

// work is the activity of the programs.
func (s *Random) work(ctx context.Context, p *world.Process, input []byte) ([]byte, error) {
	if p.Dead {
		return nil, world.ErrKilled
	}
	in, err := s.readWork(input)
	if err != nil {
		return nil, err
	}
	info, _ := activities.InfoFrom(ctx)
	if s.limits != nil {
		s.limits.runs(p, &info)
	}
	if p.W.Tracing {
		p.W.Log("%s runs %s of %s/%d event %d, attempt %d delivery %d", p.Name, in.Result(), info.Instance, info.ExecutionID, info.EventID, info.Number, info.Delivery)
	}
	p.W.Watch.AttemptStarts(p, &in, &info)
	defer p.W.Watch.AttemptEnds(p, &info)
	if err := goesAbout(ctx, p, &in, &info); err != nil {
		return nil, err
	}
	switch {
	case in.Do == program.DoesDie:
		p.Die("its activity kills it")
		return nil, world.ErrKilled
	case in.Do == program.DoesPending || in.Do == program.DoesNever:
		handOut(p.W, &in, &info)
		return nil, activities.ErrPending
	case info.Number <= in.Fails:
		return nil, fails(ctx, p, &in, &info)
	}
	result := fmt.Appendf(nil, `"%s"`, in.Result())
	if info.Inline {
		// Each run has a result of its own, so that a difference between what the code saw
		// and what the history has is visible.
		s.runs++
		result = fmt.Appendf(nil, `"%s#%d"`, in.Result(), s.runs)
	}
	result, large := p.W.Sized(keyOf(&info), result)
	if large && !info.Inline {
		p.W.Watch.FailsFinally(p, &info)
	}
	return result, nil
}

// readWork parses the input of an activity, which is the same for all its attempts.
func (s *Random) readWork(input []byte) (in program.Work, err error) {
	in, ok := s.works[string(input)]
	if !ok {
		if err = json.Unmarshal(input, &in); err == nil {
			note(&s.works, string(input), in)
		}
	}
	return in, err
}

// goesAbout waits for as long as the work takes.
func goesAbout(ctx context.Context, p *world.Process, in *program.Work, info *activities.Info) error {
	err := p.TakeTime(ctx, info.Instance)
	if err == nil && in.Do != program.DoesBeat && in.Do != program.DoesSilent {
		err = p.Takes(ctx, p.LongWork(info.Instance)+p.WorksUnderLimit(info.Instance, in.Do == program.DoesOnce)+p.WorksAmongOthers(info.Instance))
	}
	if err != nil || in.Do != program.DoesBeat && in.Do != program.DoesSilent {
		return err
	}
	// Mostly seconds; sometimes longer than its message would be hidden without a
	// heartbeat.
	at := p.W.Choices.At(choice.OfDelivery, info.Instance)
	left := time.Duration(p.W.Choices.IntN(at, 8)) * time.Second
	if p.W.Choices.OneIn(at, 4) {
		left *= 10
	}
	for n := 1; left > 0; n++ {
		_ = activities.Beat(ctx, fmt.Appendf(nil, `"hidden %d of attempt %d"`, n, info.Number))
		p.W.Watch.HasBeaten(ctx, p, info)
		if p.Dead {
			return world.ErrKilled
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.Pause(min(left, 6*time.Second))
		left -= 6 * time.Second
	}
	if p.Dead {
		return world.ErrKilled
	}
	return ctx.Err()
}

// fails decides whether and how an attempt fails.
func fails(ctx context.Context, p *world.Process, in *program.Work, info *activities.Info) error {
	err := fmt.Errorf("attempt %d fails, as it has to", info.Number)
	switch in.Do {
	case program.DoesSilent:
		for ctx.Err() == nil && !p.Dead {
			p.Pause(5 * time.Second)
		}
		if p.Dead {
			return world.ErrKilled
		}
		return ctx.Err()
	case program.DoesLater:
		later := laterError{err}
		if ctx.Err() == nil { // Otherwise it counts as out of time, and its policy decides.
			p.W.Watch.AsksToWait(p, info, later.RetryDelay())
		}
		return later
	case program.DoesFinally:
		p.W.Watch.FailsFinally(p, info)
		return finalError{err}
	}
	return err
}

func keyOf(info *activities.Info) store.ActivityKey {
	return store.ActivityKey{Instance: info.Instance, ExecutionID: info.ExecutionID, EventID: info.EventID}
}
