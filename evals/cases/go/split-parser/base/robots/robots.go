// Package robots reads robots.txt files.
package robots

import (
	"bufio"
	"io"
	"strings"
)

const maxBytes = 500 * 1024

// Data is a robots.txt file.
type Data struct {
	groups []group
}

type group struct {
	agents []string
	rules  []rule
}

type rule struct {
	allow bool
	path  string
}

// Parse reads a file. Lines that cannot be read are passed over, as the RFC demands; what is beyond 500 KiB is ignored.
func Parse(r io.Reader) (*Data, error) {
	data := &Data{}
	var current *group
	open := false // whether further agents belong to the current group
	lines := bufio.NewScanner(io.LimitReader(r, maxBytes))
	lines.Buffer(nil, maxBytes+1)
	for lines.Scan() {
		key, value, ok := field(lines.Text())
		if !ok {
			continue
		}
		switch key {
		case "user-agent":
			if !open {
				data.groups = append(data.groups, group{})
				current = &data.groups[len(data.groups)-1]
				open = true
			}
			current.agents = append(current.agents, strings.ToLower(value))
		case "allow", "disallow":
			open = false
			if current != nil && value != "" {
				current.rules = append(current.rules, rule{allow: key == "allow", path: value})
			}
		}
	}
	return data, lines.Err()
}

func field(line string) (key, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	key, value, ok = strings.Cut(line, ":")
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value), ok
}

// Allowed reports whether an agent may fetch a path.
func (d *Data) Allowed(agent, path string) bool {
	allowed, longest := true, -1
	for _, r := range d.rulesFor(agent) {
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

func (d *Data) rulesFor(agent string) []rule {
	agent = strings.ToLower(agent)
	var own, all []rule
	named := false
	for _, g := range d.groups {
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
