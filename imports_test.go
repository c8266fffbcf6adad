package turnstile_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/turnstile-go/turnstile"

// layer says what the packages of a folder may import, tests aside, besides
// the standard library.
type layer struct {
	// dir is the package's folder; with "/..." at its end all below it too.
	dir string
	// own are folders of this module; "any" for all but those that talk to AWS.
	own string
	// foreign are prefixes of import paths of other modules.
	foreign string
}

const aws = "github.com/aws/"

// layers is the table of docs/design.md: imports run one way. The first row
// that fits a folder counts.
var layers = []layer{
	{dir: "clock"},
	{dir: "internal/near", foreign: "pgregory.net/rapid"},
	{dir: "history", own: "internal/jsonscan"},
	{dir: "engine", own: "history internal/near"},
	{dir: "keyring"},
	{dir: "wire", own: "history internal/jsonscan internal/near"},
	{dir: "activity", own: "history internal/near"},
	{dir: "store", own: "history"},
	{dir: "bill", own: "history queue store timer"},
	{dir: "codec", own: "history store wire"},
	{dir: "codec/...", own: "codec"},
	{dir: "queue", own: "wire"},
	{dir: "timer", own: "wire"},
	{dir: "store/dynamo", own: "history keyring store", foreign: aws},
	// It charges as DynamoDB does, by the items that store/dynamo makes.
	{dir: "store/metering", own: "history store store/dynamo", foreign: aws},
	{dir: "store/...", own: "history store", foreign: "pgregory.net/rapid"},
	{dir: "queue/sqs", own: "wire queue", foreign: aws},
	{dir: "queue/...", own: "clock wire queue", foreign: "pgregory.net/rapid"},
	{dir: "timer/scheduler", own: "wire timer queue", foreign: aws},
	{dir: "timer/...", own: "clock wire timer", foreign: "pgregory.net/rapid"},
	// What turns and attempts share knows neither of them.
	{dir: "host/internal/random"},
	{dir: "host/internal/backoff", own: "clock host/internal/random"},
	{dir: "host/internal/sharing", own: "clock queue"},
	{dir: "host/internal/delivery", own: "internal/logattr queue store wire"},
	{dir: "host/internal/edge", own: "codec engine history queue store wire"},
	{dir: "host/internal/attempt", own: "activity clock engine history host/internal/edge host/internal/random store wire"},
	// What runs orchestrations and activities: the contract with what runs it in
	// (host), the handlers, and below them what they are made of.
	{dir: "host", own: "clock history host/internal/sharing internal/logattr queue store wire"},
	{dir: "host/internal/dispatch", own: "clock history host host/internal/backoff host/internal/delivery host/internal/edge host/internal/random " +
		"host/internal/sharing keyring queue store timer wire"},
	{dir: "host/internal/inbox", own: "clock history host host/internal/attempt host/internal/backoff host/internal/delivery host/internal/edge host/internal/lease keyring queue wire"},
	{dir: "host/internal/reading", own: "clock codec engine history host host/internal/edge store"},
	{dir: "host/internal/resending", own: "engine history host/internal/dispatch host/internal/edge host/internal/reading store"},
	{dir: "host/internal/lease", own: "clock queue"},
	{dir: "host/internal/cache", own: "clock engine host host/internal/dispatch store"},
	{dir: "host/internal/watchdog", own: "clock host/internal/edge"},
	{dir: "host/internal/projection", own: "engine history store"},
	// The rules of the protocol: from what was read to what is done. They reach no service.
	{dir: "host/internal/deciding", own: "activity engine history host host/internal/attempt host/internal/backoff host/internal/delivery host/internal/dispatch host/internal/edge " +
		"host/internal/inbox host/internal/lease host/internal/projection host/internal/reading host/internal/resending keyring store wire"},
	{dir: "host/internal/sweep", own: "clock host/internal/dispatch host/internal/inbox host/internal/sharing queue store wire"},
	// Neither of the two handlers knows the other.
	{dir: "host/worker", own: "activity clock codec history host host/internal/attempt host/internal/backoff host/internal/delivery host/internal/edge " +
		"host/internal/lease host/internal/random host/internal/sharing queue store wire"},
	{dir: "host/orchestrator", own: "activity clock codec engine history host host/internal/attempt host/internal/backoff host/internal/cache host/internal/delivery " +
		"host/internal/deciding host/internal/dispatch host/internal/edge host/internal/inbox host/internal/random host/internal/reading host/internal/sharing host/internal/sweep host/internal/watchdog internal/logattr keyring queue store timer wire"},
	{dir: "internal/names", own: "wire"},
	{dir: "internal/around"},
	{dir: "internal/logattr"},
	{dir: "internal/embeddedmetrics", own: "host queue"},
	// What authors write; and what calls it from outside, which stands on it.
	{dir: ".", own: "activity engine history internal/around internal/names internal/near"},
	{dir: "client", own: ". activity clock codec history internal/around internal/names internal/near queue store wire"},
	{dir: "deadletter", own: "codec queue wire"},
	// The page and the API of the console: it stands on the client, and knows
	// nothing of what it is mounted in.
	{dir: "console/api", own: ". client deadletter history internal/recording internal/timeline store wire"},
	{dir: "console/page"},
	{dir: "console", own: ". client codec console/api console/page deadletter history internal/recording internal/near internal/timeline queue store wire"},
	{dir: "embedded/...", own: "any"},
	{dir: "turnstiletest/...", own: "any"},
	// From what is decided to what looks for failures: nobody below knows who is above.
	{dir: "simulation/choice"},
	{dir: "simulation/fault"},
	{dir: "simulation/ledger", own: "history store wire"},
	{dir: "simulation/program", own: "engine history simulation/choice"},
	{dir: "simulation/world", own: "activity clock codec engine history host host/orchestrator host/worker keyring queue queue/memory simulation/choice simulation/fault simulation/ledger simulation/program store store/memory timer timer/memory wire"},
	{dir: "simulation/check", own: "activity engine history host queue simulation/fault simulation/ledger simulation/program simulation/world store timer wire"},
	{dir: "simulation/scenario", own: ". activity engine examples/orders/orders history queue simulation/choice simulation/fault simulation/ledger simulation/program simulation/world store wire"},
	{dir: "simulation", own: "history internal/kept simulation/check simulation/choice simulation/ledger simulation/program simulation/scenario simulation/world store"},
	{dir: "simulation/search", own: "activity engine simulation simulation/choice simulation/fault simulation/ledger simulation/program simulation/scenario simulation/world store wire"},
	{dir: "simulation/...", own: "any"},
	{dir: "examples/...", own: "any"},
	{dir: "awslambda/...", own: "any store/dynamo queue/sqs timer/scheduler", foreign: aws},
	{dir: "lambdas/...", own: "any awslambda", foreign: aws},
	{dir: "localstack/...", own: "any awslambda store/dynamo queue/sqs timer/scheduler", foreign: aws},
	{dir: "internal/...", own: "any awslambda store/dynamo queue/sqs timer/scheduler", foreign: aws},
}

