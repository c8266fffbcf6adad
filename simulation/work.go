package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/turnstile-go/turnstile/activity"
	"github.com/turnstile-go/turnstile/simulation/choice"
	"github.com/turnstile-go/turnstile/simulation/program"
)

// finalError is one behind which no attempt follows.
type finalError struct{ error }

func isFinal(err error) bool {
	var f finalError
	return errors.As(err, &f)
}

// laterError asks for the next attempt after hours: more than a queue can wait.
type laterError struct{ error }

// RetryDelay implements activity.Delayer.
func (laterError) RetryDelay() time.Duration { return 2 * time.Hour }

// work is the activity of the programs.
func (p *process) work(ctx context.Context, input []byte) ([]byte, error) {
	if p.dead {
		return nil, errKilled
	}
	in, err := p.w.readWork(input)
	if err != nil {
		return nil, err
	}
	info, _ := activity.InfoFrom(ctx)
	if p.w.tracing {
		p.w.log("%s runs %s of %s/%d event %d, attempt %d delivery %d", p.name, in.Result(), info.Instance, info.ExecutionID, info.EventID, info.Attempt, info.Delivery)
	}
	p.w.watch.attemptBegins(p, &in, &info)
	if err := p.goesAbout(ctx, &in, &info); err != nil {
		return nil, err
	}
	switch {
	case in.Do == program.DoesDie:
		p.die("its activity kills it")
		return nil, errKilled
	case in.Do == program.DoesPending || in.Do == program.DoesNever:
		p.w.handOut(&in, &info)
		return nil, activity.ErrPending
	case info.Attempt <= in.Fails:
		return nil, p.fails(ctx, &in, &info)
	case info.Inline:
		// Each run has a result of its own, so that it shows if the code has
		// seen another than history has.
		p.w.ledger.outside.runs++
		return fmt.Appendf(nil, `"%s#%d"`, in.Result(), p.w.ledger.outside.runs), nil
	}
	return fmt.Appendf(nil, `"%s"`, in.Result()), nil
}

// readWork reads the input of an activity; all attempts of one have the same.
func (w *World) readWork(input []byte) (in program.Work, err error) {
	in, ok := w.works[string(input)]
	if !ok {
		if err = json.Unmarshal(input, &in); err == nil {
			note(&w.works, string(input), in)
		}
	}
	return in, err
}

// goesAbout takes the time that the work takes.
func (p *process) goesAbout(ctx context.Context, in *program.Work, info *activity.Info) error {
	err := p.takeTime(ctx, info.Instance)
	if err == nil && in.Do != program.DoesBeat && in.Do != program.DoesSilent {
		err = p.takes(ctx, p.longWork(info.Instance))
	}
	if err != nil || in.Do != program.DoesBeat && in.Do != program.DoesSilent {
		return err
	}
	// Mostly seconds; at times longer than its message would be hidden without
	// a heartbeat.
	at := p.w.choices.At(choice.OfDelivery, info.Instance)
	left := time.Duration(p.w.choices.IntN(at, 8)) * time.Second
	if p.w.choices.OneIn(at, 4) {
		left *= 10
	}
	for n := 1; left > 0; n++ {
		_ = activity.Beat(ctx, fmt.Appendf(nil, `"hidden %d of attempt %d"`, n, info.Attempt))
		p.w.watch.hasBeaten(ctx, p, info)
		if p.dead {
			return errKilled
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.pause(min(left, 6*time.Second))
		left -= 6 * time.Second
	}
	if p.dead {
		return errKilled
	}
	return ctx.Err()
}

// fails is how an attempt does.
func (p *process) fails(ctx context.Context, in *program.Work, info *activity.Info) error {
	err := fmt.Errorf("attempt %d fails, as it has to", info.Attempt)
	switch in.Do {
	case program.DoesSilent:
		for ctx.Err() == nil && !p.dead {
			p.pause(5 * time.Second)
		}
		if p.dead {
			return errKilled
		}
		return ctx.Err()
	case program.DoesLater:
		return laterError{err}
	case program.DoesFinally:
		p.w.watch.failsFinally(p, info)
		return finalError{err}
	}
	return err
}
