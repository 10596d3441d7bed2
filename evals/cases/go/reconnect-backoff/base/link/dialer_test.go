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
	d := New(Config{Addr: "collector:7000", Pause: time.Millisecond, Dial: failing(2)})

	conn, err := d.Connect(context.Background())

	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestConnectEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	d := New(Config{Addr: "collector:7000", Pause: time.Hour, Dial: failing(1)})

	if _, err := d.Connect(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
