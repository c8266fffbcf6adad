package scaffold

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// RemoveQueue returns a template without the parts that AddQueue has added for the queue of this
// name. It returns an error if anything else refers to them.
func RemoveQueue(template, name string) (string, error) {
	prefix := resourceName(name)
	if !strings.Contains(template, name+"=${"+prefix+"Queue") {
		return "", fmt.Errorf("%s has no queue %s", TemplateFile, name)
	}
	lines := strings.Split(template, "\n")
	for _, part := range copied {
		start, end := block(lines, prefix+strings.TrimPrefix(part, "Activity"))
		if start < 0 {
			continue // The author has removed it.
		}
		if lines[start-1] == "" && (end == len(lines) || lines[end] == "") {
			start--
		}
		lines = slices.Delete(lines, start, end)
	}
	own := regexp.MustCompile(`^\s+- !(?:GetAtt|Ref) ` + prefix + `(?:Queue|Function|LogGroup)(?:\.Arn|)$`)
	lines = slices.DeleteFunc(lines, own.MatchString)
	entry := regexp.MustCompile(` ?\b` + regexp.QuoteMeta(name) + `=\$\{` + prefix + `(?:Queue|Queue\.QueueName|Function)\}`)
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "DependsOn: [") {
			line = strings.Replace(line, prefix+"Function, ", "", 1)
		}
		if shorter := entry.ReplaceAllString(line, ""); shorter != line {
			shorter = strings.Replace(shorter, `"`+" ", `"`, 1)
			if variable.MatchString(shorter) && strings.HasSuffix(shorter, `"`+defaultEntry+`"`) {
				shorter = variable.ReplaceAllString(shorter, `${1}""`)
			}
			line = shorter
		}
		lines[i] = line
	}
	for _, output := range []string{queuesOutput, functionsOutput} {
		if start, end := block(lines, output); start >= 0 && slices.Contains(lines[start:end], `    Value: !Sub ""`) {
			lines = slices.Delete(lines, start, end)
		}
	}
	suffixes := make([]string, len(copied))
	for i, part := range copied {
		suffixes[i] = strings.TrimPrefix(part, "Activity")
	}
	left := regexp.MustCompile(`\b` + prefix + `(?:` + strings.Join(suffixes, "|") + `)\b`)
	for _, line := range lines {
		if at := left.FindString(line); at != "" {
			return "", fmt.Errorf("%s refers to %s in lines that were added after the queue: %s", TemplateFile, at, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, "\n"), nil
}
