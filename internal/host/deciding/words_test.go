package deciding

import (
	"fmt"
	"strings"

	"github.com/turnstile-go/turnstile/engine"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/host/dispatch"
	"github.com/turnstile-go/turnstile/internal/wire"
	"github.com/turnstile-go/turnstile/store"
)

// wordsOf describes a plan in the order of its fields. If full is set, it includes the committed
// events and the sent messages.
func wordsOf(p *Plan, full bool, sent func([]dispatch.Commit) string) string {
	var all []string
	say := func(format string, args ...any) { all = append(all, strings.TrimSpace(fmt.Sprintf(format, args...))) }
	if r := p.Read; r != nil {
		say("%s", readWords(r))
	}
	for _, reported := range p.Reports {
		if reported.Counted != "" {
			say("says %s %s", reported.Counted, reported.Word)
		}
	}
	if p.Again != nil {
		if full {
			say("again %s", sent(p.Again.Commits))
		} else {
			say("again %s", slotsOf(p.Again.Commits))
		}
	}
	if r := p.Run; r != nil {
		verb, kinds := "runs", ""
		if p.Inline != nil {
			verb = fmt.Sprintf("runs inline %s; runs", p.Inline.Name)
		}
		if r.Park {
			verb = "records"
		}
		for i := range r.Arrivals {
			if !full {
				kinds += " " + arrivalKind(&r.Arrivals[i])
			}
		}
		say("%s%s", verb, kinds)
	}
	if c := p.Commit; c != nil {
		say("%s", commitWords(c, full))
	}
	if len(p.Dispatch) > 0 {
		if w := sent(p.Dispatch); !full {
			say("dispatches %s", slotsOf(p.Dispatch))
		} else if w != "nothing" {
			say("sends %s", w)
		}
	}
	if w := sendWords(&p.Send); w != "" {
		say("%s", w)
	}
	if p.Record != nil {
		say("%s", writeWords(p.Record))
	}
	outcomes := ""
	for i := range p.Settled {
		outcomes += " " + settlementWords(&p.Settled[i])
	}
	if outcomes != "" {
		say("settles%s", outcomes)
	}
	switch n := p.Next; {
	case n == nil:
	case n.Again > 0:
		all = append([]string{fmt.Sprintf("begins %d again", n.Again)}, all...)
	default:
		say("goes on as new")
	}
	if p.Over && !full {
		say("over")
	}
	return strings.Join(all, ", ")
}

func readWords(r *Read) string {
	switch r.What {
	case Record:
		return "reads record"
	case RecordAgain:
		return "reads record again"
	case Behind:
		return fmt.Sprint("reads behind ", r.Event)
	case History:
		return fmt.Sprint("reads history ", r.Execution)
	case Activity:
		return fmt.Sprint("reads activity ", r.Event)
	case Damage:
		return fmt.Sprint("reads again for event ", r.Lacks.EventID)
	}
	return fmt.Sprintf("reads %+v", *r)
}

func sendWords(s *Sending) string {
	switch {
	case s.Deletion != nil:
		return "sends deletion"
	case s.Parents != nil:
		w := "tells"
		for _, of := range s.Parents.Of {
			w += " " + of.Instance
		}
		if f := s.Parents.End.Failure; f != nil {
			w += " " + f.Kind
		}
		return w
	case s.Limits != nil:
		w := "asks for limits"
		for i, due := range s.Limits.Dues {
			w += fmt.Sprintf(" %d in %s", s.Limits.Items[i].SourceEventID, due.Sub(s.Limits.Since))
		}
		return w
	case s.Attempt != nil:
		return fmt.Sprintf("sends attempt behind %d of activity %d, settles %s", s.Attempt.Item.Attempt, s.Attempt.EventID, s.Attempt.Outcome)
	case s.Beat != nil:
		return fmt.Sprintf("beats for activity %d, kept for %s", s.Beat.Key.EventID, s.Beat.Until.Sub(s.Beat.Beat.At))
	case s.Unreported != "":
		return "tells of the mark"
	case s.Continue != nil:
		return fmt.Sprintf("wakes itself at event %d", s.Continue.SchedulingEventID)
	}
	return ""
}

