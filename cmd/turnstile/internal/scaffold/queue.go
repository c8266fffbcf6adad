package scaffold

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// queuesVariable has the activity queues for the functions; queuesOutput and functionsOutput have
// them for this command.
const (
	queuesVariable  = "TURNSTILE_ACTIVITY_QUEUES"
	queuesOutput    = "ActivityQueues"
	functionsOutput = "ActivityFunctions"
)

// copied are the parts of the template that are copied from the default queue for each queue,
// including the changes of the authors.
var copied = []string{"ActivityConcurrency", "ActivityBatchSize", "ActivityMemory", "ActivityFunction", "ActivityLogGroup", "ActivityQueue", "ActivityQueueAgeAlarm", "ActivityErrorsAlarm", "ActivityThrottlesAlarm"}

// AddQueue returns a template with an additional activity queue of this name: its queue, its
// function, log group and alarms, the parameters of the function, and every permission that the
// default queue has. A template that already has it is returned unchanged.
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
			continue // The template is older, or its author has removed the part.
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

// resourceName returns the prefix of the names of a queue's resources.
func resourceName(queue string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(queue, "-") {
		b.WriteString(strings.ToUpper(part[:min(1, len(part))]) + part[min(1, len(part)):])
	}
	return b.String()
}

// block returns the range of lines of a parameter, resource or output, from its name to the line
// after its last; -1 if there is none.
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

// ofQueue converts a part of the default queue to that of another queue.
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

// withPermissions adds the resources of a queue to each list that has those of the default queue.
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
		// The template is older.
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

// defaultEntry is the entry of the default queue for the function of a named queue, which makes
// waiting attempts there visible when a permit is free.
const defaultEntry = "default=${ActivityQueue.QueueName}"

// byURL matches an entry of the variable in its old form. With the URLs of many queues, a
// function's variables would exceed Lambda's limit.
var byURL = regexp.MustCompile(`(=\$\{\w+Queue)\}`)

// withDefault adds the default queue to the variable of the functions, if it names other queues.
func withDefault(text string) string {
	return variable.ReplaceAllStringFunc(text, func(line string) string {
		line = byURL.ReplaceAllString(line, "$1.QueueName}")
		if strings.Contains(line, defaultEntry) {
			return line
		}
		return strings.Replace(line, `!Sub "`, `!Sub "`+defaultEntry+" ", 1)
	})
}

// joined returns a value with an additional entry.
func joined(value, entry string) string {
	have, is := strings.CutPrefix(value, `!Sub "`)
	if !is {
		return `!Sub "` + entry + `"`
	}
	return `!Sub "` + strings.TrimSuffix(have, `"`) + " " + entry + `"`
}

// withOutput adds an entry to an output, and creates the output if there is none.
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

// BuildFile has the build rules of the functions, and BuildRule is the rule in it for functions of
// queues.
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
