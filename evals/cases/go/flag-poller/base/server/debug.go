// Package server answers the shop's requests.
package server

import (
	"encoding/json"
	"net/http"

	"example.com/shop/flags"
)

// Debug shows operators which flags this server sees.
func Debug(client *flags.Client) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(client.All())
	})
}
