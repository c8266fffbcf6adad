package turnstile

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/catalog"
)

// Part is one thing that an application is made of: the implementation of an
// orchestration or an activity, from their Implement, an [Interceptor] around all of
// them, or an [Event], so that its type is known where data is raised untyped.
type Part interface {
	addTo(*App)
}

// Parts is several parts as one, so that a package can offer all of its own.
type Parts []Part

func (p Parts) addTo(a *App) {
	for _, part := range p {
		if part == nil {
			a.problems = append(a.problems, errors.New("turnstile: a part of the application is nil"))
			continue
		}
		part.addTo(a)
	}
}

// App is an application: the implementations that a process has. The process
// that runs orchestrations and the one that runs activities usually have different
// ones, because the first must not need the dependencies of the second. It is immutable.
type App struct {
	orchestrationEntries []engine.Orchestration
	activityEntries      []activities.Activity
	interceptors         []Interceptor
	// events are what those that are declared under a name decode data with.
	events map[string][]func(data []byte) error
	// declared are all parts with their types.
	declared []catalog.Declaration
	limits   limits
	problems []error

	orchestrations *engine.Registry
	activities     *activities.Registry
	err            error
}

// NewApp returns an application of these parts. Err reports every mistake in them
// (a name and version registered twice, an empty or overlong name, a missing
// implementation, an impossible retry policy or timeout). Runtimes check Err at
// start, so a main can declare its application in one expression and still learns
// of every mistake.
func NewApp(parts ...Part) *App {
	a := &App{}
	Parts(parts).addTo(a)
	a.intercept()
	a.orchestrationEntries = append(a.orchestrationEntries, gate)
	var orchestrationsErr, activitiesErr error
	a.orchestrations, orchestrationsErr = engine.NewRegistry(a.orchestrationEntries...)
	a.activities, activitiesErr = activities.NewRegistry(a.activityEntries...)
	a.err = errors.Join(append(a.problems, orchestrationsErr, activitiesErr)...)
	if a.err != nil {
		a.orchestrations, _ = engine.NewRegistry()
		a.activities, _ = activities.NewRegistry()
	}
	return a
}

// intercept puts the interceptors around every implementation.
func (a *App) intercept() {
	for i := range a.orchestrationEntries {
		if e := &a.orchestrationEntries[i]; e.Func != nil {
			e.Func = interceptedCode(e.Func, a.interceptors)
		}
	}
	for i := range a.activityEntries {
		if e := &a.activityEntries[i]; e.Func != nil {
			e.Func = intercepted(e.Func, a.interceptors)
		}
	}
}

// Err returns what is wrong with the application, all of it; nil if nothing
// is. The registries of an application with an error are empty.
func (a *App) Err() error {
	if a == nil || a.orchestrations == nil {
		return &MisuseError{Call: "App", Problem: "the application is nil or the zero value: make it with NewApp"}
	}
	return a.err
}

// Orchestrations returns the registry that the orchestrator runs.
func (a *App) Orchestrations() *engine.Registry { return a.orchestrations }

// Activities returns the registry that the worker runs.
func (a *App) Activities() *activities.Registry { return a.activities }

type orchestrationPart struct {
	entry    engine.Orchestration
	wrong    error // what is wrong with types and options of the declaration
	declared catalog.Declaration
}

func (p orchestrationPart) addTo(a *App) {
	e := &p.entry
	a.refuse("orchestration", e.Name, e.Source, validName("orchestration", e.Name), validVersion(e.Version), p.wrong,
		a.limits.addInstances(e.LimitKey, e.Limit, e.Name, e.Source))
	if e.Name != "" { // the registry would say the same again
		a.orchestrationEntries = append(a.orchestrationEntries, p.entry)
		a.declared = append(a.declared, p.declared)
	}
}

type activityPart struct {
	entry    activities.Activity
	policy   *history.Retry
	wrong    error
	declared catalog.Declaration
}

func (p activityPart) addTo(a *App) {
	e := &p.entry
	a.refuse("activity", e.Name, e.Source, validName("activity", e.Name), p.wrong, a.limits.add(p.policy, e.Name, e.Source))
	if e.Name != "" {
		a.activityEntries = append(a.activityEntries, p.entry)
		a.declared = append(a.declared, p.declared)
	}
}

// refuse notes each of the problems with one part, which names the part and
// where it was registered.
func (a *App) refuse(what, name, source string, problems ...error) {
	for _, err := range apart(errors.Join(problems...)) {
		a.problems = append(a.problems, fmt.Errorf("%s %q: %w (registered at %s)", what, name, err, source))
	}
}

// apart returns the errors that were joined, one by one.
func apart(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if err == nil {
			return nil
		}
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, apart(e)...)
	}
	return all
}
