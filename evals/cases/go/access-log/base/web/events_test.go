package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestProgressIsStreamed(t *testing.T) {
	steps := make(chan string, 2)
	steps <- "10 %"
	steps <- "done"
	close(steps)
	answer := httptest.NewRecorder()

	events(func() <-chan string { return steps }).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/events", nil))

	if want := "data: 10 %\n\ndata: done\n\n"; answer.Body.String() != want {
		t.Errorf("got %q, want %q", answer.Body, want)
	}
	if !answer.Flushed {
		t.Error("nothing was flushed")
	}
}
