// Package flags knows which features are on.
package flags

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Client holds the flags of one environment.
type Client struct {
	http  *http.Client
	url   string
	flags map[string]bool
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

// Enabled reports whether a feature is on; one that nobody knows is off.
func (c *Client) Enabled(name string) bool {
	return c.flags[name]
}

// All returns every flag.
func (c *Client) All() map[string]bool {
	return c.flags
}

func (c *Client) load(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.url, nil)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("load flags: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("load flags: status %d", resp.StatusCode)
	}
	var doc document
	if err := json.NewDecoder(resp.Body).Decode(&doc); err != nil {
		return fmt.Errorf("load flags: %w", err)
	}
	c.flags = doc.Flags
	return nil
}
