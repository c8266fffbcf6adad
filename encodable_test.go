package turnstile_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
)

type recursive struct {
	Next  *recursive
	Notes map[time.Duration][]string
	When  time.Time
	Any   any
	skip  func()
	Left  chan int `json:"-"`
}

// report has a field of an interface type with methods: it can be encoded, but not decoded.
type report struct {
	Count    int
	Problems map[string]error
}

// ownReport decodes its own JSON form.
type ownReport struct{ Err error }

func (r *ownReport) UnmarshalJSON([]byte) error { return nil }

type listener struct{ Name, Ring struct{ Bell chan<- bool } }

func TestATypeWithoutAJSONFormIsAnErrorOfTheApp(t *testing.T) {
	t.Parallel()
	_ = recursive{}.skip
	fine := turnstile.NewActivity[recursive, map[string]*recursive]("Fine")
	if err := turnstile.NewApp(fine.Implement(func(context.Context, recursive) (map[string]*recursive, error) { return nil, nil })).Err(); err != nil {
		t.Errorf("a type that can be encoded: %v", err)
	}
	own := turnstile.NewActivity[ownReport, int]("Own")
	if err := turnstile.NewApp(own.Implement(func(context.Context, ownReport) (int, error) { return 0, nil })).Err(); err != nil {
		t.Errorf("a type that reads its own JSON form: %v", err)
	}
	for want, part := range map[string]turnstile.Component{
		`input of activity "A" (chan int) cannot be encoded as JSON: a chan int has no JSON form`: turnstile.NewActivity[chan int, int]("A").
			Implement(func(context.Context, chan int) (int, error) { return 0, nil }),
		`result of activity "B" (turnstile_test.listener)`: turnstile.NewActivity[int, listener]("B").
			Implement(func(context.Context, int) (listener, error) { return listener{}, nil }),
		`the field Name.Bell has the type chan<- bool`: turnstile.NewActivity[listener, int]("C").
			Implement(func(context.Context, listener) (int, error) { return 0, nil }),
		`input of orchestration "D" (map[float64]string)`: turnstile.NewOrchestration[map[float64]string, int]("D").
			Implement(func(turnstile.Context, map[float64]string) (int, error) { return 0, nil }),
		`output of orchestration "E" ([]func())`: turnstile.NewOrchestration[int, []func()]("E").
			Implement(func(turnstile.Context, int) ([]func(), error) { return nil, nil }),
		`result of activity "F" (turnstile_test.report) cannot be encoded as JSON: the field Problems has the interface type error, which cannot be decoded from JSON`: turnstile.NewActivity[int, report]("F").
			Implement(func(context.Context, int) (report, error) { return report{}, nil }),
		`input of activity "G" (error) cannot be encoded as JSON: a value of the interface type error`: turnstile.NewActivity[error, int]("G").
			Implement(func(context.Context, error) (int, error) { return 0, nil }),
		`output of orchestration "H" ([]turnstile.Outcome[int])`: turnstile.NewOrchestration[int, []turnstile.Outcome[int]]("H").
			Implement(func(turnstile.Context, int) ([]turnstile.Outcome[int], error) { return nil, nil }),
	} {
		err := turnstile.NewApp(part).Err()
		if wrong, ok := errors.AsType[*turnstile.EncodeError](err); !ok || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "encodable_test.go:") {
			t.Errorf("the error is %v (%v), want %s and the place", err, wrong, want)
		}
	}
}
