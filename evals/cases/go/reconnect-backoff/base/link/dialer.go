// Package link keeps the connection to the collector.
package link

import (
	"context"
	"log/slog"
	"net"
	"time"
)

// Config says where to connect to.
type Config struct {
	Addr  string
	Pause time.Duration // between two attempts
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Dialer connects, and tries again until it succeeds.
type Dialer struct {
	cfg Config
}

// New returns a dialer. Without a Dial function it dials TCP.
func New(cfg Config) *Dialer {
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	}
	return &Dialer{cfg: cfg}
}

// Connect returns a connection. It gives up only when ctx is done.
func (d *Dialer) Connect(ctx context.Context) (net.Conn, error) {
	for {
		conn, err := d.cfg.Dial(ctx, "tcp", d.cfg.Addr)
		if err == nil {
			return conn, nil
		}
		slog.Warn("not connected", "addr", d.cfg.Addr, "error", err)
		if err := wait(ctx, d.cfg.Pause); err != nil {
			return nil, err
		}
	}
}

func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
