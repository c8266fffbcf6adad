package awslambda_test

import (
	"fmt"
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

// metricOf writes namespace, name and the resource of the one dimension.
func metricOf(metric any) string {
	m := metric.(map[string]any)
	dimension := m["Dimensions"].([]any)[0].(map[string]any)["Value"].(map[string]any)
	resource := fmt.Sprint(dimension["Ref"])
	if att, ok := dimension["Fn::GetAtt"].(string); ok {
		resource, _, _ = strings.Cut(att, ".")
	}
	return fmt.Sprint(m["Namespace"], " ", m["MetricName"], " ", resource)
}
