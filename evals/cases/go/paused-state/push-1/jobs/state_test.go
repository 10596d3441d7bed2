package jobs

import (
	"slices"
	"testing"
)

func TestStates(t *testing.T) {
	for state, want := range []struct {
		text string
		done bool
		busy bool
		next []State
	}{
		{"waiting", false, false, []State{Running, Failed}},
		{"running", false, true, []State{Finished, Failed, Paused, Stopping}},
		{"finished", true, false, nil},
		{"failed", true, false, nil},
		{"paused", false, true, []State{Running, Failed}},
		{"stopping", false, true, []State{Finished, Failed}},
		{"State(6)", false, false, nil},
	} {
		s := State(state)
		if s.String() != want.text || s.Done() != want.done || s.Busy() != want.busy {
			t.Errorf("%d: %v, done %v, busy %v", state, s, s.Done(), s.Busy())
		}
		if !slices.Equal(s.Next(), want.next) {
			t.Errorf("%v: next %v", s, s.Next())
		}
	}
}
