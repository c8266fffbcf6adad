package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"time"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

const (
	// livePages is the maximum number of connected pages.
	livePages = 100
	// pulse is how often something is sent, so that the server notices when a page has gone, and
	// proxies keep the connection open.
	pulse = 15 * time.Second
	// writeTime bounds each write to a page.
	writeTime = 10 * time.Second
)

// live streams changes as server-sent events, until the page disconnects.
func (h *handler) live(r *request) error {
	t, err := h.topicOf(r.query)
	if err != nil {
		return err
	}
	s, leave, ok := h.watcher.subscribe(t)
	if !ok {
		err := api.Errorf(api.CodeBusy, "%d pages are already connected, which is the limit", h.watcher.most)
		err.Advice = "Close some of them, or use the page without live changes."
		return err
	}
	defer leave()
	stream := stream{w: r.w, control: http.NewResponseController(r.w)}
	r.w.Header().Set("Content-Type", "text/event-stream")
	// This asks proxies not to buffer the response.
	r.w.Header().Set("X-Accel-Buffering", "no")
	if errors.Is(stream.control.Flush(), http.ErrNotSupported) {
		return api.Errorf(api.CodeNotOffered, "this console cannot send live changes: its http.ResponseWriter does not implement Flush")
	}
	if stream.send(message{"hello", api.LiveHello{Now: h.now().UTC(), Live: h.liveBy()}}) != nil {
		return nil // The page has disconnected.
	}
	ticker := time.NewTicker(pulse)
	defer ticker.Stop()
	for {
		var err error
		select {
		case <-r.Context().Done():
			return nil
		case <-ticker.C:
			err = stream.pulse()
		case m, more := <-s.messages:
			if !more {
				return nil
			}
			err = stream.send(m)
		}
		if err != nil {
			return nil
		}
	}
}

// liveBy returns how changes are found.
func (h *handler) liveBy() string {
	if h.watcher.changed != nil {
		return "push"
	}
	return "poll"
}

// stream writes server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s *stream) send(m message) error {
	data, err := json.Marshal(m.data)
	if err != nil {
		return err
	}
	return s.write(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", m.event, data))
}

func (s *stream) pulse() error { return s.write([]byte(": here\n\n")) }

func (s *stream) write(text []byte) error {
	// A server without deadlines has none to extend.
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime))
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}

// topicOf returns the topic of a page: an instance, or the first page of a list.
func (h *handler) topicOf(v url.Values) (*topic, error) {
	if v.Has("instance") {
		if len(v) > 1 {
			return nil, api.Errorf(api.CodeInvalid, "give either instance or the parameters of a list")
		}
		return h.instanceTopic(v.Get("instance")), nil
	}
	q, err := listQuery(v)
	if err != nil {
		return nil, err
	}
	return h.listTopic(v.Encode(), q), nil
}

// instanceState is the state of an instance; nil if it does not exist.
type instanceState struct {
	instance *api.Instance
	last     int64
}

func (h *handler) instanceTopic(id string) *topic {
	return &topic{
		key: "instance " + id,
		look: func(ctx context.Context) (any, int, error) {
			d, err := h.client.Describe(ctx, id)
			if errors.Is(err, client.ErrNotFound) {
				return instanceState{}, 1, nil
			}
			if err != nil {
				return nil, 1, err
			}
			of := api.InstanceOf(&d)
			of.Fold(api.FoldOver)
			x := &execution{instance: id, number: d.ExecutionID}
			err = h.readTurns(ctx, &d, x)
			state := instanceState{instance: &of}
			switch code := h.explain(err); {
			case err == nil:
				state.last = x.last()
			case code.Code != api.CodeCorrupt && code.Code != api.CodeNewer && code.Code != api.CodeNotFound:
				return nil, 2, err
			}
			return state, 2, nil
		},
		news: func(before, state any) []message {
			if before != nil && reflect.DeepEqual(before, state) {
				return nil
			}
			s := state.(instanceState)
			if s.instance == nil {
				return []message{{"gone", api.LiveGone{Now: h.now().UTC(), Instance: id}}}
			}
			return []message{{"instance", api.LiveInstance{Now: h.now().UTC(), Instance: *s.instance, LastEventID: s.last}}}
		},
	}
}

// looked is how many records a list may read for a page if an index covers only a part of the
// query.
const looked = 1000

func (h *handler) listTopic(key string, q client.ListQuery) *topic {
	return &topic{
		key: "list " + key,
		look: func(ctx context.Context) (any, int, error) {
			page, err := h.client.List(ctx, q)
			if err != nil {
				return nil, 1, err
			}
			read := 1 + len(page.Instances)
			bySearch := len(q.Where) == 1 && q.Where[0].Operator == "="
			if q.Prefix != "" || q.Words+q.Version+q.Parent+q.Schedule+q.Queue != "" || !q.EndedFrom.IsZero() || !q.EndedTo.IsZero() || len(q.Where) > 0 && (!bySearch || q.Status != "" || q.Name != "") || q.Status != "" && q.Name != "" {
				// It is not known how many did not meet the conditions.
				read = looked
			}
			return listOf(&page), read, nil
		},
		news: func(before, state any) []message {
			list := state.(api.InstanceList)
			say := api.LiveList{Now: h.now().UTC(), Changed: []api.Instance{}, Order: make([]string, len(list.Instances)), More: list.NextPageToken != ""}
			known := map[string]*api.Instance{}
			more := false
			if old, ok := before.(api.InstanceList); ok {
				for i := range old.Instances {
					known[old.Instances[i].Instance] = &old.Instances[i]
				}
				more = old.NextPageToken != ""
			}
			for i := range list.Instances {
				is := &list.Instances[i]
				if was := known[is.Instance]; was == nil || !reflect.DeepEqual(was, is) {
					say.Changed = append(say.Changed, *is)
				}
				delete(known, is.Instance)
				say.Order[i] = is.Instance
			}
			for id := range known {
				say.Gone = append(say.Gone, id)
			}
			if before != nil && len(say.Changed)+len(say.Gone) == 0 && more == say.More {
				return nil
			}
			return []message{{"list", say}}
		},
	}
}
