package awslambda_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// template is template.yaml with CloudFormation's short forms written out:
// !Ref X as {"Ref": "X"}, !GetAtt X.Y as {"Fn::GetAtt": "X.Y"}.
type template struct {
	t    *testing.T
	root map[string]any
}

func readTemplate(t *testing.T) template {
	t.Helper()
	raw, err := os.ReadFile("../template.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	root, ok := value(t, doc.Content[0]).(map[string]any)
	if !ok {
		t.Fatal("template.yaml is not a mapping")
	}
	return template{t: t, root: root}
}

func value(t *testing.T, n *yaml.Node) any {
	t.Helper()
	if n.Kind == yaml.AliasNode {
		t.Fatalf("line %d: CloudFormation does not know YAML aliases", n.Line)
	}
	var v any
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if _, twice := m[key]; twice {
				t.Fatalf("line %d: key %q stands twice", n.Content[i].Line, key)
			}
			m[key] = value(t, n.Content[i+1])
		}
		v = m
	case yaml.SequenceNode:
		s := []any{}
		for _, c := range n.Content {
			s = append(s, value(t, c))
		}
		v = s
	default:
		if strings.HasPrefix(n.Tag, "!!") {
			if err := n.Decode(&v); err != nil {
				t.Fatalf("line %d: %v", n.Line, err)
			}
		} else {
			v = n.Value
		}
	}
	switch tag := n.Tag; {
	case strings.HasPrefix(tag, "!!") || tag == "":
		return v
	case tag == "!Ref":
		return map[string]any{"Ref": v}
	default:
		return map[string]any{"Fn::" + strings.TrimPrefix(tag, "!"): v}
	}
}

// at follows keys from the root; it fails the test where one is missing.
func (t template) at(path ...string) any {
	t.t.Helper()
	v, ok := follow(t.root, path)
	if !ok {
		t.t.Fatalf("template.yaml has no %s", strings.Join(path, "."))
	}
	return v
}

func follow(v any, path []string) (any, bool) {
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = m[key]; !ok {
			return nil, false
		}
	}
	return v, true
}

// property returns a property of a resource, "" if it is not there.
func (t template) property(resource string, path ...string) any {
	t.t.Helper()
	v, ok := follow(t.at("Resources", resource, "Properties"), path)
	if !ok {
		return ""
	}
	return v
}

// want checks a property of a resource, both sides as fmt prints them.
func (t template) want(resource, path string, want any) {
	t.t.Helper()
	got := t.property(resource, strings.Split(path, ".")...)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.t.Errorf("%s.%s is %v, want %v", resource, path, got, want)
	}
}

func (t template) number(resource, path string) int {
	t.t.Helper()
	n, ok := t.property(resource, strings.Split(path, ".")...).(int)
	if !ok {
		t.t.Fatalf("%s.%s is not a number", resource, path)
	}
	return n
}

// ofType lists the resources of a type.
func (t template) ofType(kind string) []string {
	t.t.Helper()
	var names []string
	for name, r := range t.at("Resources").(map[string]any) {
		if r.(map[string]any)["Type"] == kind {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.t.Fatalf("template.yaml has no %s", kind)
	}
	return names
}

// eventSources lists the properties of every event source of every function.
func (t template) eventSources() []map[string]any {
	t.t.Helper()
	var sources []map[string]any
	for _, f := range t.ofType("AWS::Serverless::Function") {
		events, _ := t.property(f, "Events").(map[string]any) // The query function has none.
		for _, e := range events {
			sources = append(sources, e.(map[string]any)["Properties"].(map[string]any))
		}
	}
	return sources
}

// resolve returns the default of a parameter that v refers to, and v itself
// where it is a value.
func (t template) resolve(v any) any {
	t.t.Helper()
	if name, ok := follow(v, []string{"Ref"}); ok {
		return t.at("Parameters", name.(string), "Default")
	}
	return v
}

func list(v any) []any {
	if s, ok := v.([]any); ok {
		return s
	}
	return []any{v}
}

func ref(name string) map[string]any { return map[string]any{"Ref": name} }

func arnOf(name string) map[string]any { return map[string]any{"Fn::GetAtt": name + ".Arn"} }

// choice is {"Fn::If": [condition, then, otherwise]}.
func choice(condition string, then, otherwise any) map[string]any {
	return map[string]any{"Fn::If": []any{condition, then, otherwise}}
}

func noValue() map[string]any { return ref("AWS::NoValue") }
