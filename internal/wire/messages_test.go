package wire_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/internal/wire"
)

// The examples of the contract, docs/messages.md, are tested: their commands are split as
// a shell would split them, and the bodies in them are parsed.

const contract = "../../docs/messages.md"

// contractText has the users' page and the page about messages that Turnstile sends to
// itself.
func contractText(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile(contract)
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("../../docs/internal/messages.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page) + string(own)
}

// fenced returns the code blocks in a language.
func fenced(t *testing.T, language string) []string {
	t.Helper()
	page := contractText(t)
	var blocks []string
	for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)\n```\n").FindAllStringSubmatch(page, -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// shellWords splits a command line, with single and double quotes and with lines that are
// continued after a backslash.
func shellWords(t *testing.T, command string) []string {
	t.Helper()
	var words []string
	var word strings.Builder
	in, quote := false, rune(0)
	for _, r := range strings.ReplaceAll(command, "\\\n", " ") {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, in = r, true
		case r == ' ' || r == '\n':
			if in {
				words = append(words, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteRune(r)
			in = true
		}
	}
	if quote != 0 {
		t.Fatalf("a quote is not closed in %s", command)
	}
	if in {
		words = append(words, word.String())
	}
	return words
}

func TestTheExamplesOfTheContractCanBePasted(t *testing.T) {
	t.Parallel()
	shown := map[wire.Kind]bool{}
	dedup := map[string]bool{}
	for _, command := range fenced(t, "bash") {
		words := shellWords(t, command)
		if len(words) < 3 || strings.Join(words[:3], " ") != "aws sqs send-message" {
			t.Errorf("not a send-message command: %s", command)
			continue
		}
		options := map[string]string{}
		for i := 3; i+1 < len(words); i += 2 {
			options[words[i]] = words[i+1]
		}
		if len(words) != 3+2*len(options) {
			t.Errorf("an option twice, or without value: %s", command)
		}
		item, err := wire.Parse([]byte(options["--message-body"]))
		if err != nil {
			t.Errorf("%v in %s", err, command)
			continue
		}
		shown[item.Kind] = true
		if item.Kind.CarriesID() && item.ID == "" {
			t.Errorf("%s is shown without an id", item.Kind)
		}
		group, id := options["--message-group-id"], options["--message-deduplication-id"]
		switch queue := options["--queue-url"]; queue {
		case "$ORCHESTRATOR_QUEUE_URL":
			if group != wire.Group(item.Target()) {
				t.Errorf("%s: group %q, want %q", item.Kind, group, wire.Group(item.Target()))
			}
			if !allowed.MatchString(id) || dedup[id] {
				t.Errorf("%s: deduplication id %q is not taken by SQS, or is there twice", item.Kind, id)
			}
			dedup[id] = true
		case "$DELAY_QUEUE_URL", "$ACTIVITY_QUEUE_URL":
			if group != "" || id != "" {
				t.Errorf("%s: a standard queue takes no group and deduplication id: %s", item.Kind, command)
			}
			if (queue == "$ACTIVITY_QUEUE_URL") != (item.Kind == wire.ActivityExecute) {
				t.Errorf("%s is shown on %s", item.Kind, queue)
			}
		default:
			t.Errorf("%s: queue %q", item.Kind, queue)
		}
	}
	for _, k := range wire.Kinds() {
		if !shown[k] {
			t.Errorf("%s shows no %s", contract, k)
		}
	}
}

func TestTheContractShowsJSONThatParseAccepts(t *testing.T) {
	t.Parallel()
	blocks := fenced(t, "json")
	want := []wire.Kind{wire.ActivityCompleted, wire.TimerFired}
	if len(blocks) != len(want) {
		t.Fatalf("%d blocks of JSON, want one by activity_token and the envelope", len(blocks))
	}
	for i, block := range blocks {
		item, err := wire.Parse(wire.Unwrap([]byte(block)))
		if err != nil || item.Kind != want[i] || item.Instance != "order-1" {
			t.Errorf("got %+v, %v; want %s", item, err, want[i])
		}
	}
}

func TestTheContractNamesEveryReasonLimitAndGroup(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(contract)
	if err != nil {
		t.Fatal(err)
	}
	says := func(s string) {
		if !strings.Contains(string(page), s) {
			t.Errorf("%s does not say %q", contract, s)
		}
	}
	for _, r := range wire.Reasons() {
		says("| `" + string(r) + "` |")
	}
	says("`" + wire.ReasonAttribute + "`")
	l := wire.DefaultLimits()
	says("| `instance`, `parent_instance` | " + strconv.Itoa(l.InstanceID) + " |")
	says("| `id`, `token` | " + strconv.Itoa(l.ID) + " |")
	says("| `name`, `version`, `codec` | " + strconv.Itoa(l.Name) + " |")
	says("| each payload | 262,144 (256 KiB) |")
	says("each text of a failure | 65,536 (64 KiB) |")
	if l.Payload != 262144 || l.Text != 65536 {
		t.Error("the limits of the page are not those of the code")
	}
}
