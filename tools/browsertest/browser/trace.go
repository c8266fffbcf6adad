package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// Trace is what the browser's own tracing says of the page's main thread, for
// the time of one call of [Page.Trace]. Its times are those in which the thread
// ran: what else the machine does at the time is not in them.
type Trace struct {
	// Script is the time that scripts ran, compilation and garbage included.
	Script time.Duration
	// Layout is that for styles, layout and painting.
	Layout time.Duration
	// Tasks are those that took longer than a frame, longest first.
	Tasks []time.Duration
}

// Longest is the longest task, 0 if none took longer than a frame.
func (t Trace) Longest() time.Duration {
	if len(t.Tasks) == 0 {
		return 0
	}
	return t.Tasks[0]
}

// traceEvent is an event of the trace format, times in microseconds.
type traceEvent struct {
	Name     string  `json:"name"`
	Phase    string  `json:"ph"`
	Process  int     `json:"pid"`
	Thread   int     `json:"tid"`
	Start    float64 `json:"ts"`
	Duration float64 `json:"dur"`
	// CPU is the part of Duration in which the thread ran.
	CPU  float64 `json:"tdur"`
	Args struct {
		Name string `json:"name"`
	} `json:"args"`
}

// Trace records what the main thread of the page does while f runs. The page
// has to be the only one of its browser.
func (p *Page) Trace(f func() error) (Trace, error) {
	ctx, cancel := context.WithTimeout(p.ctx, 2*limit)
	defer cancel()
	listening, stop := context.WithCancel(ctx)
	defer stop()
	var events []traceEvent
	var failed error
	done := make(chan struct{})
	// The browser sends no event of a trace before its end, and the last one
	// closes done: nothing here is shared.
	err := chromedp.Listen(listening, func(event any) {
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			for _, raw := range e.Value {
				var decoded traceEvent
				failed = errors.Join(failed, json.Unmarshal(raw, &decoded))
				events = append(events, decoded)
			}
		case *tracing.EventTracingComplete:
			close(done)
		}
	})
	if err != nil {
		return Trace{}, err
	}
	start := tracing.StartParams{
		TransferMode: tracing.StartTransferModeReportEvents,
		TraceConfig:  &tracing.TraceConfig{IncludedCategories: []string{"toplevel", "v8", "devtools.timeline", "disabled-by-default-devtools.timeline"}},
	}
	if err := call(p, tracing.Start, start); err != nil {
		return Trace{}, err
	}
	err = f()
	// A task is in the trace when it has ended: f may have been answered from
	// inside of one.
	_, ended := Eval[bool](p, "new Promise(done => setTimeout(() => setTimeout(() => done(true))))")
	err = errors.Join(err, ended)
	if _, stopped := chromedp.Call(ctx, tracing.End, struct{}{}); stopped != nil {
		return Trace{}, errors.Join(err, stopped)
	}
	select {
	case <-done:
	case <-ctx.Done():
		return Trace{}, errors.Join(err, ctx.Err())
	}
	return summed(events), errors.Join(err, failed)
}

// scripts and layouts are the events that their times are counted from.
var (
	scripts = []string{"EvaluateScript", "FunctionCall", "RunMicrotasks", "v8.compile", "v8.compileModule", "v8.evaluateModule", "TimerFire", "FireAnimationFrame", "EventDispatch", "MinorGC", "MajorGC"}
	layouts = []string{"UpdateLayoutTree", "Layout", "PrePaint", "Paint", "Layerize", "Commit"}
)

const frame = 16 * time.Millisecond

func summed(events []traceEvent) Trace {
	type thread struct{ process, id int }
	load := map[thread]float64{}
	isMain := map[thread]bool{}
	for _, e := range events {
		of := thread{e.Process, e.Thread}
		if e.Name == "thread_name" && e.Args.Name == "CrRendererMain" {
			isMain[of] = true
		}
		if slices.Contains(scripts, e.Name) || slices.Contains(layouts, e.Name) {
			load[of] += e.Duration
		}
	}
	// An idle renderer may stand by for the next page.
	var main thread
	for of := range isMain {
		if load[of] >= load[main] {
			main = of
		}
	}
	events = slices.DeleteFunc(events, func(e traceEvent) bool { return thread{e.Process, e.Thread} != main || e.Phase != "X" })
	slices.SortStableFunc(events, func(a, b traceEvent) int { return cmp.Compare(a.Start, b.Start) })
	t := Trace{Script: covered(events, scripts), Layout: covered(events, layouts)}
	for _, e := range events {
		if d := micro(e.CPU); e.Name == "ThreadControllerImpl::RunTask" && d > frame {
			t.Tasks = append(t.Tasks, d)
		}
	}
	slices.SortFunc(t.Tasks, func(a, b time.Duration) int { return cmp.Compare(b, a) })
	return t
}

// covered is the time of the events with these names that stand in no other
// one of them; events are in the order of their starts, and those of a thread
// are nested or apart.
func covered(events []traceEvent, names []string) time.Duration {
	var sum, end float64
	for _, e := range events {
		if slices.Contains(names, e.Name) && e.Start >= end {
			sum += e.CPU
			end = e.Start + e.Duration
		}
	}
	return micro(sum)
}

func micro(us float64) time.Duration { return time.Duration(us * float64(time.Microsecond)) }
