package queue

// Limits of one SendMessageBatch of SQS.
const (
	// MaxBatch is how many messages a batch takes.
	MaxBatch = 10
	// MaxBatchBytes is how many bytes (Outgoing.Size) they may have in all.
	MaxBatchBytes = MaxBody
)

// NextBatch takes the next batch from the pending messages, which are given by
// their index: in order what fits, on a FIFO queue only what is first of its
// group, or Unordered. Messages of one group so stand in batches of their own; sent one
// after the other, none can overtake another where a batch fails in part.
func NextBatch(fifo bool, msgs []Outgoing, pending []int) (batch, rest []int) {
	bytes := 0
	passed := map[string]bool{}
	for n, i := range pending {
		size := msgs[i].Size()
		switch {
		case len(batch) == MaxBatch:
			return batch, append(rest, pending[n:]...)
		case fifo && passed[msgs[i].Group] && !msgs[i].Unordered, bytes+size > MaxBatchBytes:
			rest = append(rest, i)
		default:
			batch = append(batch, i)
			bytes += size
		}
		if fifo {
			passed[msgs[i].Group] = true
		}
	}
	return batch, rest
}
