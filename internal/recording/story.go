package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
)

// The lines of a story (package simulation, story.go):
//
//	root0 is completed with {"log":[]}
//	  execution 1
//	    1  000:00:00.000  OrchestrationStarted            P0 {}
//	    3  000:00:01.250  ActivityCompleted     of 2      "r0.11.0"
var (
	storyInstance  = regexp.MustCompile(`^(\S.*?) is (?:$|running|completed|failed|cancelled|terminated|stuck|corrupt)`)
	storyExecution = regexp.MustCompile(`^  execution (\d+)$`)
	storyEvent     = regexp.MustCompile(`^    (\d+)\s{2,}(-?\d+):(\d\d):(\d\d)\.(\d{3})\s{2,}([A-Z]\w+)(?:\s{2,}of (\d+))?(?:\s{2,}(.*))?$`)
	storyDue       = regexp.MustCompile(` ?\bdue (-?\d+):(\d\d):(\d\d)\.(\d{3})`)
	storyFailure   = regexp.MustCompile(`\[(\w+): (.*)\]$`)
	storyAs        = regexp.MustCompile(` as (.+?)(?: due \d| [\[{"]| (?:null|true|false|-?\d+)$|$)`)
)

// storyStarts is the date of the start of a story. The times in a story are relative to the start of its run.
var storyStarts = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// decodeStory reads the histories at the end of a story. Texts that the story has truncated, such as payloads, stay
// truncated.
func decodeStory(text string) (*Recording, error) {
	head, tables, found := strings.Cut("\n"+text, "\nHISTORIES\n")
	if !found {
		return nil, ErrUnknown
	}
	kinds := map[string]history.Kind{}
	for _, k := range history.Kinds() {
		kinds[k.String()] = k
	}
	r := &Recording{Kind: KindStory, Title: storyTitle(head), Text: strings.TrimSpace(head)}
	instance := ""
	var x *history.Export
	for line := range strings.Lines(tables) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "    ") && x != nil:
			e, err := storyLine(line, kinds)
			if err != nil {
				return nil, fmt.Errorf("instance %q execution %d: %w", x.Instance, x.ExecutionID, err)
			}
			x.Events = append(x.Events, e)
		case storyExecution.MatchString(line):
			n, err := strconv.ParseInt(storyExecution.FindStringSubmatch(line)[1], 10, 64)
			if err != nil {
				return nil, err
			}
			r.Histories = append(r.Histories, history.Export{Instance: instance, ExecutionID: n})
			x = &r.Histories[len(r.Histories)-1]
		case storyInstance.MatchString(line):
			instance, x = storyInstance.FindStringSubmatch(line)[1], nil
		}
	}
	all := r.Histories[:0]
	for _, x := range r.Histories {
		if len(x.Events) > 0 {
			all = append(all, x)
		}
	}
	if r.Histories = all; len(all) == 0 {
		return nil, errors.New("the story has no histories")
	}
	return r, nil
}

// storyTitle returns the first violation of a story, or else its first line.
func storyTitle(head string) string {
	if _, broken, ok := strings.Cut(head, "\nBROKEN\n"); ok {
		line, _, _ := strings.Cut(broken, "\n")
		return strings.TrimSpace(line)
	}
	for line := range strings.Lines(head) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "RUN:") {
			return strings.TrimSpace(strings.TrimPrefix(line, "RUN:"))
		}
	}
	return ""
}

func storyLine(line string, kinds map[string]history.Kind) (history.Event, error) {
	m := storyEvent.FindStringSubmatch(line)
	if m == nil {
		return history.Event{}, fmt.Errorf("line %q is not an event", line)
	}
	e := history.Event{EventID: whole(m[1]), AtMS: storyTime(m[2:6]), Kind: kinds[m[6]], SourceEventID: whole(m[7])}
	if e.Kind == history.KindUnknown {
		return e, fmt.Errorf("%w: event %d is %s, which this build does not know", history.ErrNewer, e.EventID, m[6])
	}
	storyRest(&e, m[8])
	return e, nil
}

// storyRest parses the optional rest of a line: name, instance, due time, payload, failure.
func storyRest(e *history.Event, rest string) {
	if m := storyFailure.FindStringSubmatchIndex(rest); m != nil {
		e.Failure = &history.Failure{Kind: rest[m[2]:m[3]], Message: rest[m[4]:m[5]]}
		rest = strings.TrimSpace(rest[:m[0]])
	}
	if e.Kind == history.SystemCall {
		storyCall(e, rest)
		return
	}
	hasName := e.Kind == history.OrchestrationStarted || e.Kind == history.ActivityScheduled || e.Kind == history.ExternalSubscribed ||
		e.Kind == history.ExternalEvent || e.Kind == history.ExternalRejected || e.Kind == history.SubOrchestrationScheduled || e.Kind == history.OrchestrationChained
	if hasName && !strings.HasPrefix(rest, "as ") && !strings.HasPrefix(rest, "{") && !strings.HasPrefix(rest, `"`) {
		e.Name, rest, _ = strings.Cut(rest, " ")
		rest = " " + rest
	} else {
		rest = " " + rest
	}
	if strings.HasPrefix(rest, " as ") {
		if m := storyAs.FindStringSubmatchIndex(rest); m != nil {
			e.Instance, rest = rest[m[2]:m[3]], rest[m[3]:]
		}
	}
	if m := storyDue.FindStringSubmatch(rest); m != nil {
		e.FireAtMS = storyTime(m[1:5])
		if e.Kind == history.TimerCreated {
			e.DurationMS = e.FireAtMS - e.AtMS
		}
		rest = strings.Replace(rest, m[0], "", 1)
	}
	if rest = strings.TrimSpace(rest); rest == "" {
		return
	}
	if e.Payload = []byte(rest); !json.Valid(e.Payload) {
		// Marshalling a string cannot fail.
		e.Payload, _ = json.Marshal(rest + "…")
	}
}

// storyCall parses the rest of a system call, whose name may contain spaces. The payload is the JSON at its end, or a
// truncated object.
func storyCall(e *history.Event, rest string) {
	for at := 0; at <= len(rest); at++ {
		if at > 0 && rest[at-1] != ' ' {
			continue
		}
		if json.Valid([]byte(rest[at:])) {
			e.Name, e.Payload = strings.TrimSpace(rest[:at]), []byte(rest[at:])
			break
		}
	}
	if e.Payload == nil {
		e.Name = rest
		if at := strings.Index(rest, " {"); at >= 0 {
			// The line was truncated. Marshalling a string cannot fail.
			e.Name = rest[:at]
			e.Payload, _ = json.Marshal(rest[at+1:] + "…")
		}
	}
	name := " " + e.Name // the text of a call without a name begins with its instance
	if m := storyAs.FindStringSubmatchIndex(name); m != nil {
		e.Name, e.Instance = strings.TrimSpace(name[:m[0]]), name[m[2]:m[3]]
	}
}

func storyTime(parts []string) int64 {
	hours, before := strings.CutPrefix(parts[0], "-") // from a clock that is behind
	ms := ((whole(hours)*60+whole(parts[1]))*60+whole(parts[2]))*1000 + whole(parts[3])
	if before {
		ms = -ms
	}
	return storyStarts.UnixMilli() + ms
}

// whole parses digits; it returns 0 for none and for an overflow.
func whole(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
