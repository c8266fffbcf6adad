package console

import (
	"context"
	"errors"
	"math"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/cause"
	"github.com/turnstile-go/turnstile/internal/console/api"
)

// The limits of what one tree reads. A node costs the read of a record and, if it may have
// children, of its history.
const (
	maxAncestors     = 50
	maxTreeNodes     = 300
	maxTreeHistories = 50
)

func (h *handler) tree(r *request) (api.Tree, error) {
	ctx := r.Context()
	d, err := h.client.Describe(ctx, r.vars["id"])
	if err != nil {
		return api.Tree{}, err
	}
	out := api.Tree{Ancestors: []api.TreeNode{}, Instance: nodeOf(&d)}
	if d.Parent != nil {
		out.Instance.EventID = d.Parent.EventID
	}
	if err := h.ancestors(ctx, &d, &out); err != nil {
		return out, err
	}
	g := growing{h: h, nodes: maxTreeNodes, histories: maxTreeHistories}
	if err := g.grow(ctx, &out.Instance); err != nil {
		return out, err
	}
	out.Truncated = out.Truncated || g.truncated
	return out, nil
}

func nodeOf(d *client.Description) api.TreeNode {
	return api.TreeNode{
		Instance: d.Instance, Status: string(d.Status), Name: d.Name, Version: d.Version, ExecutionID: d.ExecutionID,
		CreatedAt: d.CreatedAt, EndedAt: d.EndedAt, Why: why(d),
	}
}

// why returns the problem or failure of an instance in one line.
func why(d *client.Description) string {
	const longest = 300
	switch {
	case d.Problem != nil:
		return clip(d.Problem.Text(), longest)
	case d.Failure != nil && d.Failure.Message != "":
		return clip(cause.OfFailure(d.Failure, d.Name).Line(), longest)
	}
	return ""
}

// ancestors reads the ancestors of an instance.
func (h *handler) ancestors(ctx context.Context, d *client.Description, out *api.Tree) error {
	for p := d.Parent; p != nil; {
		if len(out.Ancestors) == maxAncestors {
			out.Truncated = true
			break
		}
		parent, err := h.client.Describe(ctx, p.Instance)
		switch {
		case errors.Is(err, client.ErrNotFound):
			out.Missing = true
			return nil
		case err != nil:
			return err
		}
		node := nodeOf(&parent)
		if parent.Parent != nil {
			node.EventID = parent.Parent.EventID
		}
		out.Ancestors = append([]api.TreeNode{node}, out.Ancestors...)
		p = parent.Parent
	}
	return nil
}

// growing is a tree that is being read level by level, so that the deepest levels are left out.
type growing struct {
	h                *handler
	nodes, histories int
	truncated        bool
}

func (g *growing) grow(ctx context.Context, root *api.TreeNode) error {
	for level := []*api.TreeNode{root}; len(level) > 0; {
		var next []*api.TreeNode
		for _, n := range level {
			if g.histories == 0 {
				n.MoreChildren, g.truncated = -1, true
				continue
			}
			g.histories--
			if err := g.children(ctx, n); err != nil {
				return err
			}
			for i := range n.Children {
				if n.Children[i].Status != "" {
					next = append(next, &n.Children[i])
				}
			}
		}
		level = next
	}
	return nil
}

// children reads the children that the current execution of a node has scheduled.
func (g *growing) children(ctx context.Context, n *api.TreeNode) error {
	x, err := g.h.execution(ctx, n.Instance, "current")
	if explained := g.h.explain(err); err != nil && (explained.Code == api.CodeNotFound || explained.Code == api.CodeCorrupt) {
		// It was purged in the meantime, or cannot be read; its record shows that.
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range x.events(1, math.MaxInt) {
		if e.Kind != history.SubOrchestrationScheduled && e.Kind != history.OrchestrationChained {
			continue
		}
		if g.nodes == 0 {
			n.MoreChildren++
			g.truncated = true
			continue
		}
		g.nodes--
		child := api.TreeNode{Instance: e.Instance, Name: e.Name}
		d, err := g.h.client.Describe(ctx, e.Instance)
		switch {
		case err == nil:
			child = nodeOf(&d)
		case !errors.Is(err, client.ErrNotFound):
			return err
		}
		child.EventID, child.Detached = e.EventID, e.Kind == history.OrchestrationChained
		n.Children = append(n.Children, child)
	}
	return nil
}
