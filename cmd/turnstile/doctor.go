package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/doctor"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func doctorCommand() *command {
	return &command{
		name: "doctor", most: 0, also: []string{"check", "health", "status", "diagnose"},
		short: "check the whole stack, in one report",
		long: paragraph(
			"Checks access and permissions to read, versions, functions, event sources, queues, tables,",
			"settings that have to fit together, the clock, dead letters, and instances that are stuck,",
			"corrupt or idle. It changes nothing, and says what it may not look at. With `turnstile dev`",
			"it checks what exists there. The exit status is 1 if there is a problem. Needs the policies",
			"of the outputs WatchPolicyArn and DoctorPolicyArn."),
		examples: []string{"turnstile doctor --stack shop", "turnstile doctor --output json | jq '.findings[] | select(.level != \"ok\")'"},
		declare: func(c *cli, flags *flag.FlagSet) action {
			idle := flags.Duration("idle", 7*24*time.Hour, "a running instance is idle if it has not changed for this `TIME`")
			return func(ctx context.Context, _ []string) error {
				if *idle <= 0 {
					return usagef("--idle %s: more than 0", *idle)
				}
				return c.doctor(ctx, *idle)
			}
		},
	}
}

// check looks at something.
type check struct {
	area string
	look func(ctx context.Context) ([]api.Finding, error)
}

// doctorPatience bounds each look.
const doctorPatience = 30 * time.Second

