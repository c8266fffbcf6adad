package console_test

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/turnstile-go/turnstile"
	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

func ids(l api.InstanceList) (out []string) {
	for _, i := range l.Instances {
		out = append(out, i.Instance)
	}
	return out
}

func list(b *bench, query ...string) api.InstanceList {
	b.t.Helper()
	v := url.Values{}
	for i := 0; i < len(query); i += 2 {
		v.Set(query[i], query[i+1])
	}
	return get[api.InstanceList](b, "instances?"+v.Encode())
}

func TestInstancesAreFoundByWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	b := looking(t)
	for _, c := range []struct {
		query []string
		has   string
		not   string
	}{
		{[]string{"status", "stuck"}, demo.Nondeterminism, demo.Waiting},
		{[]string{"status", "corrupt"}, demo.Corrupt, demo.Nondeterminism},
		{[]string{"status", "failed"}, demo.Failed, demo.Completed},
		{[]string{"status", "cancelled", "name", "Fulfil"}, demo.Cancelled, demo.Terminated},
		{[]string{"status", "terminated", "name", "Fulfil"}, demo.Terminated, demo.Cancelled},
		{[]string{"status", "running"}, demo.WaitsForChild, demo.Corrupt},
		{[]string{"name", "Echo"}, demo.HostileText, demo.Waiting},
		{[]string{"where", `customer = "donald" and total > 10000`}, "order-4", "order-5"},
		{[]string{"words", "card DECLINED"}, demo.Failed, demo.Completed},
		{[]string{"words", "nondeterminism", "status", "stuck"}, demo.Nondeterminism, demo.Panics},
		{[]string{"from", "2030-05-06T10:00:00Z", "to", "2030-05-06T10:06:00Z"}, demo.Waiting, demo.Completed},
	} {
		if found := ids(list(b, append(c.query, "page_size", "200")...)); !slices.Contains(found, c.has) || slices.Contains(found, c.not) {
			t.Errorf("%v finds %v", c.query, found)
		}
	}
}

func TestPagesOfInstancesHaveEachOnce(t *testing.T) {
	t.Parallel()
	b := looking(t)
	seen := map[string]bool{}
	pages := 0
	for token := ""; ; pages++ {
		page := list(b, "name", "Fulfil", "page_size", "37", "page_token", token)
		for _, id := range ids(page) {
			if seen[id] {
				t.Errorf("%s comes twice", id)
			}
			seen[id] = true
		}
		if token = page.NextPageToken; token == "" {
			break
		}
		if len(page.Instances) != 37 {
			t.Errorf("a page has %d", len(page.Instances))
		}
	}
	if len(seen) != 186 || pages != 5 {
		t.Errorf("%d instances on %d pages", len(seen), pages+1)
	}
}

func TestAListLeavesOutLargePayloadsAndTheInstanceHasThem(t *testing.T) {
	t.Parallel()
	b := looking(t)
	for _, i := range list(b, "name", "Echo").Instances {
		large := i.Instance == demo.HostileLarge
		if large != (len(i.Folded) == 1) || large != (i.Output == nil) || large != (i.States == nil) {
			t.Errorf("%s: folded are %v, the output has %d bytes", i.Instance, i.Folded, len(i.Output))
		}
	}
	if i := get[api.Instance](b, "instances/"+demo.HostileLarge); len(i.Output) < 250_000 || len(i.Folded) > 0 {
		t.Errorf("the instance has %d bytes, folded are %v", len(i.Output), i.Folded)
	}
}

func TestCountsAreThoseOfTheLists(t *testing.T) {
	t.Parallel()
	b := looking(t)
	for _, name := range []string{"", "Fulfil"} {
		counts := get[api.Counts](b, "counts?name="+name)
		for status, c := range counts.Counts {
			n := 0
			for token := ""; ; {
				page := list(b, "status", status, "name", name, "page_size", "200", "page_token", token)
				n += len(page.Instances)
				if token = page.NextPageToken; token == "" {
					break
				}
			}
			if n != c.Count || c.More {
				t.Errorf("of %q %d are %s, counted are %+v", name, n, status, c)
			}
		}
		if len(counts.Counts) != 11 {
			t.Errorf("counted are %v", counts.Counts)
		}
	}
}

// What a query of a prefix, conditions or times selects is counted too, where that reads nothing.
func TestWhatAQuerySelectsIsCounted(t *testing.T) {
	t.Parallel()
	b, c := running(t)
	for id, customer := range map[string]string{"order-1": "ada", "order-2": "ada", "order-3": "bob", "other": "ada"} {
		run, err := client.Start(t.Context(), c, demo.Sign, id, client.WithInstanceID(id), client.WithSearchAttributes(turnstile.SearchAttributes{"customer": turnstile.SearchString(customer)}))
		if err != nil {
			t.Fatal(err)
		}
		if err := run.WaitStarted(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	later := url.QueryEscape(time.Now().Add(time.Hour).Format(time.RFC3339))
	for query, want := range map[string]int{"": 4, "prefix=order-": 3, "where=customer+%3D+%22ada%22": 3, "prefix=order-&where=customer+%3D+%22ada%22&name=Sign": 2, "name=Fulfil": 0, "to=" + later: 4, "from=" + later: 0} {
		n := 0
		for _, c := range get[api.Counts](b, "counts?"+query).Counts {
			n += c.Count
		}
		if n != want {
			t.Errorf("%q counts %d instances, want %d", query, n, want)
		}
	}
	b.do("GET", "api/v1/counts?where=nonsense", nil).fails(api.CodeInvalid)
	polled := withSecret(t)
	if n := get[api.Counts](polled, "counts?name=Old").Counts["running"].Count; n != 1 {
		t.Errorf("%d instances are counted where changes are polled", n)
	}
	polled.do("GET", "api/v1/counts?prefix=order-1", nil).fails(api.CodeNotOffered)
}

func TestATreeHasParentsAndChildren(t *testing.T) {
	t.Parallel()
	b := looking(t)
	root := get[api.Tree](b, "instances/"+demo.WaitsForChild+"/tree")
	if len(root.Ancestors) != 0 || len(root.Instance.Children) != 1 || len(root.Instance.Children[0].Children) != 1 {
		t.Fatalf("the tree of the root is %+v", root)
	}
	leaf := root.Instance.Children[0].Children[0]
	if leaf.Name != "SyncCatalogue" || leaf.Status != "running" || leaf.EventID != 4 {
		t.Errorf("the leaf is %+v", leaf)
	}
	up := get[api.Tree](b, "instances/"+segment(leaf.Instance)+"/tree")
	if len(up.Ancestors) != 2 || up.Ancestors[0].Instance != demo.WaitsForChild || up.Instance.EventID != 4 {
		t.Errorf("the tree of the leaf is %+v", up)
	}
	b.do("GET", "api/v1/instances/nobody/tree", nil).fails(api.CodeNotFound)
}
