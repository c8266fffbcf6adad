package simulation

import (
	"fmt"
	"strings"
	"time"
)

// String shows a program as the code that it stands for. A variable has the
// number of its statement, as the transcript has.
func (p *program) String() string {
	var t strings.Builder
	fmt.Fprintf(&t, "func %s(ctx) {\n", p.title())
	if p.strict {
		t.WriteString("\t// in strict mode\n")
	}
	indent := "\t"
	if p.catches {
		t.WriteString(indent + "defer ifCancelled(func() { await(activity(999)) }) // and complete with what there is\n")
	}
	if p.rounds > 1 {
		fmt.Fprintf(&t, "%sfor range %d { // each round is an execution, continued as new\n", indent, p.rounds)
		writeBlock(&t, p.body, indent+"\t")
		t.WriteString(indent + "}\n")
	} else {
		writeBlock(&t, p.body, indent)
	}
	switch {
	case p.fails:
		t.WriteString(indent + "return error\n")
	default:
		t.WriteString(indent + "return transcript\n")
	}
	t.WriteString("}\n")
	return t.String()
}

func writeBlock(t *strings.Builder, b []*statement, indent string) {
	for _, s := range b {
		code := s.code()
		if s.kind == kBranches {
			code = "join(\n"
			for _, branch := range s.branches {
				var inner strings.Builder
				writeBlock(&inner, branch, indent+"\t\t")
				code += indent + "\tgo func() {\n" + inner.String() + indent + "\t},\n"
			}
			code += indent + ")"
		}
		fmt.Fprintf(t, "%sv%d := %s\n", indent, s.id, code)
	}
}

// activityCode is one activity of a statement.
func (s *statement) activityCode(fn string) string {
	args := fmt.Sprint(s.id)
	if s.fails > 0 {
		args += fmt.Sprintf(", fails %s", times(s.fails))
	}
	if d := s.doing(); d != doesPlainly {
		args += fmt.Sprintf(", %q", string(d))
	}
	if s.attempts > 1 {
		args += fmt.Sprintf(", %d attempts", s.attempts)
	}
	return fn + "(" + args + ")"
}

// several are the activities of a statement. The first of those that may fail
// does not.
func (s *statement) several() string {
	if s.n == 0 {
		return s.firstOf().activityCode("activity")
	}
	text := s.activityCode("activity")
	if s.n > 1 {
		text += fmt.Sprintf(" ×%d", s.n)
	}
	return s.firstOf().activityCode("activity") + ", " + text
}

func (s *statement) firstOf() *statement {
	first := *s
	if s.kind != kJoin {
		first.fails = 0
	}
	return &first
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// code is a statement other than branches.
func (s *statement) code() string {
	activity, timer, event := s.activityCode("activity"), fmt.Sprintf("timer(%s)", s.d), fmt.Sprintf("event(%q)", eventName(s.n))
	child := fmt.Sprintf("child(P%d%s)", s.n, s.atVersion())
	switch s.kind {
	case kAct:
		return "await(" + activity + ")"
	case kInline:
		return "await(" + s.activityCode("inlineActivity") + ")"
	case kTimer:
		return "await(" + timer + ")"
	case kEvent:
		return "await(" + event + ")"
	case kEventOr:
		return "race(" + timer + ", " + event + ")"
	case kRace:
		return "race(" + timer + ", " + activity + ")"
	case kWithin:
		return "race(" + timer + ", " + child + ")"
	case kKeep:
		return "selectKeepingLosers(" + timer + ", " + activity + ") // then await both"
	case kJoin:
		return "join(" + s.several() + ")"
	case kSettle:
		return "settle(" + s.several() + ")"
	case kAny:
		return "any(" + s.several() + ")"
	case kCompleted:
		return "asCompleted(" + s.several() + ")"
	case kChild:
		return "await(" + child + ")"
	case kDetach:
		return fmt.Sprintf("detach(P%d%s)", s.n, s.atVersion())
	case kSystem:
		return [...]string{"now()", "guid()", "sideEffect(draw)"}[s.n]
	case kStatus:
		return "setCustomStatus()"
	case kScope:
		return "await(" + activity + ") in a scope that is cancelled behind await(" + timer + ")"
	case kOpen:
		return "start(" + activity + ", " + timer + ") // nobody awaits them"
	case kWaits:
		return fmt.Sprintf("a, b, c := %s ×3; wait %d is cancelled; await the other two", event, 1+s.attempts%2)
	case kPolicy, kOnce, kDeadly:
		return "await(" + activity + ") // " + s.limits()
	case kPending:
		return "await(" + activity + ") // a client has its token; " + s.limits()
	case kBeat:
		return fmt.Sprintf("race(timer(%s), %s) // %s", s.d+time.Second, activity, s.limits())
	case kSteps:
		return fmt.Sprintf("%d × await(%s), one behind the other // in batches of %d", s.n+2, s.activityCode("inlineActivity"), s.attempts)
	case kTimeout:
		child := ""
		if s.n == 2 {
			child = ", child(waits)"
		}
		return fmt.Sprintf("await(%s) in a scope with a timeout of %s, which has timer(3h), event(never)%s too", activity, s.d, child)
	case kLeft:
		return "start(child(waits)) // which ends with its parent: " + []string{"cancelled", "terminated", "cancelled"}[s.n]
	case kPatched:
		return "patched ? await(activity 1) : await(activity 0)"
	case kTell:
		return "detach(listens), and raise an event for it"
	case kCall:
		return "detach(answers), await its event, and cancel it"
	case kLook:
		return fmt.Sprintf("%d × if %s has come, take it // with await(%s) in between", looks, event, s.activityCode("activity"))
	case kHold:
		return fmt.Sprintf("e := %s; up to %d × { selectKeepingLosers(%s, e); await(%s) } in a scope that is cancelled then", event, looks, timer, s.activityCode("activity"))
	case kSaga:
		return fmt.Sprintf("saga(%d steps, the last of them %s) // what was done is undone, the last first, if one fails or it is cancelled", s.n+1, s.activityCode("activity"))
	case kShare:
		child := fmt.Sprintf("child(shared, %s, or the one that is there)", sharedName(s.n))
		if s.fails > 0 {
			return fmt.Sprintf("race(timer(%s), %s)", s.d, child)
		}
		return "await(" + child + ")"
	}
	return "unknown"
}

// limits of the statement's activities.
func (s *statement) limits() string {
	r := s.policy()
	switch {
	case r == nil:
		return "no time limit"
	case r.AtMostOnce:
		return "at most once"
	}
	return fmt.Sprintf("heartbeat timeout %dms, for all attempts %dms", r.HeartbeatTimeoutMS, r.TotalTimeoutMS)
}
