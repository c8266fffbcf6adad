package awslambda_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/awslambda"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
)

// counted are the metrics that the functions write, by which the dashboard shows.
var counted = []string{"Turns", "Attempts", "Attention", "Stuck", "Corrupt", "DeadLettered", "GroupBacklogAge", "TurnTime", "ReplayTime", "CommitTime",
	"DispatchTime", "AttemptTime", "Conflicts", "Returned", "Resent", "Throttled"}

func TestTheDashboardIsCreatedOnRequest(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	if d := tpl.at("Parameters", "ShowDashboard", "Default"); d != "false" {
		t.Errorf("by default it is there: %v", d)
	}
	if c := tpl.at("Resources", "Dashboard", "Condition"); c != "HasDashboard" {
		t.Errorf("its condition is %v", c)
	}
	want := map[string]any{"Fn::Equals": []any{ref("ShowDashboard"), "true"}}
	if got := tpl.at("Conditions", "HasDashboard"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("HasDashboard is %v", got)
	}
	body, _ := follow(tpl.property("Dashboard", "DashboardBody"), []string{"Fn::Sub"})
	parts := list(body)
	text, _ := parts[0].(string)
	if want := map[string]any{"Environment": environmentName}; len(parts) != 2 || fmt.Sprint(parts[1]) != fmt.Sprint(want) {
		t.Errorf("the body is filled in with %v, want %v", parts[1:], want)
	}
	resources := tpl.at("Resources").(map[string]any)
	for _, m := range regexp.MustCompile(`\$\{([A-Za-z:]+)(\.[A-Za-z]+)?\}`).FindAllStringSubmatch(text, -1) {
		_, resource := resources[m[1]]
		if !resource && m[1] != "AWS::Region" && m[1] != "Environment" {
			t.Errorf("the dashboard names %s, which the template does not have", m[0])
		}
	}
	var dashboard struct {
		Widgets []struct {
			X, Y, Width, Height int
			Properties          struct {
				Title, Region string
				Metrics       [][]string
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &dashboard); err != nil {
		t.Fatalf("the body is not JSON: %v\n%s", err, text)
	}
	shown, metrics := map[string]bool{}, 0
	for i, w := range dashboard.Widgets {
		if w.Properties.Title == "" || w.Properties.Region != "${AWS::Region}" || w.X+w.Width > 24 || len(w.Properties.Metrics) == 0 {
			t.Errorf("widget %d is %+v", i, w)
		}
		for _, m := range w.Properties.Metrics {
			metrics++
			if m[0] != embeddedmetrics.Namespace {
				continue
			}
			shown[m[1]] = true
			if !slices.Contains(counted, m[1]) || strings.Join(m[2:], " ") != "Environment ${Environment}" {
				t.Errorf("widget %q shows %v, which nobody writes", w.Properties.Title, m)
			}
		}
	}
	for _, name := range counted {
		if !shown[name] {
			t.Errorf("no widget shows %s", name)
		}
	}
	if metrics > 50 {
		t.Errorf("%d metrics: a dashboard of more than 50 costs more", metrics)
	}
}

// What the dashboard shows is written under that name.
func TestWhatTheDashboardShowsIsWritten(t *testing.T) {
	t.Parallel()
	for _, name := range counted {
		if !slices.Contains(awslambda.MetricNames(), name) {
			t.Errorf("%s is on the dashboard, and the functions never write it", name)
		}
	}
}
