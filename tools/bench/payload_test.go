package bench

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// counted is a payload of which each says its number.
type counted interface{ count() int }

// payload is the plain one: three flat fields, 200 bytes as JSON.
type payload struct {
	Order string
	Note  string
	Count int
}

func (p payload) count() int { return p.Count }

func sample(i int) payload {
	return payload{Order: fmt.Sprintf("order-%06d", i), Note: strings.Repeat("n", 150), Count: i}
}

// rich is one as applications have: a list, a map, times, and a text with escapes; 390
// bytes as JSON.
type rich struct {
	Order   string            `json:"order"`
	Count   int               `json:"count"`
	Created time.Time         `json:"created"`
	Due     *time.Time        `json:"due,omitempty"`
	Lines   []line            `json:"lines"`
	Labels  map[string]string `json:"labels"`
	Note    string            `json:"note"`
	Paid    bool              `json:"paid"`
}

type line struct {
	SKU      string  `json:"sku"`
	Quantity int     `json:"quantity"`
	Price    float64 `json:"price"`
}

func (r rich) count() int { return r.Count }

func richSample(i int) rich {
	due := time.UnixMilli(1_700_000_600_000).UTC()
	return rich{
		Order: fmt.Sprintf("order-%06d", i), Count: i, Created: time.UnixMilli(1_700_000_000_123).UTC(), Due: &due,
		Lines:  []line{{"AB-1234", 2, 19.99}, {"CD-5678", 1, 4.5}, {"EF-9012", 12, 0.25}},
		Labels: map[string]string{"channel": "web", "country": "DE", "tenant": "c-17"},
		Note:   "Leave it \"behind\" the gate\n– not at <No. 7> & not after 6 pm",
	}
}

func encodeSample(i int) []byte { return encoded(sample(i)) }

func encoded(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
