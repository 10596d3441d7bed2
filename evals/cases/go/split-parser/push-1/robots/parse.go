package robots

import (
	"bufio"
	"io"
	"strings"
)

const maxBytes = 500 * 1024

// Parse reads a file. Lines that cannot be read are passed over, as the RFC demands; what is beyond 500 KiB is ignored.
func Parse(r io.Reader) (*File, error) {
	file := &File{}
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
				file.groups = append(file.groups, group{})
				current = &file.groups[len(file.groups)-1]
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
	return file, lines.Err()
}

func field(line string) (key, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	key, value, ok = strings.Cut(line, ":")
	return strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value), ok
}
