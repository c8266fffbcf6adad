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
	"github.com/turnstile-go/turnstile/internal/gating"
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

// Instances says which instances are not well: stuck or corrupt, slowed because they loop,
// or running and without a change for the time idle.
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
		f.add(Problem, "Let them wait: for a timer or an activity, before they continue as new or send again; `turnstile terminate` ends one for good.",
			"%s without a pause, and %s slowed: %s", plain.Plural(len(looping), "instance goes on", "instances go on"), map[bool]string{true: "is", false: "are"}[len(looping) == 1], firstOf(looping))
	}
	page, err := from.List(ctx, client.ListQuery{Status: client.StatusRunning, PageSize: shownRunning, To: now.Add(-idle)})
	if err != nil {
		return nil, err
	}
	var old []string
	for i := range page.Instances {
		if d := &page.Instances[i]; now.Sub(d.UpdatedAt) > idle && d.Name != gating.Orchestration {
			old = append(old, d.Instance)
		}
	}
	more := ""
	if page.NextPageToken != "" {
		more = fmt.Sprintf(", of the newest %d that began before that", len(page.Instances))
	}
	if len(old) > 0 {
		f.add(Warning, "They may wait for what never comes: `turnstile describe` says for what.", "nothing has changed the records of %s for %s%s: %s", plain.Plural(len(old), "running instance", "running instances"), plain.Span(idle), more, firstOf(old))
	} else {
		f.add(OK, "", "no running instance has been idle for %s", plain.Span(idle))
	}
	return f.all, nil
}

// queued says which gates of limits let nobody in, though instances wait for their turn.
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
	gates, err := from.List(ctx, client.ListQuery{Name: gating.Orchestration, PageSize: shownRunning})
	if err != nil {
		return err
	}
	closed := map[string]string{}
	for key := range wait {
		if gates.NextPageToken == "" {
			closed[key] = "not there"
		}
	}
	for i := range gates.Instances {
		d := &gates.Instances[i]
		if delete(closed, gating.KeyOf(d.Instance)); d.Status != client.StatusRunning {
			closed[gating.KeyOf(d.Instance)] = string(d.Status)
		}
	}
	well := true
	for _, key := range slices.Sorted(maps.Keys(wait)) {
		if how := closed[key]; how != "" {
			well = false
			f.add(Problem, "Resume or wake the gate; redrive one that was terminated, and then wake those that wait. `turnstile resume` lets one of them begin whatever the limit.",
				"the gate %s is %s, and lets nobody in: %s", printable.Line(gating.InstanceID(key)), how, firstOf(wait[key]))
		}
	}
	if well {
		f.add(OK, "", "instances wait for their turn under %s, whose gates run", plain.Plural(len(wait), "limit", "limits"))
	}
	return nil
}

// loopingAmong returns the instances that were slowed of late, of the newest that run
// and the newest at all: a loop of detached starts leaves instances that have ended.
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

// firstOf names the first of some instances.
func firstOf(ids []string) string {
	const most = 3
	text := printable.Line(strings.Join(ids[:min(len(ids), most)], ", "))
	if len(ids) > most {
		text += " …"
	}
	return text
}
