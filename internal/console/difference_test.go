package console_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/demo"
)

func difference(b *bench, query string) api.Difference {
	return get[api.Difference](b, "difference?"+query)
}

// Two instances, or two executions of one, are compared by their operations; what is equal
// is folded, unless it is asked for.
func TestTwoExecutionsAreCompared(t *testing.T) {
	t.Parallel()
	b := looking(t)
	same := difference(b, "a="+demo.Completed+"&b="+demo.Completed)
	if same.Differ+same.OnlyA+same.OnlyB != 0 || len(same.Rows) != 1 || same.Rows[0].Equal != same.Equal || same.Equal < 5 || same.Rows[0].A != nil {
		t.Errorf("an instance and itself: %+v", same)
	}
	all := difference(b, "all=true&a="+demo.Completed+"&b="+demo.Completed)
	if len(all.Rows) != same.Equal || all.Rows[0].Kind != "start" || all.Rows[len(all.Rows)-1].Kind != "end" || all.Rows[1].A == nil || all.Rows[1].A.Input != nil {
		t.Errorf("with equal ones: %+v", all)
	}
	d := difference(b, "a="+demo.Completed+"&b="+demo.Failed)
	rows := 0
	for _, r := range d.Rows {
		if r.Equal > 0 {
			continue
		}
		rows++
		if one := r.A != nil && r.B != nil; one != (len(r.Differs) > 0) {
			t.Errorf("%s %s differs by %q", r.Kind, r.Name, r.Differs)
		}
		if r.Kind == "end" && (r.A.State != "completed" || r.B.State != "failed" || r.B.Failure == nil || r.A.Result == nil) {
			t.Errorf("the ends are %+v and %+v", r.A, r.B)
		}
	}
	if rows != d.Differ+d.OnlyA+d.OnlyB || d.OnlyA == 0 || d.A.Name != "Fulfil" || d.B.End != "failed" {
		t.Errorf("one that completed and one that failed: %+v", d)
	}
	loop := difference(b, "a="+demo.Continued+"&a_execution=1&b="+demo.Continued+"&b_execution=2")
	if loop.A.ExecutionID != 1 || loop.B.ExecutionID != 2 || loop.Differ == 0 || loop.OnlyA+loop.OnlyB != 0 {
		t.Errorf("two executions of one: %+v", loop)
	}
	big := difference(b, "a="+demo.TenThousand+"&b="+demo.Completed)
	if len(big.Rows) != 2000 || big.More != big.Differ+big.OnlyA+big.OnlyB-2000+foldedIn(&big) {
		t.Errorf("of many there are %d rows and %d more; %d differ, %d and %d stand alone", len(big.Rows), big.More, big.Differ, big.OnlyA, big.OnlyB)
	}
	for query, code := range map[string]api.Code{"b=x": api.CodeInvalid, "a=" + demo.Completed: api.CodeInvalid, "a=" + demo.Completed + "&b=nobody": api.CodeNotFound,
		"a=" + demo.Completed + "&b=" + demo.Completed + "&b_execution=7": api.CodeNotFound, "a=" + url.QueryEscape(demo.HostileInstance) + "&b=" + demo.Completed + "&a_execution=x": api.CodeInvalid} {
		b.do(http.MethodGet, "api/v1/difference?"+query, nil).fails(code)
	}
}

// foldedIn is how many rows of an answer stand for equal operations.
func foldedIn(d *api.Difference) (n int) {
	for _, r := range d.Rows {
		if r.Equal > 0 {
			n++
		}
	}
	return n
}
