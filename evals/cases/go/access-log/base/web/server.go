// Package web answers the studio's requests.
package web

import "net/http"

// Links knows which token opens which file.
type Links interface {
	Opens(token, file string) bool
}

// New returns the studio's routes. Files lie in root; progress gives a line for each step until its channel is closed.
func New(root http.FileSystem, links Links, progress func() <-chan string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /events", events(progress))
	mux.Handle("GET /files/{name}", files(root, links))
	return mux
}
