package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

func TestResultsHaveTheOrderOfTheAddresses(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
		}
	}))
	defer site.Close()

	results := All(context.Background(), site.Client(), []string{site.URL + "/a", site.URL + "/gone", site.URL + "/b"})

	if len(results) != 3 || results[0].Err != nil || results[2].Err != nil {
		t.Fatalf("got %v", results)
	}
	if err := results[1].Err; err == nil || err.Error() != "status 410" {
		t.Errorf("got %v", err)
	}
}

func TestManyAreAskedAtOnceButNotAll(t *testing.T) {
	var now, most atomic.Int64
	arrived := make(chan struct{}, 3*atOnce)
	release := make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		arrived <- struct{}{}
		<-release
	}))
	defer site.Close()
	var urls []string
	for i := range 3 * atOnce {
		urls = append(urls, fmt.Sprintf("%s/%d", site.URL, i))
	}
	go func() {
		for range atOnce {
			<-arrived
		}
		close(release)
	}()

	results := All(context.Background(), site.Client(), urls)

	for i, result := range results {
		if result.URL != urls[i] || result.Err != nil {
			t.Errorf("%d: got %v", i, result)
		}
	}
	if most.Load() != atOnce {
		t.Errorf("%d at once", most.Load())
	}
}

func TestNothingIsAskedAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()

	for _, result := range All(ctx, http.DefaultClient, make([]string, 3*atOnce)) {
		if !errors.Is(result.Err, context.Canceled) {
			t.Fatalf("got %v", result)
		}
	}
}
