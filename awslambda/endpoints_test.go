package awslambda

import (
	"cmp"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// endpointOf are the services that have an endpoint of another name than their package.
var endpointOf = map[string]string{"eventbridge": "events"}

// A service without an endpoint answers nothing from a VPC, so the page names one for each service that
// the functions call.
func TestThePageNamesAnEndpointForEachServiceThatTheFunctionsCall(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, folder := range []string{".", "../internal/archive/s3", "../internal/queue/sqs", "../internal/timer/scheduler", "../store/dynamo"} {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range f.Imports {
				path, _ := strconv.Unquote(i.Path.Value)
				if service, is := strings.CutPrefix(path, "github.com/aws/aws-sdk-go-v2/service/"); is && !strings.Contains(service, "/") {
					called[cmp.Or(endpointOf[service], service)] = true
				}
			}
		}
	}
	page, err := os.ReadFile("../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, m := range regexp.MustCompile("(?m)^\\| `com\\.amazonaws\\.REGION\\.([a-z0-9.]+)` \\|").FindAllSubmatch(page, -1) {
		named = append(named, string(m[1]))
	}
	slices.Sort(named)
	if want := slices.Sorted(maps.Keys(called)); !slices.Equal(named, want) {
		t.Errorf("docs/deploy.md names endpoints of %v, the functions call %v", named, want)
	}
}
