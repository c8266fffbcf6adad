package main

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

// stranger works at a shop of some thousand instances by command lines, which are counted. He has
// seen no id, and types none.
type stranger struct {
	*bench
	client *client.Client
	ids    map[string]bool
	lines  int
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	env, closeShop, err := demo.OpenShop(3000)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeShop(); err != nil {
			t.Error(err)
		}
	})
	s := &stranger{bench: newBench(t), client: env.Client(), ids: map[string]bool{}}
	s.made, s.clock.now = env.Client(), time.Now()
	s.pause = func(ctx context.Context, d time.Duration) bool { return ctx.Err() == nil }
	for d := range s.all(client.ListQuery{}) {
		s.ids[d.Instance] = true
	}
	return s
}

// all are the instances that a query finds.
func (s *stranger) all(q client.ListQuery) func(func(*client.Description) bool) {
	return func(yield func(*client.Description) bool) {
		for {
			page, err := s.client.List(s.t.Context(), q)
			if err != nil {
				s.t.Fatal(err)
			}
			for i := range page.Instances {
				if !yield(&page.Instances[i]) {
					return
				}
			}
			if q.PageToken = page.NextPageToken; q.PageToken == "" {
				return
			}
		}
	}
}

// does runs a command line of the stranger.
func (s *stranger) does(args ...string) string {
	s.t.Helper()
	s.lines++
	if i := slices.IndexFunc(args, func(a string) bool { return s.ids[a] }); i >= 0 {
		s.t.Errorf("he typed the id %s", args[i])
	}
	return s.ok(args...)
}

// task begins to count, and ends with how many command lines it took.
func (s *stranger) task(name string, most int, do func()) {
	s.t.Helper()
	s.lines = 0
	do()
	if s.lines > most {
		s.t.Errorf("%s takes %d command lines, %d are the most", name, s.lines, most)
	}
}

// The tasks of docs/internal/testing.md on the command line, where the counts stand.
func TestAStrangerDoesHisTasksOnTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newStranger(t)
	day := s.clock.now.UTC().Truncate(24 * time.Hour)
	var failed *client.Description
	declined := 0
	for d := range s.all(client.ListQuery{Status: client.StatusFailed}) {
		if strings.Contains(d.Failure.Message, "declined") {
			declined++
			if d.CreatedAt.Before(day) && !d.CreatedAt.Before(day.Add(-24*time.Hour)) && failed == nil {
				failed = d
			}
		}
	}
	if failed == nil || declined < 100 {
		t.Fatalf("%d have failed, of yesterday is %+v", declined, failed)
	}
	where := "customer = " + failed.SearchAttributes["customer"].String()
	selects := []string{"--status", "failed", "--where", where, "--since", "yesterday", "--until", "today"}

	s.task("find the order of a customer that failed yesterday", 1, func() {
		if out := s.does(append([]string{"list"}, selects...)...); !strings.Contains(out, failed.Instance) {
			t.Errorf("found are\n%s", out)
		}
	})
	var key string
	s.task("say why", 1, func() {
		out := s.does(append([]string{"describe"}, selects...)...)
		said := regexp.MustCompile("failure: .* in Pay, code declined(?s:.*)the card was declined(?s:.*)redrive --cause ([0-9a-f]{8})`").FindStringSubmatch(out)
		if said == nil {
			t.Fatalf("it is described as\n%s", out)
		}
		key = said[1]
		for _, command := range []string{"timeline", "history"} {
			if out := s.ok(append([]string{command}, selects...)...); !strings.Contains(out, "declined") {
				t.Errorf("%s prints\n%s", command, out)
			}
		}
	})
	s.task("redrive all of its kind", 2, func() {
		var dry api.Batch
		if err := json.Unmarshal([]byte(s.does("redrive", "--cause", key, "--dry-run", "--output", "json")), &dry); err != nil || dry.Selected != declined {
			t.Fatalf("it would redrive %d of %d: %v", dry.Selected, declined, err)
		}
		s.does("redrive", "--cause", key, "--yes", strconv.Itoa(declined), "--reason", "the bank is well again", "--rate", "10000")
		if err := demo.Redriven(t.Context(), s.client, failed); err != nil {
			t.Fatal(err)
		}
		if out := s.ok("describe", failed.Instance); !strings.Contains(out, "completed") {
			t.Errorf("what was redriven is\n%s", out)
		}
	})
	s.task("redrive parents and their children that failed alike", 2, func() {
		var all []*client.Description
		var parents, children []string
		for d := range s.all(client.ListQuery{Status: client.StatusFailed, Words: "no driver"}) {
			all = append(all, d)
			if d.Parent == nil {
				parents = append(parents, d.Instance)
			} else {
				children = append(children, d.Instance)
			}
		}
		r := s.run("redrive", "--words", "no driver", "--dry-run")
		if r.out != strings.Join(parents, "\n")+"\n" || !strings.Contains(r.err, strconv.Itoa(len(children))+" children are left out") || len(children) != len(parents) || len(parents) < 50 {
			t.Errorf("of %d parents and %d children it would take\n%s%s", len(parents), len(children), r.out, r.err)
		}
		s.does("redrive", "--words", "no driver", "--yes", strconv.Itoa(len(parents)), "--rate", "10000")
		for _, d := range all {
			if err := demo.Redriven(t.Context(), s.client, d); err != nil {
				t.Fatal(err)
			}
		}
	})
	s.task("change a limit", 2, func() {
		if out := s.does("limit", "list"); !strings.Contains(out, demo.ShopLimit) {
			t.Errorf("the limits are\n%s", out)
		}
		s.does("limit", "set", demo.ShopLimit, "5")
		if l, err := s.client.Limit(t.Context(), demo.ShopLimit); err != nil || l.Permits != 5 {
			t.Errorf("the limit is %+v, %v", l, err)
		}
	})
	s.task("approve one", 2, func() {
		out := s.does("list", "--status", "running", "--words", "waits for approval", "--limit", "1", "--output", "json")
		var found api.InstanceList
		if err := json.Unmarshal([]byte(out), &found); err != nil || len(found.Instances) != 1 {
			t.Fatalf("found are\n%s", out)
		}
		customer := found.Instances[0].SearchAttributes["customer"].String()
		s.does("raise", "approved", "--status", "running", "--words", "waits for approval", "--where", "customer = "+customer, "--since", "1h", "--data", "true")
		if _, err := s.client.Wait(t.Context(), found.Instances[0].Instance); err != nil {
			t.Fatal(err)
		}
	})
}

