package turnstile

import (
	"errors"
	"fmt"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/catalog"
)

// Component is a part of an application: the implementation of an orchestration or an activity (see
// their Implement), an [Interceptor] for all of them, an [Event] or a [Query]. With an Event,
// an App can check the data of events that are sent without a Go type ([App.CheckEvent]).
type Component interface {
	addTo(*App)
}

// Components combines several components into one, so that a package can export all of them together.
type Components []Component

func (p Components) addTo(a *App) {
	for _, part := range p {
		if part == nil {
			a.problems = append(a.problems, errors.New("turnstile: a component of the application is nil"))
			continue
		}
		part.addTo(a)
	}
}

// App is an application: the implementations that a process has. The process that runs
// orchestrations and the process that runs activities usually have different applications, because the
// first must not depend on the code of the second. An App is immutable.
type App struct {
	orchestrationEntries []engine.Orchestration
	activityEntries      []activities.Activity
	interceptors         []Interceptor
	// events are the decoders of the declared events, by event name.
	events map[string][]func(data []byte) error
	// declared are all components with their types.
	declared []catalog.Declaration
	limits   limits
	problems []error

	orchestrations *engine.Registry
	activities     *activities.Registry
	err            error
}

// NewApp returns an application of these components. [App.Err] reports every mistake in them: a name
// and version that is registered twice, an empty or overlong name, a missing implementation, an
// invalid retry policy or timeout. Runtimes check Err when they start, so main can declare its
// application in one expression without handling an error.
func NewApp(parts ...Component) *App {
	a := &App{}
	Components(parts).addTo(a)
	a.intercept()
	a.orchestrationEntries = append(a.orchestrationEntries, coordinator)
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

// intercept wraps every implementation with the interceptors.
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

// Err returns all problems of the application, joined; nil if there are none. An application with a
// problem has no implementations; its registries are empty.
func (a *App) Err() error {
	if a == nil || a.orchestrations == nil {
		return &MisuseError{Call: "App", Problem: "the application is nil or the zero value: make it with NewApp"}
	}
	return a.err
}

// Orchestrations returns the registry that the orchestrator uses.
func (a *App) Orchestrations() *engine.Registry { return a.orchestrations }

// Activities returns the registry that the worker uses.
func (a *App) Activities() *activities.Registry { return a.activities }

type orchestrationPart struct {
	entry    engine.Orchestration
	wrong    error // the problem with the types or options of the declaration
	declared catalog.Declaration
}

func (p orchestrationPart) addTo(a *App) {
	e := &p.entry
	a.refuse("orchestration", e.Name, e.Source, validName("orchestration", e.Name), validVersion(e.Version), p.wrong,
		a.limits.addInstances(e.LimitKey, e.Limit, e.Name, e.Source))
	if e.Name != "" { // The registry would report the empty name a second time.
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

// refuse records the problems of one component. Each error names the component and where it was
// registered.
func (a *App) refuse(what, name, source string, problems ...error) {
	for _, err := range apart(errors.Join(problems...)) {
		a.problems = append(a.problems, fmt.Errorf("%s %q: %w (registered at %s)", what, name, err, source))
	}
}

// apart splits joined errors into a flat list.
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
