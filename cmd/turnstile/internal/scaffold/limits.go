package scaffold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Limits of AWS that more queues in a template approach. They cannot be raised.
const (
	// mostOfPolicy is the maximum number of characters of a managed policy, without white space, and
	// mostOfRole that of all inline policies of a role together.
	// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
	mostOfPolicy, mostOfRole = 6144, 10240
	// mostOfVariables is the maximum total size of a function's variables with their names, in bytes.
	// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
	mostOfVariables = 4096
)

// Lengths of the parts of names and URLs: the maximum that AWS uses or, for a parameter whose value is not
// known here, a length that is rarely exceeded.
const (
	region, account, partition = 14, 12, 3 // ap-southeast-1
	suffix                     = 13        // amazonaws.com
	random                     = 12        // the suffix that CloudFormation adds to a name
	parameter                  = 20
	keyARN                     = 12 + region + 1 + account + 5 + 36
	bucket                     = 63
)

// Fits returns an error if a stack of the template could not be deployed because of an AWS limit on the
// size of policies or variables. stack is the length of the stack's name. Conditional parts count too,
// because a customer key, an archive, an event bus or a VPC may be added later.
func Fits(template string, stack int) error {
	m := measure{stack}
	lines := strings.Split(template, "\n")
	var errs []error
	over := func(what string, size, most int, unit string) {
		if size > most {
			errs = append(errs, fmt.Errorf("%s would have about %d %s, but AWS allows %d", what, size, unit, most))
		}
	}
	for i, line := range lines {
		name, is := strings.CutSuffix(strings.TrimPrefix(line, "  "), ":")
		if !is || !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "   ") || i+1 == len(lines) {
			continue
		}
		_, end := block(lines[i:], name)
		body := lines[i : i+end]
		switch strings.TrimSpace(lines[i+1]) {
		case "Type: AWS::IAM::ManagedPolicy":
			over("the policy "+name, m.policy(after(body, "PolicyDocument:")), mostOfPolicy, "characters")
		case "Type: AWS::IAM::Role":
			over("the policies of "+name, m.policy(after(body, "Policies:")), mostOfRole, "characters")
		case "Type: AWS::Serverless::Function":
			over("the variables of "+name, m.variables(after(body, "Variables:")), mostOfVariables, "bytes")
		}
	}
	return errors.Join(errs...)
}

// after returns the lines below a key that are indented deeper.
func after(lines []string, key string) []string {
	at := slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) == key })
	if at < 0 {
		return nil
	}
	deeper := indent(lines[at]) + 1
	end := at + 1
	for end < len(lines) && (strings.TrimSpace(lines[end]) == "" || indent(lines[end]) >= deeper) {
		end++
	}
	return lines[at+1 : end]
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// measure computes the lengths of names and URLs.
type measure struct {
	// stack is the length of the stack's name.
	stack int
}

var (
	comment     = regexp.MustCompile(`(^|\s+)#.*$`)
	conditional = regexp.MustCompile(`^(- )?(!If|Has\w+|!Ref AWS::NoValue)$`)
	substituted = regexp.MustCompile(`\$\{([^}]+)\}`)
	attribute   = regexp.MustCompile(`^!GetAtt (\w+)\.(\w+)$`)
)

// policy returns the number of characters of policies as JSON.
func (m measure) policy(lines []string) (n int) {
	for _, line := range lines {
		text := strings.TrimSpace(comment.ReplaceAllString(line, ""))
		if text == "" || conditional.MatchString(strings.TrimPrefix(text, "- ")) || strings.HasPrefix(text, "PolicyName:") || strings.HasPrefix(text, "- PolicyName:") || text == "PolicyDocument:" {
			continue
		}
		item, is := strings.CutPrefix(text, "- ")
		key, value, keyed := strings.Cut(item, ": ")
		switch {
		case strings.HasSuffix(item, ":"):
			n += len(item) + len(`""[],`)
		case keyed && !strings.HasPrefix(item, "!") && !strings.Contains(key, ":"):
			if is {
				n += len(`{},`)
			}
			n += len(key) + m.value(value) + len(`"":"",`)
		default:
			n += m.value(item) + len(`"",`)
		}
	}
	return n
}

// variables returns the size of variables with their names, in bytes.
func (m measure) variables(lines []string) (n int) {
	for _, line := range lines {
		if key, value, is := strings.Cut(strings.TrimSpace(comment.ReplaceAllString(line, "")), ": "); is {
			n += len(key) + m.value(value)
		}
	}
	return n
}

// value returns the length of a value of the template.
func (m measure) value(text string) int {
	text = strings.TrimSpace(text)
	if name, is := strings.CutPrefix(text, "!Ref "); is {
		return m.ref(name)
	}
	if got := attribute.FindStringSubmatch(text); got != nil {
		return m.attribute(got[1], got[2])
	}
	if sub, is := strings.CutPrefix(text, "!Sub "); is {
		n := len(strings.Trim(substituted.ReplaceAllString(sub, ""), `"`))
		for _, got := range substituted.FindAllStringSubmatch(sub, -1) {
			if resource, name, is := strings.Cut(got[1], "."); is {
				n += m.attribute(resource, name)
			} else {
				n += m.ref(got[1])
			}
		}
		return n
	}
	if choice, is := strings.CutPrefix(text, "!If ["); is {
		most := 0
		for one := range strings.SplitSeq(strings.TrimSuffix(choice, "]"), ", ") {
			most = max(most, m.value(one))
		}
		return most
	}
	return len(strings.Trim(text, `"'`))
}

// physical returns the length of the name that CloudFormation derives from a logical one.
func (m measure) physical(logical string, most int) int {
	return min(m.stack+len("-")+len(logical)+len("-")+random, most)
}

func (m measure) ref(name string) int {
	switch {
	case name == "AWS::Partition":
		return partition
	case name == "AWS::Region":
		return region
	case name == "AWS::AccountId":
		return account
	case name == "AWS::StackName":
		return m.stack
	case name == "AWS::URLSuffix":
		return suffix
	case name == "AWS::NoValue":
		return 0
	case strings.HasSuffix(name, "KeyArn"), strings.HasSuffix(name, "BusArn"):
		return keyARN
	case name == "ArchiveBucket":
		return bucket
	case strings.HasSuffix(name, "Queue"):
		return len("https://sqs.") + region + len(".") + suffix + len("/") + account + len("/") + m.physical(name, 80)
	case strings.HasSuffix(name, "Table"):
		return m.physical(name, 255)
	case strings.HasSuffix(name, "Group"):
		return m.physical(name, 64)
	}
	return parameter
}

func (m measure) attribute(resource, name string) int {
	arn := func(service, before string, most int) int {
		return len("arn:") + partition + len(":") + len(service) + len(":") + region + len(":") + account + len(":") + len(before) + m.physical(resource, most)
	}
	switch {
	case name == "QueueName":
		return m.physical(resource, 80)
	case name != "Arn":
		return parameter + 1 // the id of a role
	case strings.HasSuffix(resource, "Queue"):
		return arn("sqs", "", 80)
	case strings.HasSuffix(resource, "Function"):
		return arn("lambda", "function:", 64)
	case strings.HasSuffix(resource, "LogGroup"):
		return arn("logs", "log-group:", 512) + len(":*")
	case strings.HasSuffix(resource, "Table"):
		return arn("dynamodb", "table/", 255)
	}
	return arn("iam", "role/", 64)
}