// onAWS are the folders that talk to AWS; "any" does not cover them.
var onAWS = []string{"awslambda", "store/dynamo", "queue/sqs", "timer/scheduler"}

func TestImportsRunOneWay(t *testing.T) {
	t.Parallel()
	seen := 0
	for file, imports := range goFiles(t) {
		dir := path.Dir(file)
		i := slices.IndexFunc(layers, func(l layer) bool { return l.covers(dir) })
		if i < 0 {
			t.Errorf("%s: its folder is not in the table of layers: say there what it may import", file)
			continue
		}
		for _, imported := range imports {
			seen++
			if !layers[i].allows(imported) {
				t.Errorf("%s imports %s, which %s may not (see the table of layers)", file, imported, dir)
			}
		}
	}
	if seen < 50 {
		t.Errorf("looked at %d imports only: the test has lost the source", seen)
	}
}

// What runs on Lambda has no console in it, nor the environment that serves one.
func TestTheFunctionsDoNotLinkTheConsole(t *testing.T) {
	t.Parallel()
	of := map[string][]string{}
	for file, imports := range goFiles(t) {
		dir := path.Dir(file)
		of[dir] = append(of[dir], imports...)
	}
	linked := map[string]string{} // by folder, who imports it
	var link func(dir, by string)
	link = func(dir, by string) {
		if _, seen := linked[dir]; seen {
			return
		}
		linked[dir] = by
		for _, imported := range of[dir] {
			if own, isOwn := strings.CutPrefix(imported, module); isOwn {
				link(path.Join(".", own), dir)
			}
		}
	}
	link("lambdas/orchestrator", "")
	link("lambdas/activity", "")
	if linked["host"] == "" {
		t.Error("they do not even link the host: the test has lost the source")
	}
	for dir, by := range linked {
		if dir == "embedded" || strings.HasPrefix(dir, "console") {
			t.Errorf("%s links %s", by, dir)
		}
	}
}

func TestImportsTableRefusesWhatItShould(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dir, imported string
		want          bool
	}{
		{"engine", "fmt", true},
		{"engine", module + "/history", true},
		{"engine", module + "/store", false},
		{"history", "github.com/aws/smithy-go", false},
		{".", module + "/host", false},
		{".", module + "/client", false},
		{"client", module, true},
		{"client", module + "/engine", false},
		{".", "github.com/aws/aws-sdk-go-v2/service/sqs", false},
		{"host", module, false}, {"host", module + "/host/orchestrator", false},
		{"store/memory", "github.com/aws/aws-sdk-go-v2/service/dynamodb", false},
		{"store/dynamo", "github.com/aws/aws-sdk-go-v2/service/dynamodb", true},
		{"embedded", module + "/awslambda", false},
		{"embedded", module + "/store/dynamo", false},
		{"embedded", module + "/host", true},
		{"examples/orders", module + "/embedded", true},
		{"lambdas/orchestrator", module + "/awslambda", true},
	} {
		i := slices.IndexFunc(layers, func(l layer) bool { return l.covers(c.dir) })
		if got := layers[i].allows(c.imported); got != c.want {
			t.Errorf("%s importing %s: allowed is %v, want %v", c.dir, c.imported, got, c.want)
		}
	}
}

func (l layer) covers(dir string) bool {
	parent, below := strings.CutSuffix(l.dir, "/...")
	return dir == parent || below && strings.HasPrefix(dir, parent+"/")
}

func (l layer) allows(imported string) bool {
	own, isOwn := strings.CutPrefix(imported, module)
	switch {
	case isOwn:
		dir := strings.TrimPrefix(own, "/")
		if dir == "" {
			dir = "."
		}
		for _, allowed := range strings.Fields(l.own) {
			if dir == allowed || allowed == "any" && !slices.Contains(onAWS, dir) {
				return true
			}
		}
		return false
	case !strings.Contains(strings.SplitN(imported, "/", 2)[0], "."):
		return true // The standard library.
	}
	return l.foreign != "" && strings.HasPrefix(imported, l.foreign)
}

// goFiles returns the imports of every Go file of this module that is no test,
// by its path from the root.
func goFiles(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			base := entry.Name()
			_, otherModule := os.Stat(filepath.Join(name, "go.mod"))
			if name != "." && (base == "testdata" || base[0] == '.' || base[0] == '_' || otherModule == nil) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			imports = append(imports, imported)
		}
		files[filepath.ToSlash(name)] = imports
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
