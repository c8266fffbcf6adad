package embeddedmetrics

import "encoding/json"

// write writes what is held as a line, and nothing if that is nothing.
func (m *Metrics) write() {
	m.due = false
	if !m.holds() {
		return
	}
	m.wrote = m.config.Now()
	if m.held.IsZero() {
		m.held = m.wrote
	}
	line, err := json.Marshal(m.line())
	if err != nil {
		// Strings and finite numbers only: it does not happen, and a metric
		// must not fail an invocation.
		return
	}
	_, _ = m.config.Out.Write(append(line, '\n'))
}

// line takes what is held.
func (m *Metrics) line() map[string]any {
	type definition struct{ Name, Unit string }
	var definitions []definition
	line := map[string]any{"Environment": m.config.Environment, "function": m.config.Function}
	for name, n := range m.counts {
		line[name] = n
		definitions = append(definitions, definition{name, "Count"})
	}
	if len(m.reasons) > 0 {
		line["reasons"] = m.reasons
	}
	for name, s := range m.values {
		line[name] = s.values
		definitions = append(definitions, definition{name, s.unit})
	}
	m.counts, m.reasons, m.values = map[string]int{}, map[string]map[string]int{}, map[string]*series{}
	line["_aws"] = map[string]any{
		"Timestamp": m.held.UnixMilli(),
		"CloudWatchMetrics": []any{map[string]any{
			"Namespace":  Namespace,
			"Dimensions": [][]string{{"Environment"}},
			"Metrics":    definitions,
		}},
	}
	return line
}
