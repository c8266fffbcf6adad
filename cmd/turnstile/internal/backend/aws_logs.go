package backend

import (
	"fmt"
	"strings"
)

// insights returns the template of a link to CloudWatch Logs Insights. Its query finds the lines about
// an instance in the logs of both functions. The template is empty if a log group is not known.
func insights(region string, groups ...string) string {
	query := starred(`fields @timestamp, level, msg, execution_id, event_id, request_id | filter instance = "`) + "{instance*}" + starred(`" | sort @timestamp`)
	source := ""
	for _, group := range groups {
		if group == "" {
			return ""
		}
		source += "~'" + starred(group)
	}
	host := "console.aws.amazon.com"
	switch {
	case strings.HasPrefix(region, "cn-"):
		host = "console.amazonaws.cn"
	case strings.HasPrefix(region, "us-gov-"):
		host = "console.amazonaws-us-gov.com"
	}
	return "https://" + region + "." + host + "/cloudwatch/home?region=" + region + "#logsV2:logs-insights$3FqueryDetail$3D~(" +
		"end~'{to*}~start~'{from*}~timeType~'ABSOLUTE~tz~'UTC~editorString~'" + query + "~source~(" + source + "))"
}

// starred encodes a text for CloudWatch URLs: each byte except letters, digits, -, _ and . becomes an
// asterisk and two hex digits.
func starred(text string) string {
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '-' || c == '_' || c == '.' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "*%02X", c)
	}
	return b.String()
}