func (c *cli) doctor(ctx context.Context, idle time.Duration) error {
	backend := c.open(&c.settings)
	checks := append(backend.Checks(c.now), check{"instances", func(ctx context.Context) ([]api.Finding, error) {
		cl, err := backend.Instances(ctx)
		if err != nil {
			return nil, err
		}
		return c.lookAtInstances(ctx, cl, idle)
	}})
	found := make([][]api.Finding, len(checks))
	var usage *usageError
	var once sync.Once
	var working sync.WaitGroup
	for i, look := range checks {
		working.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, doctorPatience)
			defer cancel()
			got, err := look.look(ctx)
			var wrong *usageError
			if errors.As(err, &wrong) {
				once.Do(func() { usage = wrong })
			}
			if err != nil {
				got = append(got, couldNot(look.area, err))
			}
			found[i] = got
		})
	}
	working.Wait()
	if usage != nil {
		return usage
	}
	report := api.Doctor{Now: c.now().UTC().Truncate(time.Millisecond), Place: c.settings.where()}
	for _, f := range slices.Concat(found...) {
		report.Findings = append(report.Findings, f)
		switch f.Level {
		case doctor.Problem:
			report.Problems++
		case doctor.Warning:
			report.Warnings++
		case doctor.Unknown:
			report.Unknown++
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := c.printReport(&report); err != nil {
		return err
	}
	if report.Problems > 0 {
		return fmt.Errorf("%s", plain.Plural(report.Problems, "problem", "problems"))
	}
	return nil
}

// couldNot is the finding that something could not be looked at: a permission that
// is missing is unknown, all else a problem.
func couldNot(area string, err error) api.Finding {
	f := api.Finding{Area: area, Level: doctor.Problem, Text: plain.Message(err), Advice: hint(err)}
	if said := explained(err); said != nil {
		f.Text, f.Advice = said.Message, said.Advice
		if said.Code == api.CodeDenied {
			f.Level, f.Text = doctor.Unknown, "not looked at: "+said.Message
		}
	}
	return f
}

// lookAtInstances says which instances are not well.
func (c *cli) lookAtInstances(ctx context.Context, cl instances, idle time.Duration) ([]api.Finding, error) {
	var out []api.Finding
	add := func(level, advice, format string, args ...any) {
		out = append(out, api.Finding{Area: "instances", Level: level, Text: fmt.Sprintf(format, args...), Advice: advice})
	}
	for _, status := range []client.Status{client.StatusStuck, client.StatusCorrupt} {
		page, err := cl.List(ctx, client.ListQuery{Status: status, PageSize: shownUnwell})
		if err != nil {
			return nil, err
		}
		kinds := map[string][]string{}
		for i := range page.Instances {
			d := &page.Instances[i]
			kind := string(status)
			if d.Problem != nil {
				kind = d.Problem.Kind
			}
			kinds[kind] = append(kinds[kind], d.Instance)
		}
		more := ""
		if page.NextPageToken != "" {
			more = " or more"
		}
		for _, kind := range sortedKeys(kinds) {
			verb := "are"
			if len(kinds[kind]) == 1 && more == "" {
				verb = "is"
			}
			add(doctor.Problem, views.ProblemAdvice(kind), "%s%s %s %s (%s): %s", plain.Plural(len(kinds[kind]), "instance", "instances"), more, verb, status, kind, firstOf(kinds[kind]))
		}
		if len(page.Instances) == 0 {
			add(doctor.OK, "", "no instance is %s", status)
		}
	}
	looping, err := c.loopingAmong(ctx, cl)
	if err != nil {
		return nil, err
	}
	if len(looping) > 0 {
		add(doctor.Problem, "Let them wait: for a timer or an activity, before they continue as new or send again; `turnstile terminate` ends one for good.",
			"%s without a pause, and %s slowed: %s", plain.Plural(len(looping), "instance goes on", "instances go on"), map[bool]string{true: "is", false: "are"}[len(looping) == 1], firstOf(looping))
	}
	page, err := cl.List(ctx, client.ListQuery{Status: client.StatusRunning, PageSize: shownRunning, To: c.now().Add(-idle)})
	if err != nil {
		return nil, err
	}
	var old []string
	for i := range page.Instances {
		if d := &page.Instances[i]; c.now().Sub(d.UpdatedAt) > idle {
			old = append(old, d.Instance)
		}
	}
	more := ""
	if page.NextPageToken != "" {
		more = fmt.Sprintf(", of the newest %d that began before that", len(page.Instances))
	}
	if len(old) > 0 {
		add(doctor.Warning, "They may wait for what never comes: `turnstile describe` says for what.", "nothing has changed the records of %s for %s%s: %s", plain.Plural(len(old), "running instance", "running instances"), plain.Span(idle), more, firstOf(old))
	} else {
		add(doctor.OK, "", "no running instance has been idle for %s", plain.Span(idle))
	}
	return out, nil
}

// loopingAmong returns the instances that were slowed of late, of the newest that run
// and the newest at all: a loop of detached starts leaves instances that have ended.
func (c *cli) loopingAmong(ctx context.Context, cl instances) (looping []string, err error) {
	for _, status := range []client.Status{client.StatusRunning, ""} {
		page, err := cl.List(ctx, client.ListQuery{Status: status, PageSize: shownRunning})
		if err != nil {
			return nil, err
		}
		for i := range page.Instances {
			if d := &page.Instances[i]; d.Looping(c.now()) && !slices.Contains(looping, d.Instance) {
				looping = append(looping, d.Instance)
			}
		}
	}
	return looping, nil
}

const (
	shownUnwell  = 200
	shownRunning = 200
)

// firstOf names the first of some instances.
func firstOf(ids []string) string {
	const most = 3
	text := printable.Line(strings.Join(ids[:min(len(ids), most)], ", "))
	if len(ids) > most {
		text += " …"
	}
	return text
}

// printReport prints the findings, area by area.
func (c *cli) printReport(report *api.Doctor) error {
	if c.json() {
		return c.printJSON(report)
	}
	screen := c.screen(c.out)
	if !screen.Person {
		rows := term.NewTable()
		for _, f := range report.Findings {
			rows.Row(term.Text(f.Level), term.Text(f.Area), term.Text(printable.Line(f.Text)), term.Text(printable.Line(f.Advice)))
		}
		rows.Print(screen)
		return nil
	}
	signs := map[string]struct {
		sign  string
		style term.Style
	}{doctor.OK: {"✓", term.Green}, doctor.Warning: {"!", term.Yellow}, doctor.Problem: {"✗", term.Red}, doctor.Unknown: {"?", term.Yellow}}
	var areas []string
	for _, f := range report.Findings {
		if !slices.Contains(areas, f.Area) {
			areas = append(areas, f.Area)
		}
	}
	fmt.Fprintln(c.out, screen.In(term.Bold, report.Place))
	for _, area := range areas {
		fmt.Fprintf(c.out, "\n%s\n", screen.In(term.Bold, area))
		for _, f := range report.Findings {
			if f.Area != area {
				continue
			}
			sign := signs[f.Level]
			lines := term.Wrap(printable.Line(f.Text), screen.Columns()-4)
			fmt.Fprintf(c.out, "  %s %s\n", screen.In(sign.style, sign.sign), strings.Join(lines, "\n    "))
			if f.Advice != "" {
				for _, line := range term.Wrap(printable.Line(f.Advice), screen.Columns()-4) {
					fmt.Fprintf(c.out, "    %s\n", screen.In(term.Dim, line))
				}
			}
		}
	}
	fmt.Fprintf(c.out, "\n%s, %s, %d not looked at\n", plain.Plural(report.Problems, "problem", "problems"), plain.Plural(report.Warnings, "warning", "warnings"), report.Unknown)
	return nil
}
