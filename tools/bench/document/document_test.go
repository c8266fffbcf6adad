package document

import "testing"

func TestFiguresMayDifferByAPartOfThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		got, want string
		same      bool
	}{
		{"| FIFO | 3.11 | $15.56 |", "| FIFO | 3.12 | $15.60 |", true},
		{"| FIFO | 3.11 | $15.56 |", "| FIFO | 3.31 | $15.60 |", false},
		{"| **1,106** |", "| 1,090 |", true},
		{"| 1,106 |", "| 906 |", false},
		{"| a | 1 |", "| b | 1 |", false},
		{"| a | 1 | 2 |", "| a | 1 |", false},
		{"| 0.0512 |", "| 0.0513 |", true},
		{"| 0.0512 |", "| 0.0712 |", false},
	} {
		if got := about(c.got, c.want, 0.03); got != c.same {
			t.Errorf("%q and %q are the same: %t, want %t", c.got, c.want, got, c.same)
		}
	}
}
