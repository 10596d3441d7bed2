// Package probe asks addresses whether they answer.
package probe

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// atOnce is how many addresses are asked at the same time; the office router gives up at about forty.
const atOnce = 24

// Result is what came of asking one address.
type Result struct {
	URL  string
	Took time.Duration
	Err  error
}

// All asks every address, some at the same time. The results have the order of the addresses. When ctx is done, those
// that were not asked yet get its error.
func All(ctx context.Context, client *http.Client, urls []string) []Result {
	results := make([]Result, len(urls))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, url := range urls {
		if err := acquire(ctx, slots); err != nil {
			results[i] = Result{URL: url, Err: err}
			continue
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() { <-slots }()
			results[i] = one(ctx, client, url)
		}()
	}
	wg.Wait()
	return results
}

// acquire takes a slot, or returns the context's error.
func acquire(ctx context.Context, slots chan<- struct{}) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
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
