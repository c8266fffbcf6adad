package turnstile_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile"
)

var (
	double    = turnstile.NewActivity[int, int]("Double")
	calculate = turnstile.NewOrchestration[int, int]("Calculate")
)

func doubled(_ context.Context, n int) (int, error) { return 2 * n, nil }

func calculated(ctx turnstile.Context, n int) (int, error) { return double.Call(ctx, n) }

func TestV08ANameRegisteredTwiceNamesBothPlaces(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][]turnstile.Component{
		"V-08 an orchestration":       {calculate.Implement(calculated), calculate.Implement(calculated)},
		"V-08 a version":              {calculate.With(turnstile.Version("1.2")).Implement(calculated), calculate.With(turnstile.Version("1.2")).Implement(calculated)},
		"an activity":                 {double.Implement(doubled), double.Implement(doubled)},
		"one of them inside of Parts": {double.Implement(doubled), turnstile.Components{double.Implement(doubled)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := turnstile.NewApp(parts...)
			err := app.Err()
			if err == nil {
				t.Fatal("registered twice without an error")
			}
			if places := regexp.MustCompile(`app_test\.go:\d+`).FindAllString(err.Error(), -1); len(places) != 2 {
				t.Errorf("the error names %v, want two places in app_test.go: %v", places, err)
			}
			if _, err := app.Orchestrations().Newest("Calculate"); err == nil || !strings.Contains(err.Error(), "(registered: nothing)") {
				t.Errorf("an application with an error has orchestrations: %v", err)
			}
		})
	}
}

func TestSeveralVersionsOfANameCanBeRegistered(t *testing.T) {
	t.Parallel()
	app := turnstile.NewApp(calculate.Implement(calculated), calculate.With(turnstile.Version("1.2")).Implement(calculated), calculate.With(turnstile.Version("1.10")).Implement(calculated))
	if err := app.Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Orchestrations().Newest("None"); err == nil || !strings.Contains(err.Error(), "(registered: Calculate, Calculate@1.2, Calculate@1.10)") {
		t.Errorf("the error for another name is %v", err)
	}
}

func TestANilOrZeroApplicationIsReported(t *testing.T) {
	t.Parallel()
	var none *turnstile.App
	for name, app := range map[string]*turnstile.App{"nil": none, "the zero value": {}} {
		if misuse, ok := errors.AsType[*turnstile.MisuseError](app.Err()); !ok || !strings.Contains(misuse.Problem, "NewApp") {
			t.Errorf("%s: %v", name, app.Err())
		}
	}
}

func TestTheErrorOfAnUnregisteredNameSuggestsASimilarOne(t *testing.T) {
	t.Parallel()
	app := turnstile.NewApp(calculate.Implement(calculated), calculate.With(turnstile.Version("2")).Implement(calculated), double.Implement(doubled))
	if err := app.Err(); err != nil {
		t.Fatal(err)
	}
	_, misspelt := app.Orchestrations().Lookup("Claculate", "")
	_, version := app.Orchestrations().Lookup("Calculate", "3")
	_, activity := app.Activities().Lookup("double")
	for _, c := range []struct {
		err  error
		want string
	}{{misspelt, `; did you mean "Calculate"?`}, {activity, `; did you mean "Double"?`}} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
	if version == nil || strings.Contains(version.Error(), "did you mean") {
		t.Errorf("of a name that is there: %v", version)
	}
}

func TestEveryMistakeOfAnApplicationIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	app := turnstile.NewApp(
		nil,
		turnstile.NewActivity[int, int]("").Implement(doubled),
		turnstile.NewOrchestration[int, int](strings.Repeat("x", 257)).Implement(calculated),
		turnstile.NewOrchestration[int, int]("NoCode").Implement(nil),
		turnstile.NewActivity[int, int]("NoBody").Implement(nil),
	)
	err := app.Err()
	for _, want := range []string{"component of the application is nil", "activity name", "orchestration name", "NoCode", "NoBody"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not mention %q: %v", want, err)
		}
	}
	if invalid, isName := errors.AsType[*turnstile.InvalidArgumentError](err); !isName || invalid.Argument != "activity name" {
		t.Errorf("no typed error for the empty name: %v", err)
	}
}
