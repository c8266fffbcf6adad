package history

func (d *decoder) startField(s *Start, key []byte, b64 bool) bool {
	if s.Parent == nil {
		// appendEvent removes this Parent again if none of its fields was read.
		s.Parent = &Parent{}
	}
	switch string(key) {
	case "start_id":
		return d.text(&s.StartID, hasStartID, b64)
	case "secret":
		return d.text(&s.Secret, hasSecret, b64)
	case "parent_instance":
		return d.text(&s.Parent.Instance, hasParentInstance, b64)
	case "parent_token":
		return d.text(&s.Parent.Token, hasParentToken, b64)
	case "sender_ids":
		return d.texts(&s.SenderIDs, hasSenderIDs, b64)
	case "states":
		return d.payload(&s.States, hasStates, b64)
	case "custom_status": // written by early builds, which had one state
		ok := d.payload(&s.States, hasStates, b64)
		s.States = EncodeStates([]State{{Name: ListedState, Value: s.States}})
		return ok
	case "fairness_group":
		return d.text(&s.FairnessGroup, hasFairnessGroup, b64)
	}
	if b64 {
		return d.skip()
	}
	switch string(key) {
	case "execution_id":
		return d.integer(&s.ExecutionID, 1, hasExecutionID)
	case "parent_execution_id":
		return d.integer(&s.Parent.ExecutionID, 1, hasParentExecutionID)
	case "search_attributes":
		return d.searchAttributes(&s.SearchAttributes)
	case "parent_id":
		return d.integer(&s.Parent.EventID, 1, hasParentID)
	case "parent_at_ms":
		return d.integer(&s.Parent.AtMS, 0, hasParentAtMS)
	case "headers":
		return d.headers(&s.Headers)
	case "origin":
		s.Origin = &Origin{}
		return d.origin(s.Origin)
	}
	return d.skip()
}

// Fields of an Origin.
const (
	originInstance uint64 = 1 << iota
	originExecutionID
	originEventID
	originFirstExecutionID
	originFirstInstance
	originForkedExecutionID
	originCarried
	originCarriedInstances
)

func (d *decoder) origin(o *Origin) bool {
	var instances []string // the instances for Carried, which may come before or after it
	start := d.pos
	ok := d.nested(hasOrigin, func(key []byte, b64 bool) bool {
		if string(key) == "carried_instances" {
			return d.texts(&instances, originCarriedInstances, b64)
		}
		return d.originField(o, key, b64)
	})
	switch {
	case !ok || len(instances) == 0:
		return ok
	case len(instances) != len(o.Carried):
		return d.fail(start, "expected %d carried_instances, one for each event in carried", len(o.Carried))
	}
	for i := range instances {
		o.Carried[i].Instance = instances[i]
	}
	return true
}

func (d *decoder) originField(o *Origin, key []byte, b64 bool) bool {
	switch {
	case string(key) == "instance":
		return d.text(&o.Instance, originInstance, b64)
	case string(key) == "first_instance":
		return d.text(&o.FirstInstance, originFirstInstance, b64)
	case string(key) == "forked_execution_id" && !b64:
		return d.integer(&o.ForkedExecutionID, 1, originForkedExecutionID)
	case string(key) == "execution_id" && !b64:
		return d.integer(&o.ExecutionID, 1, originExecutionID)
	case string(key) == "event_id" && !b64:
		return d.integer(&o.EventID, 1, originEventID)
	case string(key) == "first_execution_id" && !b64:
		return d.integer(&o.FirstExecutionID, 1, originFirstExecutionID)
	case string(key) == "carried" && !b64:
		return d.carried(&o.Carried)
	}
	return d.skip()
}
