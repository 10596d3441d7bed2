package jobs

import (
	"slices"
	"testing"
)

func TestStates(t *testing.T) {
	for state, want := range []struct {
		text string
		done bool
		next []State
	}{
		{"waiting", false, []State{Running, Failed}},
		{"running", false, []State{Finished, Failed}},
		{"finished", true, nil},
		{"failed", true, nil},
	} {
		s := State(state)
		if s.String() != want.text || s.Done() != want.done || !slices.Equal(s.Next(), want.next) {
			t.Errorf("%d: %v, done %v, next %v", state, s, s.Done(), s.Next())
		}
	}
}
