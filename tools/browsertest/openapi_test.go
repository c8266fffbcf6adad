package browsertest

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
)

// operations are those of console/openapi.json: by method and path the names of the parameters that
// it takes in the query.
var operations = sync.OnceValues(func() (map[string]map[string]bool, error) {
	text, err := os.ReadFile("../../console/openapi.json")
	if err != nil {
		return nil, err
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, In string }
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	all := map[string]map[string]bool{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			names := map[string]bool{}
			for _, p := range op.Parameters {
				names[p.Name] = p.In == "query"
			}
			all[strings.ToUpper(method)+" "+path] = names
		}
	}
	return all, nil
})

// inTheAPI reports whether the document has a request of the page, as it is answered.
func inTheAPI(all map[string]map[string]bool, a answer) bool {
	_, rest, found := strings.Cut(a.path, "/api/v1/")
	if !found {
		return false
	}
	path, query, _ := strings.Cut(rest, "?")
	asked, err := url.ParseQuery(query)
	if err != nil {
		return false
	}
	segments := strings.Split(path, "/")
	for operation, names := range all {
		method, pattern, _ := strings.Cut(operation, " /")
		if method != a.method || !fits(strings.Split(pattern, "/"), segments) {
			continue
		}
		unknown := false
		for name := range asked {
			unknown = unknown || !names[name]
		}
		if !unknown {
			return true
		}
	}
	return false
}

func fits(pattern, segments []string) bool {
	if len(pattern) != len(segments) {
		return false
	}
	for i, p := range pattern {
		if !strings.HasPrefix(p, "{") && p != segments[i] {
			return false
		}
	}
	return true
}

// checkAPI fails the test for what was answered well and is not in the document.
func (s *site) checkAPI() {
	all, err := operations()
	if err != nil {
		s.t.Error(err)
		return
	}
	for _, a := range s.answered(0) {
		if a.status >= 200 && a.status < 300 && !inTheAPI(all, a) {
			s.t.Errorf("the page calls %s %s, which console/openapi.json does not have", a.method, a.path)
		}
	}
}

func TestACallThatIsNotInTheAPIIsFound(t *testing.T) {
	t.Parallel()
	all, err := operations()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"GET /api/v1/instances?status=failed&page_size=50": true, "GET /x/api/v1/instances/a%2Fb/timeline?since=3": true, "POST /api/v1/limits/set": true,
		"GET /api/v1/instances?colour=red": false, "GET /api/v1/secrets": false, "POST /api/v1/instances/a/timeline": false, "GET /other": false,
	} {
		method, path, _ := strings.Cut(path, " ")
		if got := inTheAPI(all, answer{method: method, path: path, status: 200}); got != want {
			t.Errorf("%s %s is in the API: %t", method, path, got)
		}
	}
}
