package web

import (
	"net/http"
	"time"
)

// files serves a result to whoever has the link.
func files(root http.FileSystem, links Links) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if !links.Opens(r.URL.Query().Get("token"), name) {
			http.Error(w, "this link does not work any more", http.StatusNotFound)
			return
		}
		file, err := root.Open("/" + name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer file.Close()
		http.ServeContent(w, r, name, time.Time{}, file)
	})
}
