package doctor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/store"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

// listed are instances by status; of "" there is an error where refused is set.
type listed struct {
	all     []client.Description
	refused error
}

func (l listed) List(_ context.Context, q client.ListQuery) (page client.ListPage, err error) {
	for _, d := range l.all {
		if (q.Status == "" || d.Status == q.Status) && (q.Name == "" || d.Name == q.Name) && (q.To.IsZero() || d.CreatedAt.Before(q.To)) {
			page.Instances = append(page.Instances, d)
		}
	}
	return page, l.refused
}

// lines are findings, a line each.
func lines(all []api.Finding) string {
	var out strings.Builder
	for _, f := range all {
		out.WriteString(f.Level + " " + f.Area + " " + f.Text + "\n")
	}
	return out.String()
}

func TestHealthyInstancesAreReportedAsHealthy(t *testing.T) {
	t.Parallel()
	found, err := doctor.Instances(t.Context(), listed{all: []client.Description{{Instance: "a", Status: client.StatusRunning, CreatedAt: noon.Add(-time.Hour), UpdatedAt: noon.Add(-time.Hour)}}}, noon, 24*time.Hour)
	want := "ok instances no instance is stuck\nok instances no instance is corrupt\nok instances no running instance has been idle for 1d00h\n"
	if got := lines(found); err != nil || got != want {
		t.Errorf("found is\n%s, %v, want\n%s", got, err, want)
	}
}

func TestInstancesThatAreNotWellAreNamedByTheKindOfTheirProblem(t *testing.T) {
	t.Parallel()
	var all []client.Description
	for _, id := range []string{"p-1", "p-2", "p-3", "p-4"} {
		all = append(all, client.Description{Instance: id, Status: client.StatusStuck, CreatedAt: noon, Problem: &store.Problem{Kind: "panic"}})
	}
	all = append(all, client.Description{Instance: "k", Status: client.StatusCorrupt, CreatedAt: noon},
		client.Description{Instance: "idle", Status: client.StatusRunning, CreatedAt: noon.Add(-72 * time.Hour), UpdatedAt: noon.Add(-48 * time.Hour)},
		client.Description{Instance: "spins", Status: client.StatusRunning, CreatedAt: noon, UpdatedAt: noon, LoopedAt: noon.Add(-time.Minute)})
	found, err := doctor.Instances(t.Context(), listed{all: all}, noon, 24*time.Hour)
	want := "problem instances 4 instances are stuck (panic): p-1, p-2, p-3 …\n" +
		"problem instances 1 instance is corrupt (corrupt): k\n" +
		"problem instances 1 instance loops without a pause, and is slowed down: spins\n" +
		"warning instances the records of 1 running instance have not changed for 1d00h: idle\n"
	if got := lines(found); err != nil || got != want {
		t.Errorf("found is\n%s, %v, want\n%s", got, err, want)
	}
	refused := errors.New("refused")
	if _, err := doctor.Instances(t.Context(), listed{refused: refused}, noon, time.Hour); !errors.Is(err, refused) {
		t.Errorf("of a list that is refused the error is %v", err)
	}
}

func TestAReportIsPrintedAreaByAreaAndToAProgramInLines(t *testing.T) {
	t.Parallel()
	report := &api.Doctor{Place: "stack shop", Problems: 1, Unknown: 1, Findings: []api.Finding{
		{Area: "queues", Level: doctor.OK, Text: "empty"},
		{Area: "tables", Level: doctor.Unknown, Text: "not checked"},
		{Area: "queues", Level: doctor.Problem, Text: "full\x1b[2J", Advice: "drain it"},
	}}
	print := func(screen term.Screen, out *strings.Builder) string {
		doctor.Print(&screen, report)
		return out.String()
	}
	var person, program strings.Builder
	got := print(term.Fixed(&person, 80, term.ColoursNever, func(string) string { return "" }), &person)
	want := "stack shop\n\nqueues\n  ✓ empty\n  ✗ full\ufffd[2J\n    drain it\n\ntables\n  ? not checked\n\n1 problem, 0 warnings, 1 not checked\n"
	if got != want {
		t.Errorf("a person reads\n%s, want\n%s", got, want)
	}
	got = print(term.Screen{Writer: &program}, &program)
	if want := "ok\tqueues\tempty\t\nunknown\ttables\tnot checked\t\nproblem\tqueues\tfull\ufffd[2J\tdrain it\n"; got != want {
		t.Errorf("a program reads %q, want %q", got, want)
	}
}

func TestACoordinatorThatAdmitsNoInstanceIsNamed(t *testing.T) {
	t.Parallel()
	waits := func(id, key string) client.Description {
		return client.Description{Instance: id, Status: client.StatusQueued, CreatedAt: noon, Suspension: &store.Suspension{EventID: 2, LimitKey: key}}
	}
	coordinator := func(key string, status client.Status) client.Description {
		return client.Description{Instance: "limit:" + key, Name: "turnstile.limit", Status: status, CreatedAt: noon.Add(-72 * time.Hour), UpdatedAt: noon.Add(-72 * time.Hour)}
	}
	all := []client.Description{waits("a", "runs"), coordinator("runs", client.StatusRunning)}
	for want, all := range map[string][]client.Description{
		"ok instances instances wait for a permit of 1 limit; the coordinators run\nok instances no running instance has been idle": all,
		"problem instances the coordinator limit:ended is terminated, so these instances cannot start: b\n":                         append(all, waits("b", "ended"), coordinator("ended", client.StatusTerminated)),
		"problem instances the coordinator limit:held is suspended, so these instances cannot start: c\n":                           append(all, waits("c", "held"), coordinator("held", client.StatusSuspended)),
		"problem instances the coordinator limit:purged is missing, so these instances cannot start: d\n":                           append(all, waits("d", "purged")),
	} {
		found, err := doctor.Instances(t.Context(), listed{all: all}, noon, 24*time.Hour)
		if got := lines(found); err != nil || !strings.Contains(got, want) {
			t.Errorf("found is\n%s, %v, want\n%s", got, err, want)
		}
	}
}
