package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/turnstile-go/turnstile/internal/near"
)

// Func is the code of an activity. Input and result are JSON. It may have side effects; it runs at least once and should
// be idempotent (see Info.IdempotencyKey). ctx is cancelled at the attempt's time limits and when the activity is asked
// to stop; context.Cause returns the reason.
type Func func(ctx context.Context, input []byte) (result []byte, err error)

// Activity is an entry of the registry.
type Activity struct {
	Name string
	Func Func
	// Final reports whether an error of the activity must not be retried; nil for never.
	Final func(error) bool
	// Queue is the queue that its declaration names; empty for none. A call may name another.
	Queue string
	// Source is the file and line of the registration.
	Source string
}

// Registry finds activities by name. It is immutable; a nil *Registry is
// empty.
type Registry struct {
	byName map[string]Activity
	names  []string
}

// NewRegistry returns a registry of the given activities. It returns an error, joined from all problems and naming the
// places, for an empty name, a nil Func, or a name that is registered twice.
func NewRegistry(activities ...Activity) (*Registry, error) {
	r := &Registry{byName: make(map[string]Activity, len(activities))}
	var wrong []error
	for _, a := range activities {
		if a.Name == "" {
			wrong = append(wrong, fmt.Errorf("activity: activity registered at %s has no name", a.Source))
			continue
		}
		if a.Func == nil {
			wrong = append(wrong, fmt.Errorf("activity: activity %q registered at %s has no implementation", a.Name, a.Source))
		}
		if other, ok := r.byName[a.Name]; ok {
			wrong = append(wrong, fmt.Errorf("activity: activity %q is registered twice, at %s and at %s", a.Name, other.Source, a.Source))
			continue
		}
		r.byName[a.Name] = a
		r.names = append(r.names, a.Name)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	sort.Strings(r.names)
	return r, nil
}

// Queues returns the queues that the activities name, sorted and without duplicates.
func (r *Registry) Queues() []string {
	if r == nil {
		return nil
	}
	var all []string
	for _, a := range r.byName {
		if a.Queue != "" && !slices.Contains(all, a.Queue) {
			all = append(all, a.Queue)
		}
	}
	slices.Sort(all)
	return all
}

// Lookup returns the activity with this name, or a *NotRegisteredError that lists the registered names.
func (r *Registry) Lookup(name string) (Activity, error) {
	if r != nil {
		if a, ok := r.byName[name]; ok {
			return a, nil
		}
	}
	return Activity{}, &NotRegisteredError{Name: name, Registered: r.Names()}
}

// Names returns the names of all registered activities, sorted.
func (r *Registry) Names() []string {
	if r == nil {
		return nil
	}
	return append([]string(nil), r.names...)
}

// NotRegisteredError says that this build has no activity with this name.
type NotRegisteredError struct {
	Name       string
	Registered []string
}

func (e *NotRegisteredError) Error() string {
	list := strings.Join(e.Registered, ", ")
	if list == "" {
		list = "nothing"
	}
	return fmt.Sprintf("activity %q is not registered in this build (registered: %s)%s; deploy a build that has it", e.Name, list, near.Hint(e.Name, e.Registered))
}
