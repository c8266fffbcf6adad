package browsertest

import (
	"fmt"
	"testing"

	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// The page's modules without a document: an expression, with m for the module,
// and what it is as JSON.
var modules = []struct{ module, expression, want string }{
	{"format.js", `[0, 999, 1000, 9999, 10000, 59999, 60000, 187000, 3600000, 19200000, 86400000, 1051200000, -1500, NaN].map(m.span)`,
		`["0ms","999ms","1.0s","9.9s","10s","59s","1m00s","3m07s","1h00m","5h20m","1d00h","12d04h","-1.5s",""]`},
	{"format.js", `[0, 999, 1000, 59999, 60000, 7200000, 172799999, 172800000].map(m.coarse)`, `["now","now","1s","59s","1m","2h","47h","2d"]`},
	{"format.js", `[[0, 500], [0, 61000], [1500, 0], [200000, 0], [0, NaN]].map(([at, now]) => m.ago(at, now))`, `["just now","1m ago","just now","in 3m",""]`},
	{"format.js", `m.moment("2026-12-01T09:30:00.123Z", true)`, `"2026-12-01 09:30:00.123 UTC"`},
	{"format.js", `m.moment("nonsense") + m.clock("nonsense")`, `""`},
	{"format.js", `[0, 1023, 1024, 4096, 10240, 1048576, 5e12, NaN].map(m.bytes)`, `["0 B","1023 B","1.0 KB","4.0 KB","10 KB","1.0 MB","4657 GB",""]`},
	{"format.js", `[m.count(1234567), m.count(1000, true), m.plural(1, "try", "tries"), m.plural(0, "instance")]`, `["1,234,567","1,000+","1 try","0 instances"]`},
	{"format.js", `[0, 1.5, 0.01, 0.0000123, NaN].map(m.dollars)`, `["$0","$1.50","$0.01","$0.000012",""]`},
	{"format.js", `[m.clip("abc", 3), m.clip("abcd", 3), m.clip("😀😀😀", 3)]`, `["abc","ab…","😀😀…"]`},

	{"visible.js", `m.parts("plain, ünïcödé, 日本語")`, `["plain, ünïcödé, 日本語"]`},
	{"visible.js", `m.parts("a\u202eb").map(p => p.label ?? p)`, `["a","U+202E","b"]`},
	{"visible.js", `m.parts("\x00\t\n\x1b\u00a0\u200b\ufeff\u2028\u{e0041}\u3164").map(p => p.label ?? p)`,
		`["\\0","\\t","\\n","\\e","U+00A0","U+200B","U+FEFF","U+2028","U+E0041","U+3164"]`},
	{"visible.js", `m.parts("\ud800x").map(p => p.label ?? p)`, `["U+D800","x"]`},
	{"visible.js", `m.parts("a\n\tb\u0007", true).map(p => p.label ?? p)`, `["a\n\tb","U+0007"]`},
	{"visible.js", `m.parts("👩\u200d🚀 x\u200dy").map(p => p.label ?? p)`, `["👩‍🚀 x","U+200D","y"]`},
	{"visible.js", `m.parts("")`, `[]`},
	{"visible.js", `m.plainText("a\u202eb\n")`, `"a[U+202E]b[\\n]"`},

	{"json.js", `m.format(m.parse('{"n":9007199254740993,"m":-1234567890.1234567890,"k":1.5,"e":1e400}'))`,
		`"{\n  \"n\": 9007199254740993,\n  \"m\": -1234567890.1234567890,\n  \"k\": 1.5,\n  \"e\": 1e400\n}"`},
	{"json.js", `m.format(m.parse('{"__proto__":{"a":1}}'))`, `"{\n  \"__proto__\": {\n    \"a\": 1\n  }\n}"`},
	{"json.js", `m.tokens('{\n  "a\\"": [1, "x: 2", true, -1.5e3]\n}').filter(([k]) => k)`,
		`[["key","\"a\\\"\""],["number","1"],["string","\"x: 2\""],["word","true"],["number","-1.5e3"]]`},
	{"json.js", `(t => m.tokens(t).map(p => p[1]).join("") === t)('{"a":"\\\\","b":[null,{"c":"\\u202e"}], broken "')`, `true`},
	{"json.js", `[m.oneLine({a: 1}), m.oneLine("text"), m.oneLine("x".repeat(9), 5)]`, `["{\"a\":1}","text","xxxx…"]`},

	{"location.js", `m.parse(m.format(["instances", "a/b?#%&+ \u202e.."], {where: 'a = "1&2"', page: "", n: 0}))`,
		`{"segments":["instances","a/b?#%&+ ‮.."],"query":{"where":"a = \"1&2\"","n":"0"}}`},
	{"location.js", `m.instance("a/b", "history", {event: 3})`, `"#/instances/a%2Fb/history?event=3"`},
	{"location.js", `m.parse("#/a%zz//b?x=%zz")`, `{"segments":["a%zz","b"],"query":{"x":"%zz"}}`},
	{"location.js", `m.parse(m.instance("\ud800"))`, `{"segments":["instances","�"],"query":{}}`},

	{"api.js", `["a/b", ".", "..", "...", "~x", "%2e", "é"].map(id => m.path("instances", id))`,
		`["instances/a%2Fb","instances/~.","instances/~..","instances/...","instances/~~x","instances/%252e","instances/%C3%A9"]`},

	{"listquery.js", `m.apiQuery({status: "stuck", since: "1h", name: "A", prefix: "order-", page: "t", roots: "yes"}, Date.UTC(2026, 0, 2))`,
		`{"status":"stuck","name":"A","prefix":"order-","from":"2026-01-01T23:00:00.000Z","page_size":50,"page_token":"t"}`},
	{"listquery.js", `[{ended: "1h"}, {ended_from: "x", ended_to: "y", since: "24h"}].map(q => m.apiQuery(q, Date.UTC(2026, 0, 2))).map(q => [q.from, q.to, q.ended_from, q.ended_to])`,
		`[[null,null,"2026-01-01T23:00:00.000Z",null],["2026-01-01T00:00:00.000Z",null,"x","y"]]`},
	// The time of a span moves on by a sixtieth of it, for rows and counts alike.
	{"listquery.js", `[{since: "15m"}, {since: "1h"}, {since: "7d", ended: "1h"}, {}, {from: "x"}].map(q => [0, 14_999, 59_999, 60_000].map(ms => m.asOf(q, Date.UTC(2026, 0, 2) + ms) - (m.asOf(q, 0) === 0 && m.asOf(q, 1e12) ? Date.UTC(2026, 0, 2) : 0)))`,
		`[[0,0,45000,60000],[0,0,0,60000],[0,0,0,60000],[0,0,0,0],[0,0,0,0]]`},
	{"listquery.js", `[m.scans({ended: "1h"}), m.scans({since: "1h"}), m.filters({ended: "yesterday", ended_to: "y"})]`,
		`[true,false,[["ended","ended yesterday"],["ended_to","ended before y"]]]`},
	// What the API is asked for is a field, but for the page.
	{"listquery.js", `[Object.keys(m.apiQuery({}, 0)).filter(k => !m.fields.includes(k)), m.fields.filter(k => m.selects({[k]: "1h"}) === m.selects({})), m.fields.filter(k => m.countable({[k]: "1h"}))]`,
		`[["page_size","page_token"],[],["status","name","prefix","where","since","from","to"]]`},
	{"listquery.js", `[m.condition("customer", 'a "b"'), m.condition("total", 9.5), m.and("", "a = 1"), m.and("a = 1", "b = 2"), m.and("a = 1 and b = 2", "b = 2")]`,
		`["customer = \"a \\\"b\\\"\"","total = 9.5","a = 1","a = 1 and b = 2","a = 1 and b = 2"]`},
	{"listquery.js", `(({heads, others}) => [heads.map(t => t.row.instance + ":" + t.under.map(u => u.row.instance + u.depth)), others.map(u => u.row.instance + u.depth)])(m.trees([["s1", "p"], ["b", "a"], ["a"], ["s2", "p"], ["c", "b"], ["t", "s2"], ["d", "a"]].map(([instance, parent]) => ({instance, parent: parent && {instance: parent}}))))`,
		`[["a:b1,c2,d1"],["s10","s20","t1"]]`},
	// A text that is a value of an attribute is searched for there, unless an instance has it as its id.
	{"listquery.js", `[[], ["a@b.de"]].map(ids => m.suggestions("a@b.de", [], ids, [["email", "string", true], ["total", "number", false]]).map(s => s.kind + " " + s.text))`,
		`[["where email = \"a@b.de\"","instance a@b.de","prefix a@b.de","words a@b.de"],["instance a@b.de","prefix a@b.de","words a@b.de","where email = \"a@b.de\""]]`},
	{"names.js", `(m.meet([{name: "A", search_attributes: {xmail: "ada@x.de", xtotal: 7}}]), m.knownAttributes("bob@x.de").concat(m.knownAttributes("seven")).filter(([n]) => n[0] === "x"))`,
		`[["xmail","string",true],["xtotal","number",false],["xmail","string",false],["xtotal","number",false]]`},
	{"json.js", `[{step: "charge", done: 3, of: {a: 1}, none: null}, {}, [1], "x", null].map(v => m.customFields(v))`, `[[["step","charge"],["done","3"],["of","{\"a\":1}"]],null,null,null,null]`},
	{"listquery.js", `["order-1", 'customer = "a"', "Ful", " ", "a b"].map(t => m.suggestions(t, ["Fulfil", "Ship"]).map(s => s.kind + " " + s.text))`,
		`[["instance order-1","name order-1","prefix order-1","words order-1"],["where customer = \"a\"","instance customer = \"a\""],["instance Ful","name Fulfil","name Ful","prefix Ful","words Ful"],["name Fulfil","name Ship"],["instance a b","prefix a b","words a b"]]`},
	{"listquery.js", `m.suggestions("order-1", [], ["order-12", "order-1", "Order-1", "an order-1"]).map(s => s.kind + " " + s.text)`,
		`["instance order-1","name order-1","prefix order-1","words order-1","instance order-12"]`},
	{"listquery.js", `m.merge([{instance: "a", v: 1}, {instance: "b", v: 1}, {instance: "c", v: 1}], {changed: [{instance: "d", v: 2}, {instance: "b", v: 2}], order: ["d", "a", "b", "x"]})`,
		`[{"instance":"d","v":2},{"instance":"a","v":1},{"instance":"b","v":2}]`},

	{"problems.js", `m.group([
		{instance: "o-1", name: "A", version: "1", status: "stuck", cause_key: "a", problem: {kind: "panic", since_ms: 5}},
		{instance: "o-2", name: "A", version: "2", status: "stuck", cause_key: "a", problem: {kind: "panic", since_ms: 3}},
		{instance: "o-3", name: "A", status: "stuck", cause_key: "b", problem: {kind: "panic"}},
		{instance: "o-4", name: "B", status: "corrupt", cause_key: "c", problem: {kind: "corrupt"}},
		{instance: "o-5", name: "B", status: "stuck", cause_key: "d"},
		{instance: "o-6", name: "C", status: "stuck", cause_key: "a"}
	]).map(g => [g.kind, g.name, g.since, g.versions.join(), g.instances.map(i => i.instance).join()])`,
		`[["panic","A",3,"1,2","o-1,o-2"],["corrupt","B",null,"","o-4"],["panic","A",null,"","o-3"],["unknown","B",null,"","o-5"],["unknown","C",null,"","o-6"]]`},

	{"difference.js", `[
		'nondeterminism in instance "t" execution 1 at event 2: history has ActivityScheduled("CopyRows", input "a"), the code at github.com/x/app.go:41 started ActivityScheduled("CheckRows", input "a") (name differs); deploy code that agrees with the history',
		'nondeterminism in instance "t: history has \\", the code " execution 1 at event 7: history has TimerCreated(5s, "; deploy code"), the code returned; deploy code that agrees with the history',
		'panic: boom', 'nondeterminism, written otherwise'
	].map(m.fromMessage)`, `[{"event":2,"have":"ActivityScheduled(\"CopyRows\", input \"a\")","did":"ActivityScheduled(\"CheckRows\", input \"a\")","differs":"name","place":"github.com/x/app.go:41"},` +
		`{"event":7,"have":"TimerCreated(5s, \"; deploy code\")","did":"returned","differs":"","place":""},null,null]`},
	{"difference.js", `m.difference({kind: "nondeterminism", event_id: 2, message: "x", diff: {have: "TimerCreated(5s)", did: 'started A("b") (name differs)', at: "a.go:7"}})`,
		`{"event":2,"have":"TimerCreated(5s)","did":"A(\"b\")","differs":"name","place":"a.go:7"}`},
	{"differ.js", `m.differ('ActivityScheduled("CopyRows", input "acme")', 'ActivityScheduled("CheckRows", input "acme")')`,
		`[[[true,"ActivityScheduled(\""],[false,"CopyRows"],[true,"\", input \"acme\")"]],[[true,"ActivityScheduled(\""],[false,"CheckRows"],[true,"\", input \"acme\")"]]]`},
	{"differ.js", `[m.differ("", "a"), m.differ("a", "a"), m.differ("a x b", "a y b")]`,
		`[[[],[[false,"a"]]],[[[true,"a"]],[[true,"a"]]],[[[true,"a "],[false,"x"],[true," b"]],[[true,"a "],[false,"y"],[true," b"]]]]`},
	// Whatever the texts: the parts of each make it up, and what is the same is so in both.
	{"differ.js", `(() => {
		let seed = 7;
		const next = n => (seed = seed * 16807 % 2147483647) % n;
		for (let n = 0; n < 300; n++) {
			const text = () => Array.from({length: next(9)}, () => ["a", "b ", "(", "ü", "c1 "][next(5)]).join("");
			const a = text(), b = text(), [x, y] = m.differ(a, b);
			const all = p => p.map(q => q[1]).join(""), same = p => p.filter(q => q[0]).map(q => q[1]).join("");
			if (all(x) !== a || all(y) !== b || same(x) !== same(y)) return [a, b, x, y];
		}
		return "holds";
	})()`, `"holds"`},

	{"links.js", `[m.fill("https://l/{instance}?t={trace}&f={from}&t={to}", {instance: "a/b (1)", trace: "x", from: 60_000, to: 120_000}),
		m.fill("https://l/{instance*}", {instance: "a/b é"}), m.fill("javascript:{instance}", {instance: "a"}), m.fill("", {}), m.problem("https://l/{id}"),
		m.traceOf({traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}), m.traceOf({traceparent: "x"}), m.traceOf()]`,
		`["https://l/a%2Fb%20%281%29?t=x&f=1970-01-01T00%3A00%3A00.000Z&t=1970-01-01T00%3A03%3A00.000Z","https://l/a*2Fb*20*C3*A9","","","Unknown placeholder {id}.","4bf92f3577b34da6a3ce929d0e0e4736","",""]`},
	{"deadletters.js", `m.group([{reason: "forged"}, {}, {reason: "new_one"}, {}]).map(g => [g.reason, g.letters.length, m.words(g.reason)])`,
		`[["",2,"moved by the queue after the last receive"],["forged",1,"with a wrong token"],["new_one",1,"new_one"]]`},
}

func TestModulesOfThePage(t *testing.T) {
	t.Parallel()
	b := serveStill(t).open("", browser.View{})
	b.settled()
	for _, c := range modules {
		got := eval[string](b, fmt.Sprintf(`import(new URL(%s, document.baseURI)).then(m => JSON.stringify(%s))`, js(c.module), c.expression))
		if got != c.want {
			t.Errorf("%s: %s\n is %s\nwant %s", c.module, c.expression, got, c.want)
		}
	}
}
