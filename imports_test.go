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
	{dir: "internal/clock"},
	{dir: "internal/schema", own: "internal/near", foreign: "pgregory.net/rapid"},
	{dir: "internal/catalog", own: "internal/schema"},
	{dir: "internal/near", foreign: "pgregory.net/rapid"},
	{dir: "history", own: "internal/jsonscan"},
	{dir: "internal/redriving", own: "history"},
	{dir: "internal/cause", own: ". history"}, // the root in its tests
	{dir: "internal/header"},
	{dir: "internal/gating"},
	{dir: "internal/scheduling"},
	{dir: "engine", own: "history internal/header internal/near internal/redriving"},
	{dir: "internal/keyring", own: "store"},
	{dir: "internal/wire", own: "history internal/jsonscan internal/near"},
	{dir: "internal/activities", own: "history internal/near"},
	{dir: "store", own: "history"},
	{dir: "internal/exports", own: "history store"},
	{dir: "internal/untaken", own: "history store"},
	{dir: "internal/difference", own: "history internal/timeline"},
	{dir: "internal/places", own: "engine history store"},
	{dir: "internal/conditions", own: "history store", foreign: "pgregory.net/rapid"},
	{dir: "internal/limits", own: "store", foreign: "pgregory.net/rapid"},
	{dir: "internal/bill", own: "history internal/queue store internal/timer"},
	{dir: "codec", own: "history store internal/wire"},
	{dir: "codec/...", own: "codec"},
	{dir: "internal/archive/s3", own: "internal/archive store", foreign: aws},
	{dir: "internal/archive"},
	{dir: "journal"},
	{dir: "internal/queue", own: "internal/wire"},
	{dir: "internal/timer", own: "internal/wire"},
	{dir: "store/dynamo", own: "history internal/conditions internal/keyring store", foreign: aws},
	// It charges as DynamoDB does, by the items that store/dynamo makes.
	{dir: "internal/store/metering", own: "history store store/dynamo", foreign: aws},
	{dir: "internal/store/...", own: "history internal/conditions internal/keyring store", foreign: "pgregory.net/rapid"},
	{dir: "internal/queue/sqs", own: "internal/wire internal/queue", foreign: aws},
	{dir: "internal/queue/...", own: "internal/clock internal/wire internal/queue journal", foreign: "pgregory.net/rapid"},
	{dir: "internal/timer/scheduler", own: "internal/wire internal/timer internal/queue", foreign: aws},
	{dir: "internal/timer/...", own: "internal/clock internal/wire internal/timer journal", foreign: "pgregory.net/rapid"},
	// What turns and attempts share knows neither of them.
	{dir: "internal/host/random"},
	{dir: "internal/host/backoff", own: "internal/clock internal/host/random"},
	{dir: "internal/host/sharing", own: "internal/clock internal/queue"},
	{dir: "internal/host/delivery", own: "internal/logattr internal/queue store internal/wire"},
	{dir: "internal/host/edge", own: "codec engine history internal/queue store internal/wire"},
	{dir: "internal/host/attempt", own: "internal/activities internal/clock engine history internal/host/edge internal/host/random store internal/wire"},
	// What runs orchestrations and activities: the contract with what runs it in
	// (host), the handlers, and below them what they are made of.
	{dir: "host", own: "internal/queue store"},
	{dir: "internal/host/platform", own: "host internal/clock internal/host/sharing internal/logattr internal/wire internal/queue"},
	{dir: "internal/settings", own: ". host"},
	{dir: "internal/host/publishing", own: "internal/clock host internal/queue"},
	{dir: "internal/host/dispatch", own: "internal/gating internal/redriving internal/header internal/host/publishing internal/host/platform internal/clock history host internal/host/backoff internal/host/delivery internal/host/edge internal/host/random " +
		"internal/host/sharing internal/keyring internal/queue store internal/timer internal/wire"},
	{dir: "internal/host/inbox", own: "internal/host/publishing internal/host/platform internal/clock history host internal/host/attempt internal/host/backoff internal/host/delivery internal/host/edge internal/host/lease internal/keyring internal/queue internal/wire"},
	{dir: "internal/host/reading", own: "internal/clock codec engine history host internal/host/edge store"},
	{dir: "internal/host/resending", own: "engine history internal/host/dispatch internal/host/edge internal/host/reading internal/redriving store"},
	{dir: "internal/host/lease", own: "internal/clock internal/queue"},
	{dir: "internal/host/cache", own: "internal/clock engine host internal/host/dispatch store"},
	{dir: "internal/host/watchdog", own: "internal/clock internal/host/edge"},
	{dir: "internal/host/projection", own: "engine history store"},
	// The rules of the protocol: from what was read to what is done. They reach no service.
	{dir: "internal/host/deciding", own: "internal/header internal/host/publishing internal/activities engine history host internal/host/attempt internal/host/backoff internal/host/delivery internal/host/dispatch internal/host/edge " +
		"internal/host/inbox internal/host/lease internal/host/projection internal/host/reading internal/host/resending internal/keyring internal/redriving store internal/wire"},
	{dir: "internal/host/sweep", own: "history host internal/clock internal/host/delivery internal/host/dispatch internal/host/inbox internal/host/sharing internal/queue store internal/wire internal/exports"},
	// Neither of the two handlers knows the other.
	{dir: "internal/host/worker", own: "internal/host/platform internal/activities internal/clock codec history host internal/host/attempt internal/host/backoff internal/host/delivery internal/host/edge " +
		"internal/host/lease internal/host/random internal/host/sharing internal/limits internal/queue store internal/wire"},
	{dir: "internal/host/orchestrator", own: "internal/header internal/host/publishing internal/host/platform internal/activities internal/clock internal/conditions codec engine history host internal/host/attempt internal/host/backoff internal/host/cache internal/host/delivery " +
		"internal/host/deciding internal/host/dispatch internal/host/edge internal/host/inbox internal/host/random internal/host/reading internal/host/sharing internal/host/sweep internal/host/watchdog internal/logattr internal/keyring internal/queue store internal/timer internal/wire"},
	{dir: "internal/names", own: "internal/wire"},
	{dir: "internal/around", own: "engine"},
	{dir: "internal/logattr"},
	{dir: "internal/loglines"},
	{dir: "internal/embeddedmetrics", own: "host internal/queue"},
	// What authors write; and what calls it from outside, which stands on it.
	{dir: ".", own: "internal/activities engine history internal/around internal/catalog internal/gating internal/names internal/near"},
	{dir: "internal/rehearsal", own: "engine history store"},
	{dir: "client", own: ". internal/activities internal/clock internal/conditions codec history internal/around internal/gating internal/limits internal/names internal/near internal/redriving internal/rehearsal internal/scheduling internal/untaken internal/queue store internal/wire internal/exports"},
	{dir: "schedule", own: ". client internal/names internal/scheduling internal/wire", foreign: "github.com/netresearch/go-cron"},
	{dir: "internal/deadletter", own: "codec internal/queue internal/wire"},
	// The page and the API of the console: it stands on the client, and knows
	// nothing of what it is mounted in.
	{dir: "internal/console/api", own: ". client engine internal/catalog internal/cause internal/deadletter internal/difference history internal/recording internal/schema internal/timeline store internal/wire"},
	{dir: "internal/console/page"},
	{dir: "console", own: "client internal/console"},
	{dir: "internal/console", own: ". client codec internal/console/api internal/console/page internal/catalog internal/cause internal/deadletter internal/difference history internal/recording internal/near internal/places internal/schema internal/timeline internal/untaken internal/queue schedule store internal/wire internal/exports"},
	{dir: "docs"},
	{dir: "embedded/...", own: "any"},
	{dir: "turnstiletest/...", own: "any"},
	// From what is decided to what looks for failures: nobody below knows who is above.
	{dir: "internal/simulation/choice"},
	{dir: "internal/simulation/fault"},
	{dir: "internal/simulation/ledger", own: "history store internal/wire"},
	{dir: "internal/simulation/program", own: "engine history internal/simulation/choice"},
	{dir: "internal/simulation/world", own: "host internal/host/publishing internal/host/platform internal/activities internal/clock codec engine history host internal/host/orchestrator internal/host/worker internal/keyring internal/limits journal internal/queue internal/queue/memory internal/simulation/choice internal/simulation/fault internal/simulation/ledger internal/simulation/program store internal/store/memory internal/timer internal/timer/memory internal/wire"},
	{dir: "internal/simulation/check", own: "internal/header internal/host/platform internal/activities engine history host internal/queue internal/simulation/fault internal/simulation/ledger internal/simulation/program internal/simulation/world store internal/timer internal/wire"},
	{dir: "internal/simulation/scenario", own: ". internal/activities engine internal/gating examples/orders/orders history internal/queue internal/simulation/choice internal/simulation/fault internal/simulation/ledger internal/simulation/program internal/simulation/world internal/scheduling schedule store internal/wire"},
	{dir: "internal/simulation", own: "history internal/kept internal/simulation/check internal/simulation/choice internal/simulation/ledger internal/simulation/program internal/simulation/scenario internal/simulation/world store"},
	{dir: "internal/simulation/search", own: "internal/activities engine history internal/simulation internal/simulation/choice internal/simulation/fault internal/simulation/ledger internal/simulation/program internal/simulation/scenario internal/simulation/world store internal/wire"},
	{dir: "internal/simulation/...", own: "any"},
	{dir: "examples/...", own: "any"},
	{dir: "awslambda/...", own: "any internal/host/publishing internal/archive/s3 store/dynamo internal/queue/sqs internal/timer/scheduler", foreign: aws},
	{dir: "lambdas/...", own: "any awslambda", foreign: aws},
	{dir: "localstack/...", own: "any awslambda store/dynamo internal/queue/sqs internal/timer/scheduler", foreign: aws},
	{dir: "internal/...", own: "any awslambda store/dynamo internal/queue/sqs internal/timer/scheduler", foreign: aws},
}

// onAWS are the folders that talk to AWS; "any" does not cover them.
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
		if dir == "embedded" || strings.HasPrefix(dir, "internal/console") {
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
