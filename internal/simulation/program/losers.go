package program

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/engine"
)

// LosersOf names the side effect that lists the losers of a select, in the order of their
// scheduling.
const LosersOf = "losers"

// losers runs a select over four operations, which are not given in the order of their
// scheduling. It records which of them lost, so that the checker can verify the order in
// which they were cancelled.
func (r *interpreter) losers(ctx *engine.Context, s *Statement) (Token, error) {
	all := []*engine.Future{ctx.Activity(r.activity(s, 0)), ctx.Timer(3 * time.Hour), ctx.Activity(r.activity(s, 1)), ctx.Timer(s.Duration)}
	mixed := []*engine.Future{all[3], all[2], all[0], all[1]}
	slices.Reverse(mixed[:1+s.N])
	winner, err := ctx.Select(false, mixed...)
	if err != nil {
		return Token{}, err
	}
	var ids []string
	for _, f := range all {
		if f != mixed[winner] {
			ids = append(ids, fmt.Sprint(f.EventID()))
		}
	}
	_, err = ctx.SideEffect(LosersOf, func() ([]byte, error) { return []byte("[" + strings.Join(ids, ",") + "]"), nil })
	return Token{K: "winner"}, err
}
