package dynamo

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/turnstile-go/turnstile/store"
)

// expression collects names and values of a request's expressions.
type expression struct {
	names  map[string]string
	values attributes
	size   int
}

func newExpression() *expression {
	return &expression{names: make(map[string]string, 12), values: make(attributes, 12)}
}

// name returns the placeholder of an attribute name. All names get one, because many are reserved
// words.
func (x *expression) name(attribute string) string {
	p := "#" + attribute
	x.names[p] = attribute
	return p
}

func (x *expression) value(placeholder string, v types.AttributeValue) string {
	p := ":" + placeholder
	x.values[p] = v
	return p
}

// condition returns the condition of RecordChange.Holds as an expression; empty if nothing is required.
func (x *expression) condition(change *store.RecordChange) string {
	c := change.If
	exists := "attribute_exists(" + x.name("instance") + ") AND attribute_not_exists(" + x.name("purged") + ")"
	if c.Absent {
		if change.Create == nil {
			// A change without Create requires a record, and this condition requires that there is
			// none: it never holds.
			return exists + " AND attribute_not_exists(" + x.name("instance") + ")"
		}
		absent := "attribute_not_exists(" + x.name("instance") + ")"
		if c.ExecutionID > 0 {
			free := "(attribute_not_exists(" + x.name("free_at") + ") OR " + x.name("free_at") + " <= " + x.value("if_at", number(c.At.UnixMilli())) + ")"
			return absent + " OR (attribute_exists(" + x.name("purged") + ") AND " + x.equal("if_execution", "execution_id", number(c.ExecutionID)) + " AND " + free + ")"
		}
		delete(x.names, "#purged")
		return absent
	}
	var parts []string
	if c.ExecutionID > 0 {
		parts = append(parts, x.equal("if_execution", "execution_id", number(c.ExecutionID)))
	}
	if c.Running || c.Ended {
		var ended []string
		for _, s := range store.TerminalStatuses() {
			ended = append(ended, x.value("if_not_"+string(s), text(string(s))))
		}
		in := x.name("status") + " IN (" + strings.Join(ended, ", ") + ")"
		if c.Ended {
			parts = append(parts, in)
		}
		if c.Running {
			parts = append(parts, "NOT "+in)
		}
	}
	// The item of a record has no attribute for a zero field.
	is := func(attribute string, v types.AttributeValue, zero bool) {
		if zero {
			parts = append(parts, "attribute_not_exists("+x.name(attribute)+")")
		} else {
			parts = append(parts, x.equal("if_"+attribute, attribute, v))
		}
	}
	if n := c.FirstExecution; n != nil {
		is("first_execution", number(*n), *n == 0)
	}
	if n := c.Forked; n != nil {
		is("forked", number(*n), *n == 0)
	}
	if n := c.Stamp; n != nil {
		is("stamp", number(*n), *n == 0)
	}
	if change.Create == nil && len(change.SearchAttributes) > 0 {
		parts = append(parts, x.equal("if_found_at", "created_at", number(change.FoundAt.UnixMilli())))
	}
	if s := c.Suspect; s != nil {
		is("suspect", text(*s), *s == "")
	}
	if c.Reserved != nil {
		v := reservedText(*c.Reserved)
		is("reserved", text(v), v == "")
	}
	if change.Create == nil || c.Exists || len(parts) > 0 {
		parts = append(parts, exists)
	} else {
		clear(x.names)
	}
	return strings.Join(parts, " AND ")
}

func (x *expression) equal(placeholder, attribute string, v types.AttributeValue) string {
	return x.name(attribute) + " = " + x.value(placeholder, v)
}
