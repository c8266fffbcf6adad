package history

import (
	"math"
	"strconv"

	"github.com/turnstile-go/turnstile/internal/jsonscan"
)

func (d *decoder) flag(to *bool, bit uint64) bool {
	if !d.once(bit) {
		return false
	}
	for _, v := range [2]struct {
		word  string
		value bool
	}{{"true", true}, {"false", false}} {
		if end, problem := jsonscan.Word(d.data, d.pos, v.word); problem == "" {
			d.pos, *to = end, v.value
			return true
		}
	}
	return d.fail(d.pos, "expected true or false")
}

// integer reads a whole number that is at least lowest and fits in 64 bits.
func (d *decoder) integer(to *int64, lowest int64, bit uint64) bool {
	return d.once(bit) && d.number(to, lowest)
}

func (d *decoder) number(to *int64, lowest int64) bool {
	data, start := d.data, d.pos
	i := start
	negative := i < len(data) && data[i] == '-'
	if negative {
		i++
	}
	first := i
	var n uint64
	for i < len(data) && data[i]-'0' <= 9 {
		if i-first == 19 { // 19 digits fit in 64 bits, and no int64 has more.
			return d.fail(start, "number out of range")
		}
		n = n*10 + uint64(data[i]-'0')
		i++
	}
	switch {
	case i == first, i-first > 1 && data[first] == '0':
		return d.fail(start, "expected a whole number")
	case i < len(data) && (data[i] == '.' || data[i] == 'e' || data[i] == 'E'):
		return d.fail(start, "expected a whole number without a fraction or exponent")
	case !negative && n > math.MaxInt64, negative && n > -math.MinInt64:
		return d.fail(start, "number out of range")
	}
	*to = int64(n)
	if negative {
		*to = -int64(n)
	}
	if *to < lowest {
		return d.fail(start, "number below %d", lowest)
	}
	d.pos = i
	return true
}

// count reads an int.
func (d *decoder) count(to *int, bit uint64) bool {
	start := d.pos
	var n int64
	if !d.integer(&n, math.MinInt, bit) {
		return false
	}
	if n > math.MaxInt {
		return d.fail(start, "number out of range")
	}
	*to = int(n)
	return true
}

func (d *decoder) float(to *float64, bit uint64) bool {
	if !d.once(bit) {
		return false
	}
	start := d.pos
	if c := d.data[start]; c != '-' && c-'0' > 9 {
		return d.fail(start, "expected a number")
	}
	if !d.skip() {
		return false
	}
	f, err := strconv.ParseFloat(string(d.data[start:d.pos]), 64)
	if err != nil {
		return d.fail(start, "number out of range")
	}
	*to = f
	return true
}
