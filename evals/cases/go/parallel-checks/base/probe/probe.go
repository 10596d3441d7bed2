// Package probe asks addresses whether they answer.
package probe

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Result is what came of asking one address.
type Result struct {
	URL  string
	Took time.Duration
	Err  error
}

// All asks every address, one after the other. The results have the order of the addresses.
func All(ctx context.Context, client *http.Client, urls []string) []Result {
	results := make([]Result, 0, len(urls))
	for _, url := range urls {
		results = append(results, one(ctx, client, url))
	}
	return results
}

func one(ctx context.Context, client *http.Client, url string) Result {
	start := time.Now()
	err := ask(ctx, client, url)
	return Result{URL: url, Took: time.Since(start), Err: err}
}

func ask(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}
