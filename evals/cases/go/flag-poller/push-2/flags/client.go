// Package flags knows which features are on.
package flags

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// Client holds the flags of one environment, and keeps them up to date while Run runs.
type Client struct {
	http *http.Client
	url  string

	mu    sync.RWMutex    // guards flags
	flags map[string]bool // what it refers to is never changed, only exchanged

	etag string // of the last answer; only load reads and writes it
}

type document struct {
	Flags map[string]bool `json:"flags"`
}

// New reads the flags from the service at url. How long it waits for an answer is up to the client's transport.
func New(ctx context.Context, client *http.Client, url string) (*Client, error) {
	c := &Client{http: client, url: url}
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	return c, nil
}

// Run reads the flags again and again until ctx is done. While the service is away the last known flags stay.
func (c *Client) Run(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := c.load(ctx); err != nil {
				slog.Warn("flags stay as they are", "error", err)
			}
		}
	}
}

// Enabled reports whether a feature is on; one that nobody knows is off.
func (c *Client) Enabled(name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.flags[name]
}

// All returns every flag. It is the caller's to read, not to change.
func (c *Client) All() map[string]bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.flags
}

func (c *Client) load(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return err
	}
	if c.etag != "" {
		req.Header.Set("If-None-Match", c.etag)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("load flags: %w", err)
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotModified:
		return nil
	default:
		return fmt.Errorf("load flags: status %d", resp.StatusCode)
	}
	var doc document
	if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
		return fmt.Errorf("load flags: %w", err)
	}
	c.mu.Lock()
	c.flags = doc.Flags
	c.mu.Unlock()
	c.etag = resp.Header.Get("ETag")
	return nil
}
