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

// layer lists what the packages of a folder may import besides the standard library. Tests are
// exempt.
type layer struct {
	// dir is the package's folder; "/..." at its end includes all folders below it.
	dir string
	// own are folders of this module; "any" means all but those that talk to AWS.
	own string
	// foreign are prefixes of import paths of other modules.
	foreign string
}

const aws = "github.com/aws/"

// layers is the table of docs/design.md: imports run one way. The first row that matches a folder
// applies.
var layers = []layer{
	{dir: "internal/clock"},
	{dir: "internal/schema", own: "internal/near", foreign: "pgregory.net/rapid"},
	{dir: "internal/catalog", own: "internal/schema"},
	{dir: "internal/near", foreign: "pgregory.net/rapid"},
	{dir: "internal/stage"},
	{dir: "history", own: "internal/jsonscan"},
	{dir: "internal/redriving", own: "history"},
	{dir: "internal/cause", own: ". history"}, // its tests import the root
	{dir: "internal/header"},
	{dir: "internal/panics"},
	{dir: "internal/coordination"},
	{dir: "internal/marks", own: "history"},
	{dir: "engine", own: "history internal/header internal/marks internal/near internal/panics internal/redriving"},
	{dir: "internal/keyring", own: "store"},
	{dir: "internal/wire", own: "history internal/jsonscan internal/near"},
	{dir: "internal/activities", own: "history internal/marks internal/near"},
	{dir: "store", own: "history"},
	{dir: "internal/exports", own: "history store"},
	{dir: "internal/unconsumed", own: "history store"},
	{dir: "internal/difference", own: "history internal/timeline"},
	{dir: "internal/conditions", own: "history store", foreign: "pgregory.net/rapid"},
	{dir: "internal/limits", own: "store", foreign: "pgregory.net/rapid"},
	{dir: "internal/bill", own: "history internal/queue store internal/timer"},
	{dir: "codec", own: "history store internal/wire"},
	{dir: "codec/...", own: "codec"},
	{dir: "internal/archive/s3", own: "internal/exports store", foreign: aws},
	{dir: "journal"},
	{dir: "internal/queue", own: "internal/wire"},
	{dir: "internal/timer", own: "internal/wire"},
	{dir: "store/dynamo", own: "history internal/conditions internal/keyring store", foreign: aws},
	// It charges as DynamoDB does, for the items that store/dynamo makes.
	{dir: "internal/store/metering", own: "history store store/dynamo", foreign: aws},
	{dir: "internal/store/...", own: "history internal/conditions internal/keyring store", foreign: "pgregory.net/rapid"},
	{dir: "internal/queue/sqs", own: "internal/wire internal/queue", foreign: aws},
	{dir: "internal/queue/...", own: "internal/clock internal/wire internal/queue journal", foreign: "pgregory.net/rapid"},
	{dir: "internal/timer/scheduler", own: "internal/wire internal/timer internal/queue", foreign: aws},
	{dir: "internal/timer/...", own: "internal/clock internal/wire internal/timer journal", foreign: "pgregory.net/rapid"},
	// Code that turns and attempts share imports neither of them.
	{dir: "internal/host/random"},
	{dir: "internal/host/backoff", own: "internal/clock internal/host/random"},
	{dir: "internal/host/sharing", own: "internal/clock internal/queue"},
	{dir: "internal/host/delivery", own: "internal/logattr internal/queue store internal/wire"},
	{dir: "internal/host/edge", own: "codec history internal/panics internal/queue store internal/wire"},
	{dir: "internal/host/attempt", own: "internal/activities internal/clock internal/marks internal/panics history internal/host/edge internal/host/random store internal/wire"},
	// The host runs orchestrations and activities: first its contract with the runtime (host), then
	// the handlers, and below them the packages that they use.
	{dir: "host", own: "internal/queue store"},
	{dir: "internal/host/platform", own: "host internal/clock internal/host/sharing internal/logattr internal/wire internal/queue"},
	{dir: "internal/settings", own: ". host"},
	{dir: "internal/host/publishing", own: "internal/clock host internal/queue"},
	{dir: "internal/host/dispatch", own: "internal/coordination internal/redriving internal/header internal/host/publishing internal/host/platform internal/clock history host internal/host/backoff internal/host/delivery internal/host/edge internal/host/random " +
		"internal/host/sharing internal/keyring internal/queue store internal/timer internal/wire"},
	{dir: "internal/host/inbox", own: "internal/host/publishing internal/host/platform internal/clock history host internal/coordination internal/host/attempt internal/host/backoff internal/host/delivery internal/host/edge internal/host/lease internal/keyring internal/queue internal/wire"},
	{dir: "internal/host/reading", own: "internal/clock codec engine history host internal/host/edge store"},
	{dir: "internal/host/resending", own: "engine history internal/host/dispatch internal/host/edge internal/host/reading internal/redriving store"},
	{dir: "internal/host/lease", own: "internal/clock internal/queue"},
	{dir: "internal/host/cache", own: "internal/clock engine host internal/host/dispatch store"},
	{dir: "internal/host/projection", own: "engine history store"},
	// The rules of the protocol: from the state that was read to the actions. They call no service.
	{dir: "internal/host/deciding", own: "internal/header internal/host/publishing internal/activities engine history host internal/host/attempt internal/host/backoff internal/host/delivery internal/host/dispatch internal/host/edge " +
		"internal/host/inbox internal/host/lease internal/host/projection internal/host/reading internal/host/resending internal/keyring internal/redriving store internal/wire"},
	{dir: "internal/host/sweep", own: "history host internal/clock internal/host/delivery internal/host/dispatch internal/host/inbox internal/host/sharing internal/queue store internal/wire internal/exports"},
	// The two handlers do not import each other.
	{dir: "internal/host/worker", own: "internal/host/platform internal/activities internal/clock codec history host internal/host/attempt internal/host/backoff internal/host/delivery internal/host/edge " +
		"internal/host/lease internal/host/random internal/host/sharing internal/limits internal/queue store internal/wire"},
	{dir: "internal/host/orchestrator", own: "internal/jsonscan internal/panics internal/header internal/host/publishing internal/host/platform internal/activities internal/clock internal/conditions codec engine history host internal/host/attempt internal/host/backoff internal/host/cache internal/host/delivery " +
		"internal/host/deciding internal/host/dispatch internal/host/edge internal/host/inbox internal/host/random internal/host/reading internal/host/sharing internal/host/sweep internal/watchdog internal/logattr internal/keyring internal/queue store internal/timer internal/wire"},
	{dir: "internal/names", own: "history internal/wire"},
	{dir: "internal/around", own: "internal/panics"},
	{dir: "internal/logattr"},
	{dir: "internal/loglines"},
	{dir: "internal/embeddedmetrics", own: "host internal/queue"},
	// The API for authors, and the client that calls it from outside, which imports it.
	{dir: ".", own: "internal/activities engine history internal/around internal/catalog internal/coordination internal/jsonscan internal/marks internal/names internal/near"},
	{dir: "internal/watchdog", own: "internal/clock"},
	{dir: "internal/rehearsal", own: "engine history internal/watchdog store"},
	{dir: "internal/turncache", own: "history store"},
	{dir: "internal/querying", own: "engine internal/near internal/panics internal/rehearsal internal/watchdog store"},
	{dir: "client", own: ". internal/activities internal/clock internal/conditions codec history internal/around internal/coordination internal/keyring internal/limits internal/names internal/near internal/querying internal/redriving internal/rehearsal internal/turncache internal/unconsumed internal/queue store internal/wire internal/exports"},
	{dir: "schedule", own: ". client internal/coordination internal/names internal/wire", foreign: "github.com/netresearch/go-cron"},
	{dir: "internal/deadletter", own: "codec internal/queue internal/wire"},
	// The page and the API of the console: they import the client, and not the programs in which
	// they are mounted.
	{dir: "internal/console/api", own: ". client engine internal/catalog internal/cause internal/deadletter internal/difference history internal/loglines internal/names internal/recording internal/schema internal/timeline schedule store internal/wire"},
	{dir: "internal/console/page"},
	{dir: "internal/console/acts", own: ". client history internal/console/api internal/wire schedule"},
	{dir: "console", own: "client internal/console"},
	{dir: "internal/console", own: ". client codec internal/console/acts internal/console/api internal/console/page internal/catalog internal/bill internal/cause internal/deadletter internal/difference history internal/loglines internal/recording internal/near internal/rehearsal internal/schema internal/timeline internal/turncache internal/unconsumed internal/queue schedule store internal/wire internal/exports"},
	{dir: "docs"},
	{dir: "embedded/...", own: "any"},
	{dir: "turnstiletest/...", own: "any"},
	// From the decisions to the check for failures: no package imports one above it.
	{dir: "internal/simulation/choice"},
	{dir: "internal/simulation/fault"},
	{dir: "internal/simulation/ledger", own: "history store internal/wire"},
	{dir: "internal/simulation/program", own: "engine history internal/simulation/choice"},
	{dir: "internal/simulation/world", own: "host internal/host/publishing internal/host/platform internal/activities internal/clock codec engine history host internal/host/orchestrator internal/host/worker internal/keyring internal/limits journal internal/queue internal/queue/memory internal/simulation/choice internal/simulation/fault internal/simulation/ledger internal/simulation/program store internal/store/memory internal/timer internal/timer/memory internal/wire"},
	{dir: "internal/simulation/check", own: "internal/header internal/host/platform internal/activities engine history host internal/querying internal/queue internal/simulation/fault internal/simulation/ledger internal/simulation/program internal/simulation/world store internal/timer internal/turncache internal/wire"},
	{dir: "internal/simulation/scenario", own: ". client internal/activities engine internal/coordination examples/orders/orders history internal/queue internal/simulation/choice internal/simulation/fault internal/simulation/ledger internal/simulation/program internal/simulation/world schedule store internal/wire"},
	{dir: "internal/simulation", own: "history internal/kept internal/simulation/check internal/simulation/choice internal/simulation/ledger internal/simulation/program internal/simulation/scenario internal/simulation/world store"},
	{dir: "internal/simulation/search", own: "internal/activities engine history internal/simulation internal/simulation/choice internal/simulation/fault internal/simulation/ledger internal/simulation/program internal/simulation/scenario internal/simulation/world store internal/wire"},
	{dir: "internal/simulation/...", own: "any"},
	{dir: "examples/...", own: "any"},
	{dir: "awslambda/...", own: "any internal/host/publishing internal/archive/s3 store/dynamo internal/queue/sqs internal/timer/scheduler", foreign: aws},
	{dir: "lambdas/...", own: "any awslambda", foreign: aws},
	{dir: "localstack/...", own: "any awslambda store/dynamo internal/queue/sqs internal/timer/scheduler", foreign: aws},
	{dir: "internal/...", own: "any awslambda store/dynamo internal/queue/sqs internal/timer/scheduler", foreign: aws},
}

// onAWS are the folders that talk to AWS; "any" does not include them.
var onAWS = []string{"awslambda", "internal/archive/s3", "store/dynamo", "internal/queue/sqs", "internal/timer/scheduler"}

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

// The Lambda functions do not link the console, nor package embedded, which serves one.
func TestTheFunctionsDoNotLinkTheConsole(t *testing.T) {
	t.Parallel()
	of := map[string][]string{}
	for file, imports := range goFiles(t) {
		dir := path.Dir(file)
		of[dir] = append(of[dir], imports...)
	}
	linked := map[string]string{} // the importing package, by folder
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
		if dir == "embedded" || strings.HasPrefix(dir, "internal/console") {
			t.Errorf("%s links %s", by, dir)
		}
	}
}

func TestImportsTableRejectsWrongImports(t *testing.T) {
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
		{"host", module, false}, {"host", module + "/internal/host/orchestrator", false},
		{"internal/store/memory", "github.com/aws/aws-sdk-go-v2/service/dynamodb", false},
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

// goFiles returns the imports of every Go file of this module except tests, by path from the root.
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
