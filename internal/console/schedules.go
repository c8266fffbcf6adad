package console

import (
	"cmp"
	"slices"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/schedule"
)

// schedules returns a page of schedules.
func (h *handler) schedules(r *request) (api.ScheduleList, error) {
	page, err := schedule.NewClient(h.client).List(r.Context(), r.query.Get("page_token"))
	out := api.ScheduleList{At: h.now().UTC(), Schedules: []api.Schedule{}, NextPageToken: page.NextPageToken}
	for i := range page.Schedules {
		out.Schedules = append(out.Schedules, scheduleOf(&page.Schedules[i]))
	}
	return out, err
}

func (h *handler) schedule(r *request) (api.Schedule, error) {
	d, err := schedule.NewClient(h.client).Describe(r.Context(), r.vars["name"])
	return scheduleOf(&d), err
}

func scheduleOf(d *schedule.Description) api.Schedule {
	def := &d.Definition
	s := api.Schedule{
		Name: def.Name, Status: scheduleStatus(d), Instance: d.Instance.Instance,
		Cron: def.Cron, Every: span(def.Every), Offset: span(def.Offset), TimeZone: def.TimeZone, StartAt: def.StartAt, End: def.End, Jitter: span(def.Jitter),
		Overlap: string(cmp.Or(def.Overlap, schedule.Skip)), CatchUp: string(cmp.Or(def.CatchUp, schedule.CatchUpLast)), Window: span(def.Window),
		Orchestration: def.Starts.Name, Version: def.Starts.Version, Input: def.Starts.Input, Note: d.Note,
		NextRuns: append([]time.Time{}, d.NextRuns...), Running: newestFirst(d.Running), Recent: newestFirst(d.Recent), Buffered: append(append([]time.Time{}, d.Buffered...), d.Backfilling...),
		Missed: newestFirst(d.Missed), Started: d.Started, MissedRuns: d.MissedRuns,
	}
	if p := d.Instance.Problem; p != nil {
		s.Problem = p.Message
	}
	return s
}

func newestFirst[T any](list []T) []T {
	out := append([]T{}, list...)
	slices.Reverse(out)
	return out
}

func scheduleStatus(d *schedule.Description) string {
	switch {
	case d.Instance.Status != client.StatusRunning:
		return string(d.Instance.Status)
	case d.Paused:
		return "paused"
	case d.Next.IsZero():
		return "over"
	}
	return "active"
}

// span returns a duration as text; empty for none.
func span(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}
