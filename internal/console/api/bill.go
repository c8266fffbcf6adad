package api

import "github.com/turnstile-go/turnstile/internal/timeline"

// Bill is what an instance has cost so far, estimated from its history at list
// prices.
type Bill struct {
	Dollars float64 `json:"dollars"`
	// Hypothetical is set if the instance does not run on AWS, so nothing is charged. The dollars
	// are what AWS would charge for the same work.
	Hypothetical bool                `json:"hypothetical,omitempty"`
	Lines        []timeline.BillLine `json:"lines"`
	// LeftOut lists costs that the histories do not show, one sentence each.
	LeftOut []string `json:"left_out"`
}

// BillOf returns the JSON form of a bill.
func BillOf(b *timeline.Bill) *Bill {
	return &Bill{Dollars: b.Dollars, Lines: append([]timeline.BillLine{}, b.Lines...), LeftOut: b.LeftOut}
}
