package console

import (
	"cmp"
	"net/url"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

const (
	// failuresRead is the maximum number of records read for each status, and failurePages the maximum number of pages,
	// because with conditions a page may be short.
	failuresRead, failurePages = 1000, 5
	// mostBars is the maximum number of bars.
	mostBars = 31
	// newestShown is how many ids are shown for a cause.
	newestShown = 5
)

// barWidths are widths that are easy to read.
var barWidths = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}

// fallen is an instance that has failed or is stuck.
type fallen struct {
	d     *client.Description
	cause cause.Cause
	key   string
	at    time.Time
}

func (h *handler) failures(r *request) (api.FailureList, error) {
	asked := url.Values{}
	for name, v := range r.query {
		if name != "cause" {
			asked[name] = v
		}
	}
	q, err := listQuery(asked)
	if err != nil {
		return api.FailureList{}, err
	}
	from, to := q.From, q.To
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		return api.FailureList{}, api.Errorf(api.CodeInvalid, "from (%s) must be before to (%s)", r.query.Get("from"), r.query.Get("to"))
	}
	q.From, q.To = time.Time{}, time.Time{}
	out := api.FailureList{At: h.now().UTC(), Causes: []api.FailureCause{}}
	var all []fallen
	for _, status := range []client.Status{client.StatusFailed, client.StatusStuck, client.StatusCorrupt} {
		q.Status = status
		found, more, err := h.list(r.Context(), q, failuresRead, failurePages)
		if err != nil {
			return out, err
		}
		out.Read += len(found)
		out.More = out.More || more
		for i := range found {
			all = append(all, fallenOf(&found[i]))
		}
	}
	all = slices.DeleteFunc(all, func(f fallen) bool {
		return f.at.Before(from) || !to.IsZero() && !f.at.Before(to)
	})
	slices.SortStableFunc(all, func(a, b fallen) int { return b.at.Compare(a.at) })
	out.From, out.To = from, cmp.Or(to, out.At)
	if from.IsZero() {
		out.From = out.To.Add(-time.Hour)
		if len(all) > 0 && all[len(all)-1].at.Before(out.From) {
			out.From = all[len(all)-1].at
		}
	}
	bars := layBars(&out)
	out.Causes = causesOf(all, bars, out.From, time.Duration(out.WidthMS)*time.Millisecond, r.query.Get("cause"))
	return out, nil
}

func fallenOf(d *client.Description) fallen {
	f := fallen{d: d, at: cmp.Or(d.EndedAt, d.UpdatedAt)}
	if d.Problem != nil && d.Problem.SinceMS > 0 {
		f.at = time.UnixMilli(d.Problem.SinceMS).UTC()
	}
	f.cause, f.key = api.CauseOf(d)
	f.cause.Message = cmp.Or(f.cause.Message, f.cause.Kind)
	return f
}

// layBars chooses the width of the bars, starts the first at a multiple of it, and returns how many there are.
func layBars(out *api.FailureList) int {
	for _, width := range barWidths {
		from := out.From.Truncate(width)
		if n := int((out.To.Sub(from) + width - 1) / width); n <= mostBars || width == barWidths[len(barWidths)-1] {
			out.From, out.WidthMS = from, width.Milliseconds()
			return max(min(n, mostBars), 1)
		}
	}
	return 1
}

// childOf returns 1 for a child and 0 for a root.
func childOf(i api.Instance) int {
	if i.Parent != nil {
		return 1
	}
	return 0
}

// causesOf groups instances by cause, those that failed last first, and causes of only children last. With a key it
// returns only this cause, with its instances.
func causesOf(all []fallen, bars int, from time.Time, width time.Duration, key string) []api.FailureCause {
	found := map[string]*api.FailureCause{}
	for i := range all {
		f := &all[i]
		if key != "" && f.key != key {
			continue
		}
		c := found[f.key]
		if c == nil {
			ids := []string{f.d.Instance}
			if f.d.Failure != nil {
				ids = append(ids, f.d.Failure.Instance)
			}
			c = &api.FailureCause{Key: f.key, Status: string(f.d.Status), Kind: f.cause.Kind, Source: f.cause.Source, Code: f.cause.Code,
				Message: f.cause.Pattern(ids...), Example: clip(f.cause.Message, api.FoldOver),
				Orchestrations: map[string]int{}, Last: f.at, Bars: make([]int, bars), Newest: []string{}}
			found[f.key] = c
		}
		c.Instances++
		c.Orchestrations[f.d.Name]++
		c.First = f.at
		if f.d.Parent == nil {
			c.Roots++
		}
		c.Bars[max(0, min(bars-1, int(f.at.Sub(from)/width)))]++
		if len(c.Newest) < newestShown {
			c.Newest = append(c.Newest, f.d.Instance)
		}
		if key != "" {
			one := api.InstanceOf(f.d)
			one.Fold(api.FoldOver)
			c.Members = append(c.Members, one)
		}
	}
	out := make([]api.FailureCause, 0, len(found))
	for _, c := range found {
		slices.SortStableFunc(c.Members, func(a, b api.Instance) int {
			return cmp.Compare(childOf(a), childOf(b))
		})
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b api.FailureCause) int {
		// If no root failed because of a cause, parents have handled it, or are still running.
		return cmp.Or(cmp.Compare(min(b.Roots, 1), min(a.Roots, 1)), b.Instances-a.Instances, b.Last.Compare(a.Last), cmp.Compare(a.Key, b.Key))
	})
	return out
}
