package turnstile_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/kept"
)

// The random programs and histories of each build contain everything that a history can contain. An
// earlier build need not contain what a later build has added.
func TestKeptHistoriesCoverEveryKindOfEvent(t *testing.T) {
	t.Parallel()
	kinds := []string{}
	for _, k := range history.Kinds() {
		kinds = append(kinds, "event "+k.String())
	}
	wanted := map[string][]string{
		"v0": append([]string{
			"statement act", "statement inline", "statement timer", "statement event", "statement event or timeout", "statement race",
			"statement keep", "statement join", "statement settle", "statement any", "statement as completed", "statement branches",
			"statement child", "statement detach", "statement system", "statement status", "statement scope", "statement open",
			"statement child within", "statement policy", "statement beat", "statement once", "statement pending", "statement steps",
			"statement timeout", "statement left", "statement patched", "statement tell", "statement call", "statement deadly",
			"statement waits", "statement share", "statement look", "statement hold", "statement saga",
			"strict program", "program in versions", "program that continues as new", "version that is asked for", "pinned version",
			"inline activity", "retry policy", "total timeout", "heartbeat timeout", "at most once", "batch", "attempts made",
			"child of a chosen id", "child that is cancelled with its parent", "child that is terminated with its parent", "existing child",
			"parent's token", "secret", "token", "parked arrivals", "carried sender ids", "carried custom status", "carried search attributes",
			"system call now", "system call guid", "system call side_effect", "system call raise_event", "system call cancel_instance",
			"system call patch", "end imposed: terminated", "instance that is no FIFO group",
			"failure application", "failure cancelled", "failure timeout", "failure total_timeout", "failure heartbeat_timeout", "failure lost",
			"failure interrupted", "failure with a code", "custom status", "search attributes", "history without the marker of a patch",
			"system call trace", "end imposed: policy", "end imposed: limit", "failure panic", "failure limit", "failure too_large",
			"failure already_exists", "failure invalid_input", "failure that is final",
		}, kinds...),
	}
	for build, features := range wanted {
		has := map[string]int{}
		for _, file := range bundles(t) {
			if filepath.Base(filepath.Dir(filepath.Dir(file))) != build {
				continue
			}
			runs, err := kept.ReadBundle(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range runs {
				has["program run"]++
				countPrograms(has, r)
				for _, x := range r.Executions {
					countExecution(has, x)
					countUnpatched(has, r, x)
					countEvents(has, x.Events)
				}
			}
		}
		for _, application := range []string{"agent", "approval", "files", "orders", "subscription", "words"} {
			files, err := filepath.Glob(filepath.Join(histories, build, application, "*.json"))
			if err != nil || len(files) == 0 {
				t.Errorf("build %s has no histories of the sample application %s: %v", build, application, err)
			}
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				x, err := history.DecodeExport(data)
				if err != nil {
					t.Errorf("%s: %v", file, err)
				}
				countEvents(has, x.Events)
			}
		}
		if has["program run"] < 500 {
			t.Errorf("build %s has %d random programs, want 500", build, has["program run"])
		}
		for _, f := range features {
			if has[f] == 0 {
				t.Errorf("build %s has no history with %s", build, f)
			}
		}
		if testing.Verbose() {
			for _, f := range slices.Sorted(maps.Keys(has)) {
				t.Logf("%s: %6d × %s", build, has[f], f)
			}
		}
	}
}

func countIf(has map[string]int, feature string, there bool) {
	if there {
		has[feature]++
	}
}

func countPrograms(has map[string]int, r *kept.Run) {
	var block func(b []*kept.Statement)
	block = func(b []*kept.Statement) {
		for _, s := range b {
			has["statement "+s.Do]++
			countIf(has, "version that is asked for", s.Version != "")
			for _, branch := range s.Branches {
				block(branch)
			}
		}
	}
	for _, p := range r.Programs {
		block(p.Body)
		countIf(has, "strict program", p.Strict)
		countIf(has, "program in versions", len(p.Versions) > 0)
		countIf(has, "program that continues as new", p.Rounds > 1)
	}
}

func countExecution(has map[string]int, x *kept.Execution) {
	start := x.Events[0].Start
	countIf(has, "parked arrivals", len(x.Parked) > 0)
	countIf(has, "token", x.TokenOf > 0)
	countIf(has, "secret", start.Secret != "")
	countIf(has, "parent's token", start.Parent != nil && start.Parent.Token != "")
	countIf(has, "custom status", x.CustomStatus != "")
	countIf(has, "search attributes", len(x.Search) > 0)
	countIf(has, "instance that is no FIFO group", slices.ContainsFunc([]byte(x.Instance), func(c byte) bool { return c <= ' ' || c > '~' }))
}

// countUnpatched counts activities that code from before a patch scheduled: with the patch the
// statement would have scheduled another.
func countUnpatched(has map[string]int, r *kept.Run, x *kept.Execution) {
	patched := map[int]bool{}
	for _, p := range r.Programs {
		for _, s := range p.Body {
			if p.Name == x.Events[0].Name && s.Do == "patched" {
				patched[s.ID] = true
			}
		}
	}
	for i := range x.Events {
		var in struct {
			ID int `json:"hidden"`
			I  int `json:"i"`
		}
		e := &x.Events[i]
		countIf(has, "history without the marker of a patch",
			e.Kind == history.ActivityScheduled && json.Unmarshal(e.Payload, &in) == nil && patched[in.ID] && in.I == 0)
	}
}

func countEvents(has map[string]int, events []history.Event) {
	for i := range events {
		e := &events[i]
		has["event "+e.Kind.String()]++
		countIf(has, "system call "+e.Op, e.Op != "")
		countIf(has, "end imposed: "+e.Forced, e.Forced != "")
		countIf(has, "inline activity", e.Inline)
		countIf(has, "child of a chosen id", e.ExplicitID)
		countIf(has, "existing child", e.UseExisting)
		countIf(has, "child that is cancelled with its parent", e.OnParentEnd == history.ParentEndCancel)
		countIf(has, "child that is terminated with its parent", e.OnParentEnd == history.ParentEndTerminate)
		if r := e.Retry; r != nil {
			has["retry policy"]++
			countIf(has, "total timeout", r.TotalTimeoutMS > 0)
			countIf(has, "heartbeat timeout", r.HeartbeatTimeoutMS > 0)
			countIf(has, "at most once", r.AtMostOnce)
			countIf(has, "batch", r.Batch > 0)
			countIf(has, "attempts made", r.AttemptsMade > 0)
		}
		if f := e.Failure; f != nil {
			has["failure "+f.Kind]++
			countIf(has, "failure with a code", f.Code != "")
			countIf(has, "failure that is final", e.Kind == history.ActivityFailed && !f.Retryable)
			countIf(has, "failure with details", len(f.Details) > 0)
		}
		if s := e.Start; s != nil && e.Kind == history.OrchestrationStarted {
			countIf(has, "pinned version", e.Version != "")
			countIf(has, "carried sender ids", len(s.SenderIDs) > 0)
			countIf(has, "carried custom status", len(s.States) > 0)
			countIf(has, "carried search attributes", len(s.SearchAttributes) > 0)
		}
	}
}
