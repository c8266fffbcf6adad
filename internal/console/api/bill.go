package api

import "github.com/turnstile-go/turnstile/internal/timeline"

// Bill is what an instance has cost so far, estimated from its history at list
// prices.
type Bill struct {
	Dollars float64 `json:"dollars"`
	// Hypothetical is set if the instance does not run on AWS, so nothing is charged. The dollars
	// are what AWS would charge for the same work.
	Hypothetical bool       `json:"hypothetical,omitempty"`
	Lines        []BillLine `json:"lines"`
	// LeftOut lists costs that the histories do not show, one sentence each.
	LeftOut []string `json:"left_out"`
}

// BillLine is the count of one item that has a price.
type BillLine struct {
	Service         string  `json:"service"`
	What            string  `json:"what"`
	Count           float64 `json:"count"`
	Unit            string  `json:"unit"`
	DollarsAMillion float64 `json:"dollars_a_million"`
	Dollars         float64 `json:"dollars"`
}

// BillOf returns the JSON form of a bill.
func BillOf(b *timeline.Bill) *Bill {
	out := &Bill{Dollars: b.Dollars, Lines: make([]BillLine, len(b.Lines)), LeftOut: b.LeftOut}
	for i, l := range b.Lines {
		out.Lines[i] = BillLine(l)
	}
	return out
}
