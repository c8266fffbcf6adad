package engine

// piece is the number of items in a piece. A list that reaches this length grows one piece at
// a time.
const piece = 256

// pieces is a list to which a turn appends a few items, however long it is. Short lists
// are copied to grow; long ones never are, because copying 50,000 events takes longer
// than 100 turns. Items that were read are in one slice. A copy of the list keeps its
// items, because append never writes to an index below its length.
type pieces[T any] struct {
	base []T
	tail []*[piece]T // after base, which never grows once tail is used
	n    int
}

func (p *pieces[T]) len() int { return p.n }

// room returns how many items the allocated memory can hold.
func (p *pieces[T]) room() int { return cap(p.base) + len(p.tail)*piece }

// at returns a pointer to item i. The item does not move once the list is longer than a
// piece.
func (p *pieces[T]) at(i int) *T {
	if i < len(p.base) {
		return &p.base[i]
	}
	i -= len(p.base)
	return &p.tail[i/piece][i%piece]
}

// reserve allocates capacity for n items if nothing is allocated yet.
func (p *pieces[T]) reserve(n int) {
	if p.base == nil {
		p.base = make([]T, 0, n)
	}
}

// use makes items the start of the list without copying them.
func (p *pieces[T]) use(items []T) {
	p.base, p.n = items[:len(items):len(items)], len(items)
}

func (p *pieces[T]) append(item T) *T {
	if len(p.tail) == 0 && len(p.base) == cap(p.base) && p.n < piece {
		// A turn appends few items, so do not double the capacity as append would.
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

// appendAll appends items that were read.
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

// slice returns the items from index from up to but excluding to: without copying if they
// are contiguous, otherwise as a copy. Appending to the result does not change the list.
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

// truncate drops the items after the first n. Slices and copies that others hold do not
// change.
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