func writeWords(w *Write) string {
	switch {
	case !w.Hide.IsZero():
		return "hides"
	case w.Change.Suspect != nil:
		return fmt.Sprintf("suspects %q", *w.Change.Suspect)
	case w.Problem != nil:
		return "marks " + w.Problem.Kind
	case w.Change.Create != nil:
		return fmt.Sprintf("forbids start %q", w.Change.Create.StartID)
	case w.Change.Status != nil:
		return "writes " + string(*w.Change.Status)
	}
	return "changes the record"
}

func settlementWords(s *Settlement) string {
	switch {
	case s.Dead != nil:
		return "dead " + string(s.Dead.Reason)
	case s.Becomes != nil:
		return "becomes " + string(s.Becomes.Kind) + " " + s.Becomes.Details.Kind
	case s.Requeue != nil:
		return s.Outcome + " round"
	}
	return s.Outcome
}

func arrivalKind(a *engine.Arrival) string {
	switch a.Event.Kind {
	case history.ExternalEvent:
		return string(wire.ExternalRaised)
	case history.OrchestrationStarted:
		return string(wire.StartOrchestration)
	}
	return a.Event.Kind.String()
}

func commitWords(c *Commit, full bool) string {
	w := "writes nothing"
	if len(c.Turns) > 0 {
		w = "commits " + slotOf(&c.Turns[0])
		if full {
			w += ": " + brief(c.Turns[0].Events)
		}
	} else if c.Change != nil {
		w = "writes the record"
	}
	if full && len(c.Cancelled) > 0 {
		w += fmt.Sprint(", closes ", c.Cancelled)
	}
	switch {
	case c.Mark.Problem != nil && c.Mark.Moved:
		w += ", marks " + c.Mark.Problem.Kind
	case c.Mark.Recovered != nil:
		w += ", clears the mark"
	}
	return w
}

func slotOf(s *store.Turn) string {
	w := fmt.Sprint(s.First())
	if s.Last() > s.First() {
		w += fmt.Sprint("-", s.Last())
	}
	if s.Parked {
		w += " parked"
	}
	return w
}

func slotsOf(commits []dispatch.Commit) string {
	var all []string
	for i := range commits {
		w := slotOf(commits[i].Turn)
		for _, e := range commits[i].Events {
			if done, asked := commits[i].Done[e.EventID]; e.Kind == history.ActivityScheduled && asked && !done {
				w += fmt.Sprint(" with ", e.EventID)
			}
		}
		all = append(all, w)
	}
	if len(all) == 0 {
		return "nothing"
	}
	return strings.Join(all, " ")
}

// brief returns a history in the short form of the scenarios.
func brief(events []history.Event) string {
	all := make([]string, len(events))
	for i := range events {
		e := &events[i]
		failed := ""
		if e.Failure != nil {
			failed = "(" + e.Failure.Kind + ")"
		}
		switch e.Kind {
		case history.OrchestrationStarted:
			all[i] = "Started"
		case history.ActivityScheduled:
			all[i] = "Act(" + e.Name + ")"
		case history.TimerCreated:
			all[i] = "Timer"
		case history.ExternalSubscribed:
			all[i] = "Sub(" + e.Name + ")"
		case history.ExternalEvent:
			all[i] = "Ev(" + e.Name + ")"
		case history.SubOrchestrationScheduled:
			all[i] = "Child(" + e.Name + ")"
		case history.OrchestrationChained:
			all[i] = "Chained(" + e.Name + ")"
		case history.ActivityCompleted, history.SubOrchestrationCompleted:
			all[i] = fmt.Sprint("Done←", e.SourceEventID)
		case history.ActivityFailed, history.SubOrchestrationFailed:
			all[i] = fmt.Sprintf("Failed%s←%d", failed, e.SourceEventID)
		case history.TimerFired:
			all[i] = fmt.Sprint("Fired←", e.SourceEventID)
		default:
			all[i] = strings.TrimPrefix(e.Kind.String(), "Orchestration") + failed
		}
	}
	return strings.Join(all, " ")
}
