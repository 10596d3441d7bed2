// Package jobs knows what jobs are doing.
package jobs

//go:generate stringer -type=State -linecomment

// State is what a job is doing. The numbers are stored; new states are added at the end.
type State uint8

const (
	Waiting  State = iota // waiting
	Running               // running
	Finished              // finished
	Failed                // failed
	Paused                // paused
	Stopping              // stopping
)

// Done reports whether nothing more will happen to a job.
func (s State) Done() bool {
	switch s {
	case Finished, Failed:
		return true
	default:
		return false
	}
}

// Next returns the states that a job can go to.
func (s State) Next() []State {
	switch s {
	case Waiting:
		return []State{Running, Failed}
	case Running:
		return []State{Finished, Failed, Paused, Stopping}
	case Paused:
		return []State{Running, Failed}
	case Stopping:
		return []State{Finished, Failed}
	}
	return nil
}

// Busy reports whether a worker is occupied with a job. A paused job keeps its worker: its process is only halted.
func (s State) Busy() bool {
	return s == Running || s >= Paused && s <= Stopping
}
