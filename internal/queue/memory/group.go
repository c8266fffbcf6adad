package memory

import (
	"container/heap"
	"slices"
)

// group is a FIFO group: while one of its messages is in flight it delivers no other, whatever else is
// visible in it.
type group struct {
	id string
	// visible messages in the order of sending.
	visible  []*message
	inFlight int
	// index in the heap of ready groups, -1 if it is not in it.
	index int
}

func (g *group) insert(m *message) {
	i, _ := slices.BinarySearchFunc(g.visible, m.seq, func(v *message, seq int64) int { return int(v.seq - seq) })
	g.visible = slices.Insert(g.visible, i, m)
}

func (g *group) ready() bool { return g.inFlight == 0 && len(g.visible) > 0 }

// groupHeap holds the groups from which a message can be received, the one with the oldest message
// first.
type groupHeap []*group

func (h groupHeap) Len() int           { return len(h) }
func (h groupHeap) Less(i, j int) bool { return h[i].visible[0].seq < h[j].visible[0].seq }
func (h groupHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}
func (h *groupHeap) Push(x any) {
	g := x.(*group)
	g.index = len(*h)
	*h = append(*h, g)
}
func (h *groupHeap) Pop() any {
	old := *h
	g := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	g.index = -1
	return g
}

// place puts a group that got a visible message, or lost its last one in flight, into the heap or
// removes it.
func (h *groupHeap) place(g *group) {
	switch {
	case !g.ready():
	case g.index < 0:
		heap.Push(h, g)
	default:
		heap.Fix(h, g.index)
	}
}
