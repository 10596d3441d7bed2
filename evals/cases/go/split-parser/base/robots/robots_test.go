package robots

import (
	"strings"
	"testing"
)

const example = `
User-agent: *
Disallow: /private/   # not for you
Allow: /private/press/

User-Agent: nosy
User-agent: pushy
Disallow: /

User-agent: friend
Disallow:
`

func TestAllowed(t *testing.T) {
	data, err := Parse(strings.NewReader(example))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		agent, path string
		want        bool
	}{
		{"any", "/", true},
		{"any", "/private/x", false},
		{"any", "/private/press/1", true},
		{"Nosy", "/", false},
		{"pushy", "/private/press/1", false},
		{"friend", "/private/x", true},
	} {
		if got := data.Allowed(tc.agent, tc.path); got != tc.want {
			t.Errorf("%s %s: got %v", tc.agent, tc.path, got)
		}
	}
}