// One instance that flags select: what they find of others is told, and nothing is sent to one of
// several.
func TestFlagsSelectOneInstance(t *testing.T) {
	t.Parallel()
	b := sampled(t)
	if r := b.run("describe", "--name", "Fulfil", "--since", "2d"); r.status != exitOK || !strings.Contains(r.out, "order-2") || r.err != "several instances match, and this is the newest: order-2, order-1, order-3\n" {
		t.Errorf("%s", r)
	}
	if r := b.run("describe", "--where", `customer = "ada"`); r.status != exitOK || !strings.Contains(r.out, "order-1") || r.err != "" {
		t.Errorf("%s", r)
	}
	b.fails(exitNotFound, []string{"no instance matches --status terminated"}, "timeline", "--status", "terminated")
	b.fails(exitFailed, []string{"nothing was sent, because several instances match: order-2, order-1", "narrow the flags"}, "raise", "approved", "--name", "Fulfil", "--since", "2h")
	b.fails(exitUsage, []string{"not both", `"order-1" is an operand`}, "history", "order-1", "--status", "failed")
	b.fails(exitUsage, []string{"raise needs INSTANCE EVENT, or EVENT and flags"}, "raise", "approved")
	b.fails(exitUsage, []string{"describe needs INSTANCE, or flags that select it"}, "describe")
	b.fails(exitUsage, []string{"--early needs INSTANCE"}, "raise", "approved", "--status", "running", "--early")
	if sent := b.sentFor(); len(sent) != 0 {
		t.Errorf("sent were %v", sent)
	}
	if r := b.run("raise", "approved", "--name", "Survey"); r.status != exitOK || len(b.sentFor()) != 1 || b.sentFor()[0] != "survey 1" {
		t.Errorf("%s, sent for %v", r, b.sentFor())
	}
}

// What failed alike is acted on by the key of its cause, and nothing else is.
func TestABatchTakesWhatFailedByOneCause(t *testing.T) {
	t.Parallel()
	for _, b := range []*bench{sampled(t), sampled(t).byConsole()} {
		var l api.FailureList
		if err := json.Unmarshal([]byte(b.ok("failures", "--since", "2d", "--output", "json")), &l); err != nil || len(l.Causes) != 2 {
			t.Fatalf("%+v, %v", l.Causes, err)
		}
		for _, c := range l.Causes {
			command, want := "redrive", "order-3\n"
			if c.Status == "stuck" {
				command, want = "wake", "order-2\n"
			}
			if out := b.ok(command, "--cause", c.Key, "--dry-run"); out != want {
				t.Errorf("%s would act on %q, want %q", command, out, want)
			}
			if out := b.ok(command, "--cause", c.Key, "--since", "1m", "--dry-run"); out != "" {
				t.Errorf("of the last minute it would act on %q", out)
			}
		}
		b.fails(exitUsage, []string{"cannot be combined with --problem"}, "wake", "--cause", l.Causes[0].Key, "--problem", "panic")
		if got := strings.Join(b.offers("redrive", "--cause", ""), "|"); !strings.Contains(got, l.Causes[0].Key+"\t1 ") {
			t.Errorf("a shell is offered %q", got)
		}
	}
}
