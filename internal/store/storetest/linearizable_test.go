package storetest

import "testing"

func TestLinearizableChecker(t *testing.T) {
	t.Parallel()
	appended := func(begin, end int64, length int, token string) operation {
		return operation{kind: opAppend, begin: begin, end: end, length: length, token: token}
	}
	readOf := func(begin, end int64, length int) operation {
		return operation{kind: opRead, begin: begin, end: end, length: length}
	}
	conflict := func(begin, end int64, length int) operation {
		return operation{kind: opConflict, begin: begin, end: end, length: length}
	}
	ab := []string{"a", "b"}
	for _, c := range []struct {
		name  string
		final []string
		ops   []operation
		want  bool
	}{
		{"nothing happened", nil, nil, true},
		{"one after the other", ab, []operation{readOf(1, 2, 0), appended(3, 4, 0, "a"), readOf(5, 6, 1), appended(7, 8, 1, "b"), readOf(9, 10, 2)}, true},
		{"a read beside an append may see it or not", ab[:1], []operation{appended(1, 9, 0, "a"), readOf(2, 3, 1), readOf(4, 5, 1)}, true},
		{"a conflict with an append that is still running", ab[:1], []operation{appended(1, 9, 0, "a"), conflict(2, 3, 0), readOf(4, 5, 1)}, true},
		{"a read that misses what an earlier read saw", ab[:1], []operation{appended(1, 9, 0, "a"), readOf(2, 3, 1), readOf(4, 5, 0)}, false},
		{"a read that misses what an earlier conflict met", ab[:1], []operation{appended(1, 9, 0, "a"), conflict(2, 3, 0), readOf(4, 5, 0)}, false},
		{"a read that misses a finished append", ab[:1], []operation{appended(1, 2, 0, "a"), readOf(3, 4, 0)}, false},
		{"a read that sees an append before it began", ab[:1], []operation{readOf(1, 2, 1), appended(3, 4, 0, "a")}, false},
		{"a conflict with an append that had not begun", ab[:1], []operation{conflict(1, 2, 0), appended(3, 4, 0, "a")}, false},
		{"a later append at an earlier place", ab, []operation{appended(5, 6, 0, "a"), appended(1, 2, 1, "b")}, false},
		{"an append that was lost", ab[:1], []operation{appended(1, 2, 0, "a"), appended(3, 4, 1, "b")}, false},
		{"an append that is stored twice", []string{"a", "a"}, []operation{appended(1, 2, 0, "a")}, false},
		{"a stored turn that nobody appended", ab, []operation{appended(1, 2, 0, "a")}, false},
		{"a refused append that is stored", ab[:1], []operation{conflict(1, 2, 0)}, false},
		{"an append at another place than asked for", ab, []operation{appended(1, 2, 0, "a"), appended(3, 4, 2, "b")}, false},
		{"a conflict with nothing", ab[:1], []operation{appended(1, 2, 0, "a"), conflict(3, 4, 1)}, false},
		{"a read of more than there is", nil, []operation{readOf(1, 2, 1)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if err := linearizable(c.final, c.ops); (err == nil) != c.want {
				t.Fatalf("got %v, want linearizable: %v", err, c.want)
			}
		})
	}
}
