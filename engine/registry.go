package engine

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Func is the code of an orchestration. Input and output are JSON. It must be
// deterministic, and use only ctx to learn anything from outside.
type Func func(ctx *Context, input []byte) (output []byte, err error)

// Orchestration is an entry in the registry.
type Orchestration struct {
	Name string
	// Version, such as "1.10"; the empty version is the oldest.
	Version string
	Func    Func
	// Source is file and line of the registration.
	Source string
	// Strict turns rule 9 on.
	Strict bool
	// FailWhenStuck fails an instance that would become stuck (rule 11).
	FailWhenStuck bool
	// Retention is how long an instance is kept after its end; 0 if not set. Turns do not
	// use it; the purging process reads it from the registry (Retained).
	Retention time.Duration
	// KeepExecutions is how many executions of an instance are kept; 0 if not set. Turns
	// do not use it either (Registry.Executions).
	KeepExecutions int
	// LimitKey and Limit allow at most Limit instances with this key to run at a time; 0
	// means no limit. If a start names a different key, the host uses that key.
	LimitKey string
	Limit    int
	// Internal marks an orchestration of Turnstile itself. It is not listed among the application's
	// orchestrations.
	Internal bool
	// Normalize re-encodes an output through the current type of the code, for
	// comparison (rule 3). If nil, only bytes are compared.
	Normalize func([]byte) ([]byte, error)
}

// Registry finds orchestrations by name and version. It is immutable.
type Registry struct {
	byName map[string][]*Orchestration // oldest version first
	names  []string
}

// NewRegistry returns a registry of the given orchestrations. It returns an error for an
// empty name, a nil Func, or a name and version that is given twice. The error joins all
// mistakes and names where each was registered.
func NewRegistry(orchestrations ...Orchestration) (*Registry, error) {
	r := &Registry{byName: make(map[string][]*Orchestration)}
	var wrong []error
	for i := range orchestrations {
		o := orchestrations[i]
		if o.Name == "" {
			wrong = append(wrong, fmt.Errorf("engine: orchestration registered at %s has an empty name", o.Source))
			continue
		}
		if o.Func == nil {
			wrong = append(wrong, fmt.Errorf("engine: orchestration %q registered at %s has no implementation", o.Name, o.Source))
		}
		if at := slices.IndexFunc(r.byName[o.Name], func(other *Orchestration) bool { return other.Version == o.Version }); at >= 0 {
			wrong = append(wrong, fmt.Errorf("engine: orchestration %q version %q is registered twice, at %s and at %s", o.Name, o.Version, r.byName[o.Name][at].Source, o.Source))
			continue
		}
		if len(r.byName[o.Name]) == 0 {
			r.names = append(r.names, o.Name)
		}
		r.byName[o.Name] = append(r.byName[o.Name], &o)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	sort.Strings(r.names)
	for _, list := range r.byName {
		sort.Slice(list, func(i, j int) bool { return CompareVersions(list[i].Version, list[j].Version) < 0 })
	}
	return r, nil
}

// Lookup returns the orchestration with this name and exactly this version. Otherwise the
// error lists what is registered.
func (r *Registry) Lookup(name, version string) (*Orchestration, error) {
	for _, o := range r.byName[name] {
		if o.Version == version {
			return o, nil
		}
	}
	return nil, &notRegisteredError{Name: name, Version: version, Registered: r.list()}
}

// Newest returns the newest version registered under the name. Otherwise the error lists
// what is registered.
func (r *Registry) Newest(name string) (*Orchestration, error) {
	if list := r.byName[name]; len(list) > 0 {
		return list[len(list)-1], nil
	}
	return nil, &notRegisteredError{Name: name, Registered: r.list()}
}

// list returns all registered orchestrations that are not Internal, as "name" or
// "name@version", sorted by name, oldest version first.
func (r *Registry) list() []string {
	var all []string
	for _, name := range r.names {
		for _, o := range r.byName[name] {
			if o.Internal {
				continue
			}
			if o.Version == "" {
				all = append(all, name)
			} else {
				all = append(all, name+"@"+o.Version)
			}
		}
	}
	return all
}

// Retained returns the retention of each registered name, 0 if not set. If a name has
// several versions, the longest retention applies.
func (r *Registry) Retained() map[string]time.Duration {
	all := make(map[string]time.Duration, len(r.names))
	for _, name := range r.names {
		all[name] = 0
		for _, o := range r.byName[name] {
			all[name] = max(all[name], o.Retention)
		}
	}
	return all
}

// Executions returns how many executions of an instance are kept, for each name that sets
// it. If a name has several versions, the largest number applies.
func (r *Registry) Executions() map[string]int {
	all := map[string]int{}
	for _, name := range r.names {
		for _, o := range r.byName[name] {
			if n := max(all[name], o.KeepExecutions); n > 0 {
				all[name] = n
			}
		}
	}
	return all
}

// CompareVersions orders versions by their dot-separated parts. Numbers are compared by
// value, so that 1.10 is newer than 1.2; other parts are compared as strings. A version
// that has fewer parts comes first.
func CompareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := 0; i < len(as) || i < len(bs); i++ {
		if i >= len(as) {
			return -1
		}
		if i >= len(bs) {
			return 1
		}
		x, xerr := strconv.ParseUint(as[i], 10, 64)
		y, yerr := strconv.ParseUint(bs[i], 10, 64)
		switch {
		case xerr == nil && yerr == nil:
			if x != y {
				if x < y {
					return -1
				}
				return 1
			}
			// Equal numbers spelled differently ("1" and "01") still differ.
			fallthrough
		default:
			if c := strings.Compare(as[i], bs[i]); c != 0 {
				return c
			}
		}
	}
	return 0
}
