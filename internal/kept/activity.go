package kept

import (
	"encoding/json"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
)

// work is the input of an activity.
type work struct {
	ID      int    `json:"hidden"`
	Round   int    `json:"round"`
	I       int    `json:"i"`
	Fails   int    `json:"fails,omitempty"`
	Do      string `json:"do,omitempty"`
	Most    int    `json:"most,omitempty"`
	Refused bool   `json:"refused,omitempty"`
	Version string `json:"version,omitempty"`
}

// activity returns the i-th activity of a statement.
func (r *interpreter) activity(s *Statement, i int) engine.ActivityCall {
	input, _ := json.Marshal(work{ID: s.ID, Version: r.version, Round: r.round, I: i, Fails: s.failures(i), Do: s.doing(),
		Most: max(s.Attempts, 1), Refused: s.Do == "pending" && s.Fails > 0})
	call := engine.ActivityCall{Name: "work", Input: input, Inline: s.Do == "inline", Retry: s.policy()}
	if s.Attempts > 1 {
		if call.Retry == nil {
			call.Retry = &history.Retry{}
		}
		call.Retry.MaxAttempts, call.Retry.InitialMS = s.Attempts, 1500
		switch s.Do {
		case "inline":
			call.Retry.InitialMS = 0
		case "steps":
			call.Retry.InitialMS = 5000
		}
	}
	return call
}

// doing returns the work mode of a statement's activities.
func (s *Statement) doing() string {
	switch s.Do {
	case "policy":
		return []string{"", "later", "finally"}[s.N]
	case "beat":
		return []string{"beat", "silent", "beat"}[s.N]
	case "once":
		return "once"
	case "deadly":
		return "die"
	case "pending":
		return []string{"pending", "pending", "never"}[s.N]
	}
	return ""
}

// failures returns how often the i-th activity of a statement fails before it succeeds.
func (s *Statement) failures(i int) int {
	switch s.Do {
	case "settle", "any", "as completed":
		if i == 0 {
			return 0
		}
	case "steps":
		if i > 0 {
			return 0
		}
	case "saga":
		if i != s.N {
			return 0
		}
	case "pending":
		return 0
	}
	return s.Fails
}

// policy returns the retry policy of a statement's activities, without the attempts; nil for none.
func (s *Statement) policy() *history.Retry {
	switch {
	case s.Do == "policy" && s.N == 0:
		return &history.Retry{TotalTimeoutMS: 40_000, Coefficient: 10}
	case s.Do == "beat":
		return &history.Retry{HeartbeatTimeoutMS: 15_000}
	case s.Do == "once":
		return &history.Retry{AtMostOnce: true}
	case s.Do == "pending" && s.N > 0:
		r := &history.Retry{TotalTimeoutMS: s.MS + 40_000}
		if s.Attempts > 1 {
			r.HeartbeatTimeoutMS = 30_000
		}
		return r
	case s.Do == "steps":
		return &history.Retry{Batch: s.Attempts}
	}
	return nil
}

// steps runs inline activities one after another.
func (r *interpreter) steps(ctx *engine.Context, s *Statement) (token, error) {
	var sub []token
	for i := range s.N + 2 {
		v, err := got(ctx.Inline(r.activity(s, i)))
		if err != nil {
			return token{}, err
		}
		sub = append(sub, token{K: "act", V: v})
	}
	return token{K: "several", Sub: [][]token{sub}}, nil
}

// patched runs the old or the new side of a patch.
func (r *interpreter) patched(ctx *engine.Context, s *Statement) (token, error) {
	has, err := ctx.Patched(fmt.Sprintf("patch%d", s.ID))
	if err != nil {
		return token{}, err
	}
	i := 0
	if has {
		i = 1
	}
	return r.await(ctx, "act", ctx.Activity(r.activity(s, i)))
}

// saga runs its steps one after another. If one fails, or the scope is cancelled, it undoes the completed steps in
// reverse order, in a scope that a cancel does not reach.
func (r *interpreter) saga(ctx *engine.Context, s *Statement) (token, error) {
	steps, undone := []token{}, []token{}
	undo := func(done int) error {
		clean := ctx.Shield()
		for i := done - 1; i >= 0; i-- {
			o, err := r.await(clean, "act", clean.Activity(r.activity(s, 10+i)))
			if err != nil {
				return err
			}
			undone = append(undone, o)
		}
		return nil
	}
	broken := false
	for i := range s.N + 1 {
		o, err := r.await(ctx, "act", ctx.Activity(r.activity(s, i)))
		if err != nil {
			if bad := undo(i); bad != nil {
				return token{}, bad
			}
			return token{}, err
		}
		steps = append(steps, o)
		if broken = o.V != "" && o.V[0] == '!'; broken {
			break
		}
	}
	if broken {
		if err := undo(len(steps) - 1); err != nil {
			return token{}, err
		}
	}
	return token{K: "saga", Sub: [][]token{steps, undone}}, ctx.Err()
}
