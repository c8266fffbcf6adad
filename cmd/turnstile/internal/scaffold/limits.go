package scaffold

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Limits of AWS that each queue of a template brings nearer. No quota raises them.
const (
	// mostOfPolicy is how many characters a managed policy may have, without white space, and
	// mostOfRole how many the policies have together that stand in a role.
	// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
	mostOfPolicy, mostOfRole = 6144, 10240
	// mostOfVariables is how many bytes the variables of a function have together, with their
	// names. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
	mostOfVariables = 4096
)

// Lengths of what stands in names and addresses: the longest that AWS gives, and for a parameter whose
// value is not known here one that is seldom longer.
const (
	region, account, partition = 14, 12, 3 // ap-southeast-1
	suffix                     = 13        // amazonaws.com
	random                     = 12        // what CloudFormation ends a name with
	parameter                  = 20
	keyARN                     = 12 + region + 1 + account + 5 + 36
	bucket                     = 63
)

// Fits returns an error if a stack of the template could not be deployed for a limit of AWS on the size of
// policies or of variables. stack is how long the stack's name is. All that is there on a condition counts:
// a customer key, an archive, an event bus and a VPC may be wanted later.
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

// measure knows how long names and addresses become.
type measure struct {
	// stack is how long the stack's name is.
	stack int
}

var (
	comment     = regexp.MustCompile(`(^|\s+)#.*$`)
	conditional = regexp.MustCompile(`^(- )?(!If|Has\w+|!Ref AWS::NoValue)$`)
	substituted = regexp.MustCompile(`\$\{([^}]+)\}`)
	attribute   = regexp.MustCompile(`^!GetAtt (\w+)\.(\w+)$`)
)

// policy is how many characters policies have as JSON.
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

// variables is how many bytes variables have with their names.
func (m measure) variables(lines []string) (n int) {
	for _, line := range lines {
		if key, value, is := strings.Cut(strings.TrimSpace(comment.ReplaceAllString(line, "")), ": "); is {
			n += len(key) + m.value(value)
		}
	}
	return n
}

// value is how long a value of the template becomes.
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

// physical is how long the name is that CloudFormation makes of a logical one.
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
