package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	diagram = regexp.MustCompile("(?ms)^```mermaid\n(.*?)^```")
	// inTemplate is a resource of template.yaml with its type.
	inTemplate = regexp.MustCompile(`(?m)^  ([A-Za-z]+):\n(?:    #.*\n)*    Type: (AWS::[A-Za-z:]+)$`)
	// resource is what a diagram calls by the name of a resource.
	resource = regexp.MustCompile(`\b[A-Z][A-Za-z]*(?:Queue|Table|Function|Schedule|Group)\b`)
)

// diagramTypes are the types of Mermaid diagrams that documents use. Another one
// is added here once somebody has looked at how it is drawn, light and dark.
var diagramTypes = []string{"flowchart", "sequenceDiagram", "stateDiagram-v2"}

// inDiagrams are the types of resources of which each stands in a diagram of
// docs/internal/protocol.md.
var inDiagrams = []string{"AWS::SQS::Queue", "AWS::DynamoDB::Table", "AWS::Serverless::Function", "AWS::Scheduler::Schedule", "AWS::Scheduler::ScheduleGroup"}

func TestEveryDiagramIsOfAKnownTypeAndNamesResourcesOfTheTemplate(t *testing.T) {
	t.Parallel()
	types := map[string]string{} // by the name of the resource
	for _, m := range inTemplate.FindAllStringSubmatch(read(t, "template.yaml"), -1) {
		types[m[1]] = m[2]
	}
	drawn := map[string]bool{}
	for _, doc := range files(t, ".md") {
		for _, m := range diagram.FindAllStringSubmatch(read(t, doc), -1) {
			words := strings.Fields(m[1])
			if len(words) == 0 || !slices.Contains(diagramTypes, words[0]) {
				t.Errorf("%s has a diagram that begins with none of %s:\n%s", doc, strings.Join(diagramTypes, ", "), m[1])
			}
			if strings.Contains(m[1], ";") {
				t.Errorf("%s has a diagram with a semicolon, at which Mermaid ends a statement, also within a text:\n%s", doc, m[1])
			}
			for _, name := range resource.FindAllString(m[1], -1) {
				if types[name] == "" {
					t.Errorf("%s has a diagram with %s, which is no resource of template.yaml", doc, name)
				}
				drawn[name] = drawn[name] || doc == "docs/internal/protocol.md"
			}
		}
	}
	for name, kind := range types {
		if slices.Contains(inDiagrams, kind) && !drawn[name] {
			t.Errorf("no diagram of docs/internal/protocol.md has %s (%s)", name, kind)
		}
	}
	if len(drawn) == 0 || len(types) < 20 {
		t.Errorf("found %d resources in diagrams and %d in the template: the test has lost them", len(drawn), len(types))
	}
}
