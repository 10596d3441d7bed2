package web

import (
	"fmt"
	"net/http"
)

// events streams the progress as server-sent events.
func events(progress func() <-chan string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		flusher, ok := w.(http.Flusher)
		if !ok {
			http.Error(w, "streaming is not supported", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		steps := progress()
		for {
			select {
			case <-r.Context().Done():
				return
			case step, ok := <-steps:
				if !ok {
					return
				}
				fmt.Fprintf(w, "data: %s\n\n", step)
				flusher.Flush()
			}
		}
	})
}
