package console

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/catalog"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/near"
	"github.com/turnstile-go/turnstile/internal/schema"
)

// Build is a build of the application, or a process of it, with its catalog.
type Build struct {
	// ID of the build; empty for a process without one.
	ID string
	// Serves is "orchestrations", "activities" or "all".
	Serves string
	// Since when.
	Since   time.Time
	Entries []catalog.Entry
}

// CatalogReader returns the catalogs of the application's builds, newest first.
type CatalogReader interface {
	Catalog(context.Context) ([]Build, error)
}

// WithCatalog sets the reader of the application's catalog, which forms use. By default it is the
// catalog of the client's application, if it has one.
func WithCatalog(r CatalogReader) Option { return option(func(o *options) { o.catalog = r }) }

// ownCatalog is an application in this process.
type ownCatalog struct {
	app   *turnstile.App
	since time.Time
	once  sync.Once
	build Build
}

// Catalog implements CatalogReader.
func (c *ownCatalog) Catalog(context.Context) ([]Build, error) {
	c.once.Do(func() {
		c.build = Build{Serves: "all", Since: c.since, Entries: catalog.Entries(c.app.Declared())}
	})
	return []Build{c.build}, nil
}

// builds returns the catalogs of the code.
func (h *handler) builds(ctx context.Context) ([]Build, error) {
	if h.catalog == nil {
		return nil, api.Errorf(api.CodeNotOffered, "this console has no catalog of the code: its client has no application")
	}
	return h.catalog.Catalog(ctx)
}

func (h *handler) readCatalog(r *request) (api.Catalog, error) {
	builds, err := h.builds(r.Context())
	out := api.Catalog{Builds: []api.CatalogBuild{}, Orchestrations: []api.CatalogEntry{}, Activities: []api.CatalogEntry{}, Events: []api.CatalogEntry{}, Queries: []api.CatalogEntry{}, Updates: []api.CatalogEntry{}}
	if err != nil {
		return out, err
	}
	type key struct {
		kind          catalog.Kind
		name, version string
	}
	seen := map[key]bool{}
	for _, b := range builds {
		one := api.CatalogBuild{Build: b.ID, Serves: b.Serves, Since: b.Since.UTC()}
		for i := range b.Entries {
			e := &b.Entries[i]
			count, to := &one.Events, &out.Events
			switch e.Kind {
			case catalog.Orchestration:
				count, to = &one.Orchestrations, &out.Orchestrations
			case catalog.Activity:
				count, to = &one.Activities, &out.Activities
			case catalog.Query:
				count, to = &one.Queries, &out.Queries
			case catalog.Update:
				count, to = &one.Updates, &out.Updates
			}
			*count++
			if k := (key{e.Kind, e.Name, e.Version}); seen[k] {
				continue
			} else {
				seen[k] = true
			}
			entry, err := api.CatalogEntryOf(e)
			if err != nil {
				return out, err
			}
			*to = append(*to, entry)
		}
		out.Builds = append(out.Builds, one)
	}
	return out, nil
}

// kinds are the kinds of entries whose data can be checked.
var kinds = []catalog.Kind{catalog.Orchestration, catalog.Activity, catalog.Event, catalog.Query, catalog.Update}

func (h *handler) check(r *request, in api.Check) (api.Checked, error) {
	kind := catalog.Kind(in.Kind)
	if !slices.Contains(kinds, kind) {
		return api.Checked{}, api.Errorf(api.CodeInvalid, "kind %s is not known: it must be one of %q", strconv.Quote(clip(in.Kind, 50)), kinds)
	}
	return h.checkData(r.Context(), kind, in.Name, in.Version, []byte(in.Data))
}

// checkData checks data against the catalog. If several types have one name, the first that accepts
// the data decides, so that a rollout causes no warnings.
func (h *handler) checkData(ctx context.Context, kind catalog.Kind, name, version string, data []byte) (api.Checked, error) {
	out := api.Checked{Problems: []api.CheckProblem{}}
	builds, err := h.builds(ctx)
	if err != nil {
		return out, err
	}
	for _, of := range types(builds, kind, name, version) {
		problems := of.Check(data)
		if !out.Known || len(problems) == 0 {
			out = api.CheckedOf(of, problems)
		}
		if len(problems) == 0 {
			break
		}
	}
	return out, nil
}

// wrongName reports whether the name of an event is wrong according to the catalog, with the reason
// if the check gives none. The code need not declare its events, so an instance may wait for
// others.
func (h *handler) wrongName(ctx context.Context, check *client.RaiseCheck) (wrong bool, notes []string) {
	if check.Awaited {
		return false, nil
	}
	var declared []string
	if h.catalog != nil {
		builds, _ := h.builds(ctx) // A catalog that cannot be read is no problem of the event.
		for _, b := range builds {
			for i := range b.Entries {
				if e := &b.Entries[i]; e.Kind == catalog.Event {
					declared = append(declared, e.Name)
				}
			}
		}
	}
	switch {
	case slices.Contains(declared, check.Name):
		return false, nil
	case near.Name(check.Name, check.Waits) != "":
		return true, nil
	case len(declared) > 0:
		return true, []string{fmt.Sprintf("no build declares event %q%s", check.Name, near.Hint(check.Name, declared))}
	}
	return false, nil
}

// notesOfEvent returns the problems of an event's data, if the catalog is known.
func (h *handler) notesOfEvent(ctx context.Context, name string, data []byte) (notes []string) {
	if h.catalog == nil {
		return nil
	}
	// A catalog that cannot be read is no problem of the event.
	checked, err := h.checkData(ctx, catalog.Event, name, "", data)
	if err != nil {
		return nil
	}
	for _, p := range checked.Problems {
		notes = append(notes, "data of event "+strconv.Quote(name)+": "+p.Text)
	}
	return notes
}

// types returns the types that the data for a name may need; for an orchestration without a
// version, those of the newest version.
func types(builds []Build, kind catalog.Kind, name, version string) []*schema.Schema {
	var out []*schema.Schema
	for _, b := range builds {
		for i := range b.Entries {
			e := &b.Entries[i]
			if e.Kind != kind || e.Name != name || version != "" && e.Version != version {
				continue
			}
			of := e.Takes
			if kind == catalog.Activity {
				of = e.Returns
			}
			if of == nil {
				continue // Another build wrote it, without its type.
			}
			out = append(out, of)
			if kind == catalog.Orchestration {
				break // The newest version comes first.
			}
		}
	}
	return out
}
