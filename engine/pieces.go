package engine

// piece is how many items stand in a piece: from so many on a list grows by pieces.
const piece = 256

// pieces is a list that a turn adds a few items to, however long it is: short ones are
// copied to grow, long ones never, for a copy of 50,000 events takes longer than a
// hundred turns. What was read stands in one slice. A copy of the list keeps what it had:
// nothing ahead of its length is written by append.
type pieces[T any] struct {
	base []T
	tail []*[piece]T // behind base, which is as it stays where there are any
	n    int
}

func (p *pieces[T]) len() int { return p.n }

// room is for how many items memory is held.
func (p *pieces[T]) room() int { return cap(p.base) + len(p.tail)*piece }

// at returns item i, which stays where it is while the list is longer than a piece.
func (p *pieces[T]) at(i int) *T {
	if i < len(p.base) {
		return &p.base[i]
	}
	i -= len(p.base)
	return &p.tail[i/piece][i%piece]
}

// reserve makes room for so many, if there is nothing yet.
func (p *pieces[T]) reserve(n int) {
	if p.base == nil {
		p.base = make([]T, 0, n)
	}
}

// use takes a slice as what the list begins with, in place of a copy of it.
func (p *pieces[T]) use(items []T) {
	p.base, p.n = items[:len(items):len(items)], len(items)
}

func (p *pieces[T]) append(item T) *T {
	if len(p.tail) == 0 && len(p.base) == cap(p.base) && p.n < piece {
		// A turn appends a few: not twice the room, as append would make.
		p.base = append(make([]T, 0, p.n+max(p.n/2, 8)), p.base...)
	}
	p.n++
	if len(p.tail) == 0 && len(p.base) < cap(p.base) {
		p.base = append(p.base, item)
		return &p.base[p.n-1]
	}
	i := p.n - 1 - len(p.base)
	if i == len(p.tail)*piece {
		p.tail = append(p.tail, new([piece]T))
	}
	at := &p.tail[i/piece][i%piece]
	*at = item
	return at
}

// appendAll appends what was read.
func (p *pieces[T]) appendAll(items []T) {
	if len(p.tail) == 0 && len(items) <= cap(p.base)-len(p.base) {
		p.base = append(p.base, items...)
		p.n = len(p.base)
		return
	}
	for i := range items {
		p.append(items[i])
	}
}

// slice returns items from to to, not including it: in place where they stand together,
// else copied. What is appended to it leaves the list alone.
func (p *pieces[T]) slice(from, to int) []T {
	base := len(p.base)
	switch {
	case from == to:
		return nil
	case to <= base:
		return p.base[from:to:to]
	case from >= base && (from-base)/piece == (to-1-base)/piece:
		k := (from - base) / piece
		begin := base + k*piece
		return p.tail[k][from-begin : to-begin : to-begin]
	}
	all := make([]T, 0, to-from)
	for i := from; i < to; i++ {
		all = append(all, *p.at(i))
	}
	return all
}

// truncate drops what stands behind the first n. What others hold of it stays as it is.
func (p *pieces[T]) truncate(n int) {
	if n <= len(p.base) {
		p.base, p.tail, p.n = p.base[:n:n], nil, n
		return
	}
	p.n = n
	last := (n - 1 - len(p.base)) / piece
	kept := *p.tail[last]
	clear(kept[n-len(p.base)-last*piece:])
	p.tail = append([]*[piece]T(nil), p.tail[:last+1]...)
	p.tail[last] = &kept
}
