package memory

import "container/list"

// shares are the visible messages of a standard queue. Its groups take turns, one message each; within
// a group, messages are in the order in which they became visible. Messages without a group form one
// group, so a queue without groups has that order.
type shares struct {
	n int
	// turns are the groups that have messages, in the order of their turns.
	turns list.List
	by    map[string]*share
}

type share struct {
	messages list.List
	turn     *list.Element
}

func (s *shares) add(m *message) {
	of := s.by[m.fair]
	if of == nil {
		if s.by == nil {
			s.by = map[string]*share{}
		}
		of = &share{}
		s.by[m.fair] = of
	}
	if of.messages.Len() == 0 {
		of.turn = s.turns.PushBack(of)
	}
	m.element = of.messages.PushBack(m)
	s.n++
}

// next removes the next message; nil if there is none.
func (s *shares) next() *message {
	front := s.turns.Front()
	if front == nil {
		return nil
	}
	of := front.Value.(*share)
	m := of.messages.Front().Value.(*message)
	s.turns.MoveToBack(front)
	s.remove(m)
	return m
}

// remove removes a message; its group keeps its turn.
func (s *shares) remove(m *message) {
	of := s.by[m.fair]
	of.messages.Remove(m.element)
	m.element = nil
	s.n--
	if of.messages.Len() == 0 {
		s.turns.Remove(of.turn)
		if m.fair != "" { // The number of other groups grows with the tenants.
			delete(s.by, m.fair)
		}
	}
}
