package probe

import (
	"context"
	"net/http"
	"net/http/httptest"
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
