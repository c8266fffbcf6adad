package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/coordination"
	"github.com/turnstile-go/turnstile/internal/printable"
)

const (
	shownUnwell  = 200
	shownRunning = 200
)

// Lister lists instances.
type Lister interface {
	List(ctx context.Context, q client.ListQuery) (client.ListPage, error)
}

// Instances reports stuck and corrupt instances, instances that were slowed down because they loop,
// and running instances without a change for the time idle.
func Instances(ctx context.Context, from Lister, now time.Time, idle time.Duration) ([]api.Finding, error) {
	f := findings{area: "instances"}
	for _, status := range []client.Status{client.StatusStuck, client.StatusCorrupt} {
		page, err := from.List(ctx, client.ListQuery{Status: status, PageSize: shownUnwell})
		if err != nil {
			return nil, err
		}
		kinds := map[string][]string{}
		for i := range page.Instances {
			d := &page.Instances[i]
			kind := string(status)
			if d.Problem != nil {
				kind = d.Problem.Kind
			}
			kinds[kind] = append(kinds[kind], d.Instance)
		}
		more := ""
		if page.NextPageToken != "" {
			more = " or more"
		}
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			verb := "are"
			if len(kinds[kind]) == 1 && more == "" {
				verb = "is"
			}
			f.add(Problem, views.ProblemAdvice(kind), "%s%s %s %s (%s): %s", plain.Plural(len(kinds[kind]), "instance", "instances"), more, verb, status, kind, firstOf(kinds[kind]))
		}
		if len(page.Instances) == 0 {
			f.add(OK, "", "no instance is %s", status)
		}
	}
	if err := queued(ctx, from, &f); err != nil {
		return nil, err
	}
	looping, err := loopingAmong(ctx, from, now)
	if err != nil {
		return nil, err
	}
	if len(looping) > 0 {
		f.add(Problem, "Make their code wait for a timer or an activity before it continues as new or sends again; `turnstile terminate` ends an instance.",
			"%s without a pause, and %s slowed down: %s", plain.Plural(len(looping), "instance loops", "instances loop"), map[bool]string{true: "is", false: "are"}[len(looping) == 1], firstOf(looping))
	}
	running, err := from.List(ctx, client.ListQuery{Status: client.StatusRunning, PageSize: shownRunning})
	if err != nil {
		return nil, err
	}
	awaiting := map[string][]string{}
	for i := range running.Instances {
		if a := running.Instances[i].Awaits; a != nil {
			text := api.AwaitsText(a)
			awaiting[text] = append(awaiting[text], running.Instances[i].Instance)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(awaiting)) {
		f.add(Problem, "Deploy such a build; `turnstile describe` shows the details.", "%s: %s: %s", plain.Plural(len(awaiting[what]), "instance", "instances"), printable.Line(what), firstOf(awaiting[what]))
	}
	page, err := from.List(ctx, client.ListQuery{Status: client.StatusRunning, PageSize: shownRunning, To: now.Add(-idle)})
	if err != nil {
		return nil, err
	}
	var old []string
	for i := range page.Instances {
		if d := &page.Instances[i]; now.Sub(d.UpdatedAt) > idle && d.Name != coordination.Orchestration {
			old = append(old, d.Instance)
		}
	}
	more := ""
	if page.NextPageToken != "" {
		more = fmt.Sprintf(", of the newest %d that started before that", len(page.Instances))
	}
	if len(old) > 0 {
		f.add(Warning, "They may wait for something that never happens: `turnstile describe` shows the pending operations.", "the records of %s have not changed for %s%s: %s", plain.Plural(len(old), "running instance", "running instances"), plain.Span(idle), more, firstOf(old))
	} else {
		f.add(OK, "", "no running instance has been idle for %s", plain.Span(idle))
	}
	return f.all, nil
}

// queued reports the coordinators of limits that do not run although instances wait for a permit.
func queued(ctx context.Context, from Lister, f *findings) error {
	page, err := from.List(ctx, client.ListQuery{Status: client.StatusQueued, PageSize: shownUnwell})
	if err != nil || len(page.Instances) == 0 {
		return err
	}
	wait := map[string][]string{}
	for i := range page.Instances {
		if s := page.Instances[i].Suspension; s != nil {
			wait[s.LimitKey] = append(wait[s.LimitKey], page.Instances[i].Instance)
		}
	}
	coordinators, err := from.List(ctx, client.ListQuery{Name: coordination.Orchestration, PageSize: shownRunning})
	if err != nil {
		return err
	}
	closed := map[string]string{}
	for key := range wait {
		if coordinators.NextPageToken == "" {
			closed[key] = "missing"
		}
	}
	for i := range coordinators.Instances {
		d := &coordinators.Instances[i]
		if delete(closed, coordination.KeyOf(d.Instance)); d.Status != client.StatusRunning {
			closed[coordination.KeyOf(d.Instance)] = string(d.Status)
		}
	}
	well := true
	for _, key := range slices.Sorted(maps.Keys(wait)) {
		if how := closed[key]; how != "" {
			well = false
			f.add(Problem, "Resume or wake the coordinator. If it was terminated, redrive it and then wake the waiting instances. `turnstile resume` starts a waiting instance regardless of the limit.",
				"the coordinator %s is %s, so these instances cannot start: %s", printable.Line(coordination.InstanceID(key)), how, firstOf(wait[key]))
		}
	}
	if well {
		f.add(OK, "", "instances wait for a permit of %s; the coordinators run", plain.Plural(len(wait), "limit", "limits"))
	}
	return nil
}

// loopingAmong returns the recently slowed instances among the newest running ones and the newest of
// any status. Ended instances count, because a loop of detached starts leaves them behind.
func loopingAmong(ctx context.Context, from Lister, now time.Time) (looping []string, err error) {
	for _, status := range []client.Status{client.StatusRunning, ""} {
		page, err := from.List(ctx, client.ListQuery{Status: status, PageSize: shownRunning})
		if err != nil {
			return nil, err
		}
		for i := range page.Instances {
			if d := &page.Instances[i]; d.Looping(now) && !slices.Contains(looping, d.Instance) {
				looping = append(looping, d.Instance)
			}
		}
	}
	return looping, nil
}

// firstOf returns the first instances of a list.
func firstOf(ids []string) string {
	const most = 3
	text := printable.Line(strings.Join(ids[:min(len(ids), most)], ", "))
	if len(ids) > most {
		text += " …"
	}
	return text
}
