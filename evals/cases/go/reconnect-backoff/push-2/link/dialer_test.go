package link

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"
)

// failing returns a Dial function that fails so many times before it connects.
func failing(times int) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		if times > 0 {
			times--
			return nil, errors.New("refused")
		}
		conn, _ := net.Pipe()
		return conn, nil
	}
}

func TestConnectTriesAgain(t *testing.T) {
	d := New(Config{Addr: "collector:7000", Pause: time.Millisecond, MaxAttempts: 3, Dial: failing(2)})

	conn, err := d.Connect(context.Background())

	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestConnectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	d := New(Config{Addr: "collector:7000", Pause: time.Hour, MaxPause: time.Hour, MaxAttempts: -1, Dial: failing(1)})

	if _, err := d.Connect(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestConnectGivesUp(t *testing.T) {
	d := New(Config{Addr: "collector:7000", Pause: time.Millisecond, MaxAttempts: 2, Dial: failing(2)})

	_, err := d.Connect(context.Background())

	if want := "connect to collector:7000: gave up after 2 attempts: refused"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestPausesDoubleUpToTheLongest(t *testing.T) {
	d := New(Config{Pause: 2 * time.Second, MaxPause: 30 * time.Second})

	for i, want := range []time.Duration{2, 4, 8, 16, 30, 30} {
		if got := d.pause(i + 1); got != want*time.Second {
			t.Errorf("before attempt %d: got %v, want %v", i+1, got, want*time.Second)
		}
	}
	for _, attempt := range []int{34, 35, 64, 65, 5000} {
		if got := d.pause(attempt); got != 30*time.Second {
			t.Errorf("before attempt %d: got %v", attempt, got)
		}
	}
}

func TestAttemptsAreNotLimitedWhereNothingIsSaid(t *testing.T) {
	d := New(Config{Addr: "collector:7000", Pause: time.Microsecond, Dial: failing(20)})

	conn, err := d.Connect(context.Background())

	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}
