package awslambda_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// List prices of us-east-1, in dollars, and what Lambda is assumed to do while
// nothing happens. docs/internal/guide-figures.md has the sum.
const (
	monthSeconds = 31 * 86400
	// An event source with a maximum concurrency polls with five connections,
	// each of which waits for 20 seconds.
	pollers, pollSeconds = 5, 20
	receivesOfSource     = pollers * monthSeconds / pollSeconds
	standardReceive      = 0.40e-6
	fifoReceive          = 0.50e-6
	alarmMetric          = 0.10
	scheduleInvocation   = 1.00e-6
	lambdaRequest        = 0.20e-6
	lambdaGBSecond       = 0.0000133334 // arm64
	mostIdle             = 2.50
	// What a sweep that finds nothing takes: it is sent, received and deleted, and
	// reads each shard of the index of what is stuck, half a unit each. Its
	// invocation may be a cold start.
	sweepsEvery             = 300 // seconds
	sweepSQS, sweepReads    = 3, 8 * 0.5
	readUnit                = 0.125e-6
	sweepSeconds, sweepSize = 0.3, 0.5 // at 512 MB
)

// freeWhileIdle are the types of resources that cost nothing but what is stored
// in them or done with them, and where nothing is stored and done, nothing.
// Point-in-time recovery is charged by the table's size. A type that is in
// neither place needs a price here before it comes into the template.
var freeWhileIdle = map[string]bool{
	"AWS::Serverless::Function":     true,
	"AWS::Logs::LogGroup":           true,
	"AWS::SQS::Queue":               true, // its event source polls; see below
	"AWS::SQS::QueuePolicy":         true,
	"AWS::DynamoDB::Table":          true, // on demand: TestTablesAreKeptWhateverHappensToTheStack
	"AWS::Scheduler::ScheduleGroup": true,
	"AWS::Scheduler::Schedule":      false, // by its invocations; see below
	"AWS::IAM::Role":                true,
	"AWS::IAM::ManagedPolicy":       true,
	"AWS::CloudWatch::Alarm":        false, // by its metrics; see below
	// Not there by default: TestTheDashboardIsCreatedOnRequest.
	"AWS::CloudWatch::Dashboard": true,
}

func TestAnIdleStackCostsWhatTheDocumentSays(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	for name, r := range tpl.at("Resources").(map[string]any) {
		kind := r.(map[string]any)["Type"].(string)
		if _, known := freeWhileIdle[kind]; !known {
			t.Errorf("%s: what an idle %s costs is not counted", name, kind)
		}
	}
	standard, fifo := 0, 0
	for _, source := range tpl.eventSources() {
		queue, _, _ := strings.Cut(source["Queue"].(map[string]any)["Fn::GetAtt"].(string), ".")
		if tpl.property(queue, "FifoQueue") == true {
			fifo++
		} else {
			standard++
		}
	}
	watched := 0
	for _, a := range tpl.ofType("AWS::CloudWatch::Alarm") {
		if _, conditional := follow(tpl.root, []string{"Resources", a, "Condition"}); conditional {
			continue // Not there by default: TestTheAlarmOnTurnsIsCreatedIfItIsSet.
		}
		// Below a minute it would be of high resolution, at three times the price.
		if metrics, ok := tpl.property(a, "Metrics").([]any); ok {
			for _, m := range metrics {
				if _, stat := follow(m, []string{"MetricStat"}); stat {
					watched++
				}
			}
			continue
		}
		if tpl.number(a, "Period") < 60 {
			t.Errorf("%s is of high resolution", a)
		}
		watched++
	}
	standardCost := float64(standard*receivesOfSource) * standardReceive
	fifoCost := float64(fifo*receivesOfSource) * fifoReceive
	alarmCost := float64(watched) * alarmMetric
	schedules := tpl.ofType("AWS::Scheduler::Schedule")
	for _, s := range schedules {
		if rate := tpl.property(s, "ScheduleExpression"); rate != fmt.Sprintf("rate(%d minutes)", sweepsEvery/60) {
			t.Errorf("%s fires at %v", s, rate)
		}
	}
	sweeps := len(schedules) * monthSeconds / sweepsEvery
	sweepCost := float64(sweeps) * (scheduleInvocation + lambdaRequest + sweepSQS*fifoReceive + sweepReads*readUnit + sweepSeconds*sweepSize*lambdaGBSecond)
	total := standardCost + fifoCost + alarmCost + sweepCost
	if total > mostIdle {
		t.Errorf("an idle stack costs $%.2f a month, want at most $%.2f", total, mostIdle)
	}
	text, err := os.ReadFile("../docs/internal/guide-figures.md")
	if err != nil {
		t.Fatal(err)
	}
	cost, err := os.ReadFile("../docs/guide/cost.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{
		fmt.Sprintf("| an idle stack, including alarms | $%.2f |", total),
		fmt.Sprintf("%d alarms ($%.2f)", watched, alarmCost),
		fmt.Sprintf("polling of %d queues ($%.2f)", standard+fifo, standardCost+fifoCost),
		fmt.Sprintf("a sweep every five minutes ($%.2f)", sweepCost),
	} {
		if !strings.Contains(string(cost), says) {
			t.Errorf("docs/guide/cost.md does not say %q", says)
		}
	}
	for _, row := range []string{
		fmt.Sprintf("| receives of %d standard queues | %d × %d × %d / %d = %d | $0.40 a million | $%.3f |",
			standard, standard, pollers, monthSeconds, pollSeconds, standard*receivesOfSource, standardCost),
		fmt.Sprintf("| receives of %d FIFO queue | %d × %d × %d / %d = %d | $0.50 a million | $%.3f |",
			fifo, fifo, pollers, monthSeconds, pollSeconds, fifo*receivesOfSource, fifoCost),
		fmt.Sprintf("| alarms | %d metrics | $0.10 | $%.3f |", watched, alarmCost),
		fmt.Sprintf("| **together** | | | **$%.2f** |", total),
		fmt.Sprintf("| sweeps | %d × %d / %d = %d | $%.2f a million | $%.3f |", len(schedules), monthSeconds, sweepsEvery, sweeps, 1e6*sweepCost/float64(sweeps), sweepCost),
	} {
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/internal/guide-figures.md does not say\n%s", row)
		}
	}
}
