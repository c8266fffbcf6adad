package api

import (
	"cmp"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/recording"
	"github.com/turnstile-go/turnstile/internal/timeline"
	"github.com/turnstile-go/turnstile/store"
)

// Inspect is a file to inspect. Nothing of it is kept.
type Inspect struct {
	// Text of the file: an exported history, several in one document, or a
	// story of the simulation.
	Text string `json:"text"`
}

// Inspected is the content of a file.
type Inspected struct {
	// Kind is "history", "run" or "story".
	Kind string `json:"kind"`
	// Title is one line, and Text the description of the histories; both are omitted for
	// an exported history.
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"`
	// Now is the time of the last event: open operations are shown as running until then.
	Now       time.Time           `json:"now"`
	Instances []InspectedInstance `json:"instances"`
}

// InspectedInstance is an instance in a file.
type InspectedInstance struct {
	Instance string `json:"instance"`
	Name     string `json:"name"`
	Version  string `json:"version,omitempty"`
	// Status with which the last execution in the file ended; "running" if it has not ended.
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
	// Timeline of all executions in the file.
	Timeline Timeline `json:"timeline"`
	// Histories of the executions, with their whole payloads.
	Histories []Events `json:"histories"`
}

// InspectedOf returns the JSON form of a recording.
func InspectedOf(r *recording.Recording) Inspected {
	out := Inspected{Kind: r.Kind, Title: r.Title, Text: r.Text, Instances: []InspectedInstance{}}
	of := map[string][]history.Export{}
	var order []string
	for _, x := range r.Histories {
		if of[x.Instance] == nil {
			order = append(order, x.Instance)
		}
		of[x.Instance] = append(of[x.Instance], x)
		for i := range x.Events {
			if at := time.UnixMilli(x.Events[i].AtMS).UTC(); at.After(out.Now) {
				out.Now = at
			}
		}
	}
	for _, instance := range order {
		out.Instances = append(out.Instances, inspected(instance, of[instance], out.Now))
	}
	return out
}

func inspected(instance string, executions []history.Export, now time.Time) InspectedInstance {
	var sources []timeline.Source
	out := InspectedInstance{Instance: instance}
	for _, x := range executions {
		sources = append(sources, timeline.FromExport(x))
		page := Events{Instance: instance, ExecutionID: x.ExecutionID, LastEventID: x.Events[len(x.Events)-1].EventID, Events: make([]Event, len(x.Events))}
		for i := range x.Events {
			page.Events[i] = EventOf(&x.Events[i], true)
		}
		out.Histories = append(out.Histories, page)
	}
	t := timeline.New(instance, sources...)
	t.Group(sources)
	out.Timeline = TimelineOf(t, now)
	bill := timeline.Count(t, sources)
	out.Timeline.Bill = &bill
	first, last := &t.Executions[0], &t.Executions[len(t.Executions)-1]
	out.Name, out.Version, out.CreatedAt, out.EndedAt = cmp.Or(last.Name, "(unknown)"), last.Version, first.From, last.To
	switch {
	case last.End == history.KindUnknown, last.End == history.OrchestrationContinuedAsNew:
		out.Status, out.EndedAt = string(store.StatusRunning), time.Time{}
	case last.End == history.OrchestrationCompleted:
		out.Status = string(store.StatusCompleted)
	case last.Forced == history.ForcedByOperator:
		out.Status = string(store.StatusTerminated)
	case last.Failure != nil && last.Failure.Kind == history.FailureCancelled:
		out.Status = string(store.StatusCancelled)
	default:
		out.Status = string(store.StatusFailed)
	}
	return out
}
