package backend

import (
	"strings"
	"testing"
)

func TestALinkToLogsInsightsHasTheQueryAndBothGroups(t *testing.T) {
	t.Parallel()
	const want = "https://eu-west-1.console.aws.amazon.com/cloudwatch/home?region=eu-west-1#logsV2:logs-insights$3FqueryDetail$3D~(" +
		"end~'{to*}~start~'{from*}~timeType~'ABSOLUTE~tz~'UTC~editorString~'fields*20*40timestamp*2C*20level*2C*20msg*2C*20execution_id*2C*20event_id*2C*20request_id" +
		"*20*7C*20filter*20instance*20*3D*20*22{instance*}*22*20*7C*20sort*20*40timestamp~source~(~'*2Faws*2Flambda*2Fa~'shop-ActivityLogGroup-1))"
	if got := insights("eu-west-1", "/aws/lambda/a", "shop-ActivityLogGroup-1"); got != want {
		t.Errorf("the link is\n%s, want\n%s", got, want)
	}
	if got := insights("eu-west-1", "a", ""); got != "" {
		t.Errorf("without a group the link is %s", got)
	}
	if got := insights("cn-north-1", "a", "b"); !strings.HasPrefix(got, "https://cn-north-1.console.amazonaws.cn/") {
		t.Errorf("in China the link is %s", got)
	}
}
