package lint

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// reach works out what each function does through what it calls: again and
// again until nothing is new.
func (c *collector) reach() {
	for changed := true; changed; {
		changed = false
		for _, f := range c.functions {
			for _, e := range f.effects {
				changed = f.add(reached{Check: e.check, What: e.what, Does: e.does, Instead: e.instead, At: c.at(e.pos)}) || changed
			}
			for _, u := range f.uses {
				for _, r := range c.through(u) {
					if !c.comments.allows(r.Check, u.pos) {
						changed = f.add(r) || changed
					}
				}
			}
		}
	}
}

func (f *function) add(r reached) bool {
	if _, known := f.reached[r.Check]; known || len(r.Through) > 20 {
		return false
	}
	f.reached[r.Check] = r
	return true
}

// through returns what is done by the function that is used: durable calls
// alone if it is orchestration code of this module, which is reported where it
// stands.
func (c *collector) through(u use) []reached {
	name, all := "", []reached(nil)
	if callee := c.byObject[u.object]; callee != nil {
		name = callee.name
		for _, k := range checks {
			if r, ok := callee.reached[k]; ok && (callee.kind != orchestration || k == durable) {
				all = append(all, r)
			}
		}
	} else if u.object.Pkg() != c.pass.Pkg {
		var fact functionFact
		if !c.pass.ImportObjectFact(u.object, &fact) {
			return nil
		}
		name = nameOf(u.object, c.pass.Pkg)
		own := fact.Module == c.module()
		for _, r := range fact.Reached {
			if own && (!fact.Orchestration || r.Check == durable) || !own && r.Check.abroad() {
				all = append(all, r)
			}
		}
	}
	for i := range all {
		all[i].Through = append([]string{name}, all[i].Through...)
	}
	return all
}

// exportFacts tells the packages that import this one.
func (c *collector) exportFacts() {
	for _, f := range c.functions {
		if f.object == nil {
			continue
		}
		fact := functionFact{Module: c.module(), Orchestration: f.kind == orchestration, MapOrdered: c.mapOrdered[f.object]}
		for _, k := range checks {
			if r, ok := f.reached[k]; ok {
				fact.Reached = append(fact.Reached, r)
			}
		}
		if len(fact.Reached) > 0 || fact.MapOrdered {
			c.pass.ExportObjectFact(f.object, &fact)
		}
	}
}

// report reports what is done in orchestration code, and durable calls
// elsewhere.
func (c *collector) report() {
	for _, f := range c.functions {
		for _, e := range f.effects {
			if f.reports(e.check) {
				c.find(e)
			}
		}
		for _, u := range f.uses {
			for _, r := range c.through(u) {
				if f.reports(r.Check) && !c.comments.allows(r.Check, u.pos) {
					c.find(r.at(u.pos))
				}
			}
		}
	}
}

func (f *function) reports(k check) bool {
	switch f.kind {
	case orchestration:
		return k != durable
	case activityCode:
		return k == durable
	}
	return false
}

// at returns what was reached as a finding at the call that leads to it.
func (r reached) at(pos token.Pos) effect {
	does := "reaches "
	if between := r.Through[1:]; len(between) > 0 {
		does += "(through " + strings.Join(between, ", ") + ") "
	}
	does += fmt.Sprintf("%s, which %s, at %s", r.What, r.Does, r.At)
	return effect{check: r.Check, pos: pos, what: r.Through[0], does: does, instead: r.Instead}
}

// at returns file and line of a position.
func (c *collector) at(pos token.Pos) string {
	p := c.pass.Fset.Position(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

func (c *collector) module() string {
	if c.pass.Module == nil {
		return ""
	}
	return c.pass.Module.Path
}

// isDependency reports whether the package is of a module that somebody else
// has published. What its variables and maps do is not looked at (see abroad),
// and nothing is reported.
func (c *collector) isDependency() bool { return c.pass.Module != nil && c.pass.Module.Version != "" }

// add notes what a function does, unless a comment allows it.
func (c *collector) add(f *function, k check, pos token.Pos, what, does, instead string) {
	if instead == "" {
		instead = k.instead()
	}
	same := func(e effect) bool { return e.check == k && e.pos == pos }
	if c.comments.allows(k, pos) || slices.ContainsFunc(f.effects, same) {
		return
	}
	f.effects = append(f.effects, effect{check: k, what: what, does: does, instead: instead, pos: pos})
}

// addRule notes that an object of the standard library is used.
func (c *collector) addRule(f *function, r *rule, obj types.Object, pos token.Pos) {
	c.add(f, r.check, pos, nameOf(obj, nil), r.does, r.instead)
}
