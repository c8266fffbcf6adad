package queue

// Limits of SendMessageBatch of SQS.
const (
	// MaxBatch is the most messages in a batch.
	MaxBatch = 10
	// MaxBatchBytes is the most bytes (Outgoing.Size) of a batch.
	MaxBatchBytes = MaxBody
)

// NextBatch selects the next batch from the pending messages, which are given by index: in order, as
// many as fit. On a FIFO queue it selects only messages that are the first pending one of their group,
// or Unordered. So messages of one group are sent in separate batches, one after the other, and none
// can overtake another if a batch fails partly.
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
