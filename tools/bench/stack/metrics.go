package stack

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
)

// CustomMetrics returns the names of the metrics that CloudWatch has made so far of what
// the functions wrote, each of which it charges for by the month.
func (s *Stack) CustomMetrics() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.custom))
}

// named notes the metrics of each line, and passes the line on.
type named struct {
	io.Writer
	stack *Stack
}

func (n named) Write(line []byte) (int, error) {
	var l struct {
		AWS struct {
			CloudWatchMetrics []struct {
				Dimensions [][]string
				Metrics    []struct{ Name string }
			}
		} `json:"_aws"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return 0, err
	}
	n.stack.mu.Lock()
	for _, of := range l.AWS.CloudWatchMetrics {
		for range of.Dimensions {
			for _, m := range of.Metrics {
				n.stack.custom[m.Name] = true
			}
		}
	}
	n.stack.mu.Unlock()
	return n.Writer.Write(line)
}
