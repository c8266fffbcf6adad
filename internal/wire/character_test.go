package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// Every string that is used to find, group or log something is checked when it enters,
// whatever the kind of the item.
func TestIdsAndNamesWithMisleadingCharactersAreRefused(t *testing.T) {
	t.Parallel()
	fields := map[string]string{
		"instance": `"instance":%`, "id": `"id":%`, "name": `"name":%`, "version": `"version":%`, "token": `"token":%`, "codec": `"codec":%`,
		"actor": `"actor":%`, "request_id": `"request_id":%`, "fairness_group": `"fairness_group":%`, "parent_instance": `"parent_instance":%`,
		"events[0].name": `"events":[{"name":%}]`, "events[0].id": `"events":[{"name":"n","id":%}]`,
		"parent.instance": `"parent":{"instance":%,"execution_id":1,"event_id":1,"token":"t"}`,
		"parent.token":    `"parent":{"instance":"p","execution_id":1,"event_id":1,"token":%}`,
		"origin.instance": `"origin":{"instance":%}`, "headers": `"headers":{"a":%}`,
		"details.kind": `"details":{"kind":%}`, "details.instance": `"details":{"instance":%}`,
	}
	required := map[string]string{"instance": `"instance":"i"`, "name": `"name":"n"`}
	for what, c := range map[string]struct{ text, says string }{
		"NUL":                        {"a\x00b", "U+0000"},
		"a line feed":                {"a\nb", "U+000A"},
		"a carriage return":          {"a\rb", "U+000D"},
		"an escape of the terminal":  {"a\x1b[2Kb", "U+001B"},
		"delete":                     {"a\x7fb", "U+007F"},
		"a control of Latin-1":       {"a\u0085b", "U+0085"},
		"a line separator":           {"a\u2028b", "U+2028"},
		"a paragraph separator":      {"a\u2029b", "U+2029"},
		"an override of direction":   {"a\u202eb", "U+202E"},
		"an isolate of direction":    {"a\u2066b", "U+2066"},
		"a mark of direction":        {"a\u200fb", "U+200F"},
		"a byte order mark":          {"a\ufeffb", "U+FEFF"},
		"what SQS does not take":     {"a\ufffeb", "U+FFFE"},
		"what SQS does not take too": {"a\uffffb", "U+FFFF"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			quoted, err := json.Marshal(c.text)
			if err != nil {
				t.Fatal(err)
			}
			for field, pattern := range fields {
				body := `{"kind":"StartOrchestration",` + strings.ReplaceAll(pattern, "%", string(quoted))
				for name, given := range required {
					if name != field {
						body += "," + given
					}
				}
				_, err := wire.Parse([]byte(body + "}"))
				var parse *wire.ParseError
				if !errors.As(err, &parse) || parse.Reason != wire.ReasonInvalidField || parse.Field != field || !strings.Contains(parse.Problem, c.says) {
					t.Errorf("%s: got %v, want field %q, saying %q", body, err, field, c.says)
				}
			}
		})
	}
}

// These look dangerous in a shell, a path or an expression, but are not, because nothing
// inserts an id into one as text.
func TestIdsMayHaveCharactersThatAreDangerousOnlyWhenPasted(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"$(rm -rf ~)", "`id`", "a;b|c&d", "../../etc", "'\"\\", "{{7*7}}", "%00%0a", "a b", "#1", "=1+1", "👩‍👩‍👧", "ſ"} {
		body, err := (&wire.Item{Kind: wire.Wake, Instance: id}).Encode()
		if err != nil {
			t.Errorf("%q: %v", id, err)
			continue
		}
		got, err := wire.Parse(body)
		if err != nil || got.Instance != id {
			t.Errorf("%q came back as %q, %v", id, got.Instance, err)
		}
		if g := wire.Group(id); !allowed.MatchString(g) {
			t.Errorf("group %q of %q is not taken by SQS", g, id)
		}
		if d := wire.DedupID(&wire.Item{Kind: wire.Wake, Instance: id, ID: id}); !allowed.MatchString(d) {
			t.Errorf("deduplication id %q of %q is not taken by SQS", d, id)
		}
	}
}
