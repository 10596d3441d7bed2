// Package link keeps the connection to the collector.
package link

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"
)

const defaultMaxPause = time.Minute

// Config says where to connect to, and how patiently.
type Config struct {
	Addr        string
	Pause       time.Duration // after the first attempt; doubled after each further one
	MaxPause    time.Duration // no pause is longer; a minute where it is not set
	MaxAttempts int           // how many attempts are made; negative: no limit
	Dial        func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Dialer connects, and tries again with growing pauses.
type Dialer struct {
	cfg Config
}

// New returns a dialer. Without a Dial function it dials TCP.
func New(cfg Config) *Dialer {
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	}
	if cfg.MaxPause == 0 {
		cfg.MaxPause = defaultMaxPause
	}
	return &Dialer{cfg: cfg}
}

// Connect returns a connection. It gives up when ctx is done or all attempts are used up.
func (d *Dialer) Connect(ctx context.Context) (net.Conn, error) {
	var last error
	for attempt := 0; d.cfg.MaxAttempts < 0 || attempt < d.cfg.MaxAttempts; attempt++ {
		if attempt > 0 {
			if err := wait(ctx, d.pause(attempt)); err != nil {
				return nil, err
			}
		}
		conn, err := d.cfg.Dial(ctx, "tcp", d.cfg.Addr)
		if err == nil {
			return conn, nil
		}
		slog.Warn("not connected", "addr", d.cfg.Addr, "attempt", attempt+1, "error", err)
		last = err
	}
	return nil, fmt.Errorf("connect to %s: gave up after %d attempts: %w", d.cfg.Addr, d.cfg.MaxAttempts, last)
}

// pause returns how long to wait before an attempt, counted from 1.
func (d *Dialer) pause(attempt int) time.Duration {
	pause := d.cfg.Pause << (attempt - 1)
	if pause > d.cfg.MaxPause {
		return d.cfg.MaxPause
	}
	return pause
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
