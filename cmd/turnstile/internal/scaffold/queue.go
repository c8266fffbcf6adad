package scaffold

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// queuesVariable tells the functions which activity queues there are, queuesOutput and
// functionsOutput this command.
const (
	queuesVariable  = "TURNSTILE_ACTIVITY_QUEUES"
	queuesOutput    = "ActivityQueues"
	functionsOutput = "ActivityFunctions"
)

// copied are the parts of a template that a queue has of its own, as those of the default
// queue: what their authors have changed in these goes along.
var copied = []string{"ActivityConcurrency", "ActivityBatchSize", "ActivityMemory", "ActivityFunction", "ActivityLogGroup", "ActivityQueue", "ActivityQueueAgeAlarm", "ActivityErrorsAlarm", "ActivityThrottlesAlarm"}

// AddQueue returns a template with an activity queue of this name more: its queue, its
// function, log group and alarms, the parameters of the function, and every permission that
// the default queue has. A template that has it is returned as it is.
func AddQueue(template, name string) (string, error) {
	prefix := resourceName(name)
	known, entry := name+"=${"+prefix+"Queue", name+"=${"+prefix+"Queue.QueueName}"
	lines := strings.Split(template, "\n")
	if start, _ := block(lines, prefix+"Queue"); start >= 0 {
		if strings.Contains(template, known) {
			return withDefault(template), nil
		}
		return "", fmt.Errorf("it already has %sQueue, which is not the activity queue %q: choose another name", prefix, name)
	}
	for _, part := range copied {
		own := prefix + strings.TrimPrefix(part, "Activity")
		start, end := block(lines, part)
		if start < 0 && strings.HasSuffix(part, "Alarm") {
			continue // A template of before, or its author does without.
		}
		if start < 0 {
			return "", fmt.Errorf("it has no %s to copy %s from", part, own)
		}
		if at, _ := block(lines, own); at >= 0 {
			return "", fmt.Errorf("it already has %s: choose another name, or remove it", own)
		}
		lines = slices.Insert(lines, end, ofQueue(lines[start:end], name, prefix)...)
	}
	lines = withPermissions(lines, prefix)
	text, err := withEntry(strings.Join(lines, "\n"), entry)
	if err != nil {
		return "", err
	}
	text = withOutput(text, queuesOutput, "The named activity queues.", known+"}")
	return withOutput(text, functionsOutput, "The functions of the named activity queues.", name+"=${"+prefix+"Function}"), nil
}

// resourceName is what the resources of a queue begin with.
func resourceName(queue string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(queue, "-") {
		b.WriteString(strings.ToUpper(part[:min(1, len(part))]) + part[min(1, len(part)):])
	}
	return b.String()
}

// block returns the lines of a parameter, resource or output, from its name to the line
// behind its last; -1 if there is none.
func block(lines []string, name string) (start, end int) {
	start = slices.Index(lines, "  "+name+":")
	if start < 0 {
		return -1, -1
	}
	end = start + 1
	for end < len(lines) && (strings.HasPrefix(lines[end], "   ") || lines[end] == "" && end+1 < len(lines) && strings.HasPrefix(lines[end+1], "   ")) {
		end++
	}
	return start, end
}

var ofActivities = regexp.MustCompile(`\b(` + strings.Join(copied, "|") + `)\b`)

