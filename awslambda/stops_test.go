package awslambda_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/embeddedmetrics"
	"github.com/turnstile-go/turnstile/internal/host/delivery"
)

// points are the values of a metric, by the minute, from 1 on; none where a minute has none.
type points func(minute int) (value float64, known bool)

// errorsEach is a metric that counts one once in so many minutes.
func errorsEach(minutes int) points {
	return func(m int) (float64, bool) { return 1, (m-1)%minutes == 0 }
}

// oldest is the age of a message that nobody receives.
func oldest(m int) (float64, bool) { return float64(m * 60), true }

// oldestReceived is the age that SQS has of a message which is received each time that it becomes visible, and
// is not deleted: after three receives it leaves it out, on a standard queue.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
func oldestReceived(visibility int) points {
	return func(m int) (float64, bool) { return float64(m * 60), m*60/visibility < 2 }
}

// goesOff is after how many minutes an alarm goes off; 0 if it does not within fourteen days. CloudWatch looks each minute
// at the periods that end with it.
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
func goesOff(tpl template, alarm string, threshold float64, p points) int {
	period, of := tpl.number(alarm, "Period")/60, tpl.number(alarm, "EvaluationPeriods")
	need := of
	if tpl.property(alarm, "DatapointsToAlarm") != "" {
		need = tpl.number(alarm, "DatapointsToAlarm")
	}
	sums := tpl.property(alarm, "Statistic") == "Sum"
	for now := 1; now <= 14*24*60; now++ {
		breaching := 0
		for i := range of {
			var value float64
			for m := now - (i+1)*period + 1; m <= now-i*period; m++ {
				if v, known := p(m); m >= 1 && known {
					if sums {
						value += v
					} else {
						value = max(value, v)
					}
				}
			}
			if value > threshold {
				breaching++ // Missing data is not breaching.
			}
		}
		if breaching >= need {
			return now
		}
	}
	return 0
}

// returns is when the message is received for the nth time that goes back each time.
func returns(n int) time.Duration {
	s := host.DefaultSettings().Messages
	var at time.Duration
	for i, wait := 1, s.BackoffFirst; i < n; i, wait = i+1, 2*wait {
		at += min(wait, s.BackoffMax)
	}
	return at
}

// minutes of a duration, the last one whole.
func minutes(d time.Duration) int { return int((d + time.Minute - 1) / time.Minute) }

