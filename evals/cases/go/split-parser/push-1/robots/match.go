package robots

import "strings"

// Allowed reports whether an agent may fetch a path.
func (f *File) Allowed(agent, path string) bool {
	allowed, longest := true, -1
	for _, r := range f.rulesFor(agent) {
		if !strings.HasPrefix(path, r.path) {
			continue
		}
		// The longest rule wins, and of two of the same length the one that allows.
		if len(r.path) > longest || (len(r.path) == longest && r.allow) {
			allowed, longest = r.allow, len(r.path)
		}
	}
	return allowed
}

func (f *File) rulesFor(agent string) []rule {
	agent = strings.ToLower(agent)
	var own, all []rule
	named := false
	for _, g := range f.groups {
		for _, a := range g.agents {
			switch a {
			case agent:
				named = true
				own = append(own, g.rules...)
			case "*":
				all = append(all, g.rules...)
			}
		}
	}
	if named {
		return own
	}
	return all
}