// ofQueue makes of a part of the default queue that of another.
func ofQueue(part []string, name, prefix string) []string {
	text := ofActivities.ReplaceAllStringFunc(strings.Join(part, "\n"), func(s string) string { return prefix + strings.TrimPrefix(s, "Activity") })
	text = strings.ReplaceAll(text, "default=${"+prefix+"Queue", "default=${ActivityQueue")
	text = strings.ReplaceAll(text, "Runs activities.", "Runs activities of the queue "+name+".")
	text = strings.ReplaceAll(text, "activities do not keep up with their queue", "activities do not keep up with the queue "+name)
	text = strings.ReplaceAll(text, "of the activity function.", "of its function.")
	text = strings.ReplaceAll(text, "the activity function", "the function of the queue "+name)
	if strings.HasPrefix(text, "  "+prefix+"Queue:") || strings.HasPrefix(text, "  "+prefix+"Function:") || !strings.Contains(text, "\n    Default:") {
		text = "\n" + text
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

var (
	listed = regexp.MustCompile(`^(\s+- !(?:GetAtt|Ref) )Activity(Queue|Function|LogGroup)(\.Arn|)$`)
	single = regexp.MustCompile(`^(\s+)Resource: !GetAtt Activity(Queue|LogGroup)\.Arn$`)
)

// withPermissions names the resources of a queue wherever those of the default queue are
// named in a list.
func withPermissions(lines []string, prefix string) []string {
	var out []string
	for _, line := range lines {
		if m := single.FindStringSubmatch(line); m != nil {
			item := m[1] + "  - !GetAtt "
			out = append(out, m[1]+"Resource:", item+"Activity"+m[2]+".Arn", item+prefix+m[2]+".Arn")
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "DependsOn: [") {
			line = strings.Replace(line, "ActivityFunction,", "ActivityFunction, "+prefix+"Function,", 1)
		}
		out = append(out, line)
		if m := listed.FindStringSubmatch(line); m != nil {
			out = append(out, m[1]+prefix+m[2]+m[3])
		}
	}
	return out
}

var variable = regexp.MustCompile(`(?m)^(\s+` + queuesVariable + `: ).*$`)

// withEntry adds an entry to the variable of the functions.
func withEntry(text, entry string) (string, error) {
	if !variable.MatchString(text) {
		// A template of before.
		url := regexp.MustCompile(`(?m)^(\s+)TURNSTILE_ACTIVITY_QUEUE_URL: .*$`)
		if !url.MatchString(text) {
			return "", fmt.Errorf("none of its functions has the variable TURNSTILE_ACTIVITY_QUEUE_URL, next to which %s belongs", queuesVariable)
		}
		text = url.ReplaceAllString(text, "$0\n${1}"+queuesVariable+`: ""`)
	}
	return withDefault(variable.ReplaceAllStringFunc(text, func(line string) string {
		m := variable.FindStringSubmatch(line)
		return m[1] + joined(strings.TrimPrefix(line, m[1]), entry)
	})), nil
}

// defaultEntry tells the function of a named queue where the default one is: it calls attempts
// there that wait for a permit of a limit.
const defaultEntry = "default=${ActivityQueue.QueueName}"

// byURL is an entry of the variable as it was: with the URLs of many queues the variables of a function
// have more than Lambda takes.
var byURL = regexp.MustCompile(`(=\$\{\w+Queue)\}`)

// withDefault adds the default queue to the variable of the functions, where it names others.
func withDefault(text string) string {
	return variable.ReplaceAllStringFunc(text, func(line string) string {
		line = byURL.ReplaceAllString(line, "$1.QueueName}")
		if strings.Contains(line, defaultEntry) {
			return line
		}
		return strings.Replace(line, `!Sub "`, `!Sub "`+defaultEntry+" ", 1)
	})
}

// joined is a value with an entry more.
func joined(value, entry string) string {
	have, is := strings.CutPrefix(value, `!Sub "`)
	if !is {
		return `!Sub "` + entry + `"`
	}
	return `!Sub "` + strings.TrimSuffix(have, `"`) + " " + entry + `"`
}

// withOutput adds an entry to an output, which it makes where there is none.
func withOutput(text, name, description, entry string) string {
	lines := strings.Split(text, "\n")
	if start, end := block(lines, name); start >= 0 {
		for i := start; i < end; i++ {
			if value, is := strings.CutPrefix(lines[i], "    Value: "); is {
				lines[i] = "    Value: " + joined(value, entry)
			}
		}
		return strings.Join(lines, "\n")
	}
	at := slices.Index(lines, "Outputs:")
	if at < 0 {
		return text
	}
	return strings.Join(slices.Insert(lines, at+1, "  "+name+":", "    Description: "+description, "    Value: "+joined("", entry)), "\n")
}

// BuildFile says how the functions are built, and BuildRule in it how those of queues are.
const (
	BuildFile = "lambdas/build/build.mk"
	BuildRule = "build-%Function:"
)

// WithBuildRule returns a build file that builds the functions of queues too.
func WithBuildRule(text string) string {
	if strings.Contains(text, BuildRule) {
		return text
	}
	return strings.TrimRight(text, "\n") + "\n\n# The functions of named activity queues run the same program.\n" + BuildRule + "\n\t$(build) ./lambdas/activity\n"
}