func TestEachWayInWhichWorkStopsHasAnAlarm(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	backlogAge := float64(tpl.at("Parameters", "BacklogAgeAlarmSeconds", "Default").(int))
	visibility := func(queue string) int { return tpl.number(queue, "VisibilityTimeout") }
	at := func(first int) points { return func(m int) (float64, bool) { return 1, m >= first } }
	attention := func(first time.Duration) int { return goesOff(tpl, "AttentionAlarm", 0, at(minutes(first))) }
	backlog := returns(1)
	for n := 2; backlog <= time.Duration(backlogAge)*time.Second; n++ {
		backlog = returns(n)
	}
	// Of the worker, and of what the orchestrator cannot read.
	unregistered, unread := rounds(15*time.Second), rounds(host.DefaultSettings().Messages.NewerFirst)
	for _, c := range []struct {
		cause, alarm string
		minutes      int
		// says is the time on the page; empty for "never", which is on none.
		says string
	}{
		{"orchestrator does not start", "OrchestratorErrorsAlarm", goesOff(tpl, "OrchestratorErrorsAlarm", 0, errorsEach(visibility("OrchestratorQueue")/60)), "11 minutes"},
		{"activity function does not start, many messages", "ActivityErrorsAlarm", goesOff(tpl, "ActivityErrorsAlarm", 0, errorsEach(1)), "11 minutes"},
		{"activity function does not start, one message", "ActivityErrorsAlarm", goesOff(tpl, "ActivityErrorsAlarm", 0, errorsEach(visibility("ActivityQueue")/60)), "33 minutes"},
		{"throttled orchestrator", "OrchestratorThrottlesAlarm", goesOff(tpl, "OrchestratorThrottlesAlarm", 0, errorsEach(1)), "11 minutes"},
		{"throttled activity function", "ActivityThrottlesAlarm", goesOff(tpl, "ActivityThrottlesAlarm", 0, errorsEach(1)), "11 minutes"},
		{"nothing receives", "OrchestratorQueueAgeAlarm", goesOff(tpl, "OrchestratorQueueAgeAlarm", backlogAge, oldest), "8 minutes"},
		{"nothing receives", "DelayQueueAgeAlarm", goesOff(tpl, "DelayQueueAgeAlarm", float64(tpl.number("DelayQueueAgeAlarm", "Threshold")), oldest), "33 minutes"},
		{"nothing receives", "ActivityQueueAgeAlarm", goesOff(tpl, "ActivityQueueAgeAlarm", float64(tpl.number("ActivityQueueAgeAlarm", "Threshold")), oldest), "63 minutes"},
		{"a turn that is handed back", "AttentionAlarm", attention(backlog), "9 minutes"},
		{"a delayed message or an attempt that is handed back", "AttentionAlarm", attention(returns(delivery.ReturnedOften)), "33 minutes"},
		{"an activity that is not registered", "AttentionAlarm", attention(unregistered), "61 minutes"},
		{"a codec or a newer history", "AttentionAlarm", attention(unread), "60 minutes"},
		{"a dead letter", "DeadQueueAlarm", goesOff(tpl, "DeadQueueAlarm", 0, at(1)), "1 minute"},
		{"a dead letter", "DeadFifoQueueAlarm", goesOff(tpl, "DeadFifoQueueAlarm", 0, at(1)), "1 minute"},
		{"a timer is lost", "TimersLostAlarm", goesOff(tpl, "TimersLostAlarm", 0, at(1)), "1 minute"},
		{"throttled requests", "ThrottledAlarm", goesOff(tpl, "ThrottledAlarm", 0, at(1)), "1 minute"},
		// Why the ages alone do not do.
		{"age while the activity function does not start", "ActivityQueueAgeAlarm", goesOff(tpl, "ActivityQueueAgeAlarm", float64(tpl.number("ActivityQueueAgeAlarm", "Threshold")), oldestReceived(visibility("ActivityQueue"))), ""},
		{"age while the orchestrator does not start", "DelayQueueAgeAlarm", goesOff(tpl, "DelayQueueAgeAlarm", float64(tpl.number("DelayQueueAgeAlarm", "Threshold")), oldestReceived(visibility("DelayQueue"))), ""},
		// One crash, and two within an hour, wake nobody.
		{"one crash", "ActivityErrorsAlarm", goesOff(tpl, "ActivityErrorsAlarm", 0, func(m int) (float64, bool) { return 10, m == 1 }), ""},
		{"two crashes", "OrchestratorErrorsAlarm", goesOff(tpl, "OrchestratorErrorsAlarm", 0, func(m int) (float64, bool) { return 1, m == 1 || m == 40 }), ""},
		{"a burst of throttles", "ActivityThrottlesAlarm", goesOff(tpl, "ActivityThrottlesAlarm", 0, func(m int) (float64, bool) { return 100, m <= 4 }), ""},
	} {
		if c.says == "" {
			if c.minutes != 0 {
				t.Errorf("%s: %s goes off after %d minutes", c.cause, c.alarm, c.minutes)
			}
			continue
		}
		if fmt.Sprintf("%d %s", c.minutes, strings.Fields(c.says)[1]) != c.says {
			t.Errorf("%s: %s goes off after %d minutes, want %s", c.cause, c.alarm, c.minutes, c.says)
		}
		if row := rowOf(t, "../docs/operations.md", c.alarm, c.says); !row {
			t.Errorf("docs/operations.md has no row with `%s` and %q: %s", c.alarm, c.says, c.cause)
		}
	}
	for _, alarm := range tpl.ofType("AWS::CloudWatch::Alarm") {
		for _, page := range []string{"../docs/operations.md", "../docs/troubleshooting.md"} {
			if !rowOf(t, page, alarm, "") {
				t.Errorf("%s: no row of a table has `%s`", page, alarm)
			}
		}
	}
}

// rounds is when an item is received for the first time that has gone round for as long as an operator is told of, by the
// first of the growing delays.
func rounds(first time.Duration) time.Duration {
	var at time.Duration
	for wait := first; at < delivery.HeldUp; wait *= 2 {
		at += min(wait, host.DefaultSettings().Messages.NewerMax)
	}
	return at
}

