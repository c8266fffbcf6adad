package awslambda_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestAlarmsWatchWhatNeedsAPerson(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	watched := map[string]bool{}
	for _, a := range tpl.ofType("AWS::CloudWatch::Alarm") {
		tpl.want(a, "AlarmActions", choice("HasAlarmTopic", []any{ref("AlarmTopicArn")}, noValue()))
		tpl.want(a, "TreatMissingData", "notBreaching")
		if metrics, ok := tpl.property(a, "Metrics").([]any); ok {
			for _, m := range metrics {
				if stat, ok := follow(m, []string{"MetricStat", "Metric"}); ok {
					watched[metricOf(stat)] = true
				}
			}
			continue
		}
		watched[metricOf(tpl.at("Resources", a, "Properties"))] = true
	}
	for _, want := range []string{
		"AWS/SQS ApproximateNumberOfMessagesVisible DeadFifoQueue",
		"AWS/SQS ApproximateNumberOfMessagesVisible DeadQueue",
		"AWS/SQS ApproximateAgeOfOldestMessage OrchestratorQueue",
		"AWS/SQS ApproximateAgeOfOldestMessage DelayQueue",
		"AWS/SQS ApproximateAgeOfOldestMessage ActivityQueue",
		"Turnstile Attention Environment",
		"Turnstile Throttled Environment",
		"AWS/Scheduler InvocationsFailedToBeSentToDeadLetterCount ScheduleGroup",
	} {
		if !watched[want] {
			t.Errorf("no alarm watches %s", want)
		}
	}
}

// environmentName is the dimension of the functions' metrics: two stacks of one account
// never share it, unless they are told to.
var environmentName = choice("HasEnvironment", ref("Environment"), ref("AWS::StackName"))

func TestMetricsAreOfTheStackUnlessItHasAnotherName(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	if d := tpl.at("Parameters", "Environment", "Default"); d != "" {
		t.Errorf("the default environment is %q: two stacks would share their metrics", d)
	}
	// A stack's name has up to 128 characters.
	if p := tpl.at("Parameters", "Environment", "AllowedPattern"); p != "[A-Za-z0-9_-]{0,128}" {
		t.Errorf("the pattern is %v", p)
	}
	want := map[string]any{"Fn::Not": []any{map[string]any{"Fn::Equals": []any{ref("Environment"), ""}}}}
	if got := tpl.at("Conditions", "HasEnvironment"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("HasEnvironment is %v", got)
	}
	for _, f := range tpl.ofType("AWS::Serverless::Function") {
		tpl.want(f, "Environment.Variables.TURNSTILE_ENVIRONMENT", environmentName)
	}
}

// A sweep that Scheduler gives up is a dead letter, for which DeadQueueAlarm goes off;
// where that can't be delivered either, TimersLostAlarm does.
func TestSweepsThatStopRaiseAnAlarm(t *testing.T) {
	t.Parallel()
	tpl := readTemplate(t)
	tpl.want("SweepSchedule", "Target.DeadLetterConfig", map[string]any{"Arn": arnOf("DeadQueue")})
	tpl.want("SweepSchedule", "GroupName", ref("ScheduleGroup"))
	tpl.want("TimersLostAlarm", "Dimensions", []any{map[string]any{"Name": "ScheduleGroup", "Value": ref("ScheduleGroup")}})
	for _, after := range []string{"OrchestratorFunction", "ActivityFunction"} {
		if !slices.Contains(list(tpl.at("Resources", "SweepSchedule", "DependsOn")), any(after)) {
			t.Errorf("the schedule may be made ahead of %s, right after its role, which Scheduler then refuses", after)
		}
	}
}

// metricOf writes namespace, name and the resource of the one dimension.
func metricOf(metric any) string {
	m := metric.(map[string]any)
	dimension := m["Dimensions"].([]any)[0].(map[string]any)["Value"].(map[string]any)
	if fmt.Sprint(dimension) == fmt.Sprint(environmentName) {
		dimension = ref("Environment")
	}
	resource := fmt.Sprint(dimension["Ref"])
	if att, ok := dimension["Fn::GetAtt"].(string); ok {
		resource, _, _ = strings.Cut(att, ".")
	}
	return fmt.Sprint(m["Namespace"], " ", m["MetricName"], " ", resource)
}
