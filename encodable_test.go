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

type listener struct{ Name, Ring struct{ Bell chan<- bool } }

func TestATypeThatHasNoJSONFormIsFoundWhereTheApplicationIsPutTogether(t *testing.T) {
	t.Parallel()
	_ = recursive{}.skip
	fine := turnstile.NewActivity[recursive, map[string]*recursive]("Fine")
	if err := turnstile.NewApp(fine.Implement(func(context.Context, recursive) (map[string]*recursive, error) { return nil, nil })).Err(); err != nil {
		t.Errorf("a type that can be encoded: %v", err)
	}
	for want, part := range map[string]turnstile.Part{
		`input of activity "A" (chan int) cannot be encoded as JSON: a chan int has no JSON form`: turnstile.NewActivity[chan int, int]("A").
			Implement(func(context.Context, chan int) (int, error) { return 0, nil }),
		`result of activity "B" (turnstile_test.listener)`: turnstile.NewActivity[int, listener]("B").
			Implement(func(context.Context, int) (listener, error) { return listener{}, nil }),
		`Name.Bell is one`: turnstile.NewActivity[listener, int]("C").
			Implement(func(context.Context, listener) (int, error) { return 0, nil }),
		`input of orchestration "D" (map[float64]string)`: turnstile.NewOrchestration[map[float64]string, int]("D").
			Implement(func(turnstile.Context, map[float64]string) (int, error) { return 0, nil }),
		`output of orchestration "E" ([]func())`: turnstile.NewOrchestration[int, []func()]("E").
			Implement(func(turnstile.Context, int) ([]func(), error) { return nil, nil }),
	} {
		err := turnstile.NewApp(part).Err()
		if wrong, ok := errors.AsType[*turnstile.EncodeError](err); !ok || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "encodable_test.go:") {
			t.Errorf("the error is %v (%v), want %s and the place", err, wrong, want)
		}
	}
}