// rowOf reports whether a table of a page has a row with a name and a text.
func rowOf(t *testing.T, page, name, text string) bool {
	t.Helper()
	body, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		if strings.HasPrefix(line, "|") && strings.Contains(line, "`"+name+"`") && strings.Contains(line, text) {
			return true
		}
	}
	return false
}

// Each function that messages wait for has the two alarms, and nothing but the function is between it and
// them. Those who ask the query function get its errors at once.
func TestEachFunctionHasAlarmsOnInvocationsThatFail(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	var watched, want []string
	for _, a := range tpl.ofType("AWS::CloudWatch::Alarm") {
		if tpl.property(a, "Namespace") == "AWS/Lambda" {
			watched = append(watched, metricOf(tpl.at("Resources", a, "Properties")))
		}
	}
	for _, f := range tpl.ofType("AWS::Serverless::Function") {
		if f == "QueryFunction" {
			continue
		}
		want = append(want, "AWS/Lambda Errors "+f, "AWS/Lambda Throttles "+f)
	}
	slices.Sort(watched)
	slices.Sort(want)
	if !slices.Equal(watched, want) {
		t.Errorf("alarms watch %v, want %v", watched, want)
	}
}

// reasonRow is one of the table of reasons in docs/troubleshooting.md.
var reasonRow = regexp.MustCompile("(?m)^\\| (`[a-z_`, ]+`) \\|")

// Each reason for which AttentionAlarm goes off says what to do.
func TestEachReasonForAttentionIsOnThePage(t *testing.T) {
	t.Parallel()
	reasons := map[string]bool{"backlog": true, "activity_dead": true, "returning": true}
	var out strings.Builder
	m := embeddedmetrics.New(embeddedmetrics.Config{Environment: "e", Function: "f", Out: &out})
	for counter, counted := range map[host.Counter][]string{
		host.CountStuck: {"panic"}, host.CountCorrupt: {""}, host.CountLooping: {"message"}, host.CountArchive: {"failed"}, host.CountInstanceEvents: {"failed"},
		host.CountDelayed: {"not_served"}, host.CountHeldUp: {"not_registered", "codec", "newer", "returning"},
	} {
		for _, reason := range counted {
			m.Count(counter, reason, 1)
		}
	}
	m.Flush()
	_, text, found := strings.Cut(out.String(), `"Attention":{`)
	if !found {
		t.Fatal(out.String())
	}
	text, _, _ = strings.Cut(text, "}")
	for _, m := range regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(text, -1) {
		reasons[m[1]] = true
	}
	if len(reasons) != 12 {
		t.Errorf("the reasons are %v", reasons)
	}
	page, err := os.ReadFile("../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n### Attention\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, row := range reasonRow.FindAllStringSubmatch(table, -1) {
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			if !reasons[m[1]] {
				t.Errorf("the page has the reason %s, which is none", m[1])
			}
			delete(reasons, m[1])
		}
	}
	if len(reasons) != 0 {
		t.Errorf("docs/troubleshooting.md does not say what to do about %v", reasons)
	}
}

func TestTheAlarmOnTurnsIsCreatedIfItIsSet(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	if got := tpl.at("Resources", "TurnsAlarm", "Condition"); got != "HasTurnsAlarm" {
		t.Errorf("it is there on the condition %v", got)
	}
	want := map[string]any{"Fn::Not": []any{map[string]any{"Fn::Equals": []any{ref("AlarmTurnsPerHour"), 0}}}}
	if got := tpl.at("Conditions", "HasTurnsAlarm"); fmt.Sprint(got) != fmt.Sprint(want) || tpl.at("Parameters", "AlarmTurnsPerHour", "Default") != 0 {
		t.Errorf("HasTurnsAlarm is %v", got)
	}
	tpl.want("TurnsAlarm", "Threshold", ref("AlarmTurnsPerHour"))
	tpl.want("TurnsAlarm", "MetricName", "Turns")
	if n := goesOff(tpl, "TurnsAlarm", 10_000, func(int) (float64, bool) { return 4200 * 60, true }); n != 1 {
		t.Errorf("a loop of 4,200 turns a second is told after %d minutes", n)
	}
}
