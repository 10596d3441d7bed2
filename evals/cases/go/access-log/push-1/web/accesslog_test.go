package web

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
)

func logged(t *testing.T, next http.HandlerFunc, r *http.Request) map[string]any {
	t.Helper()
	var out bytes.Buffer
	handler := accessLog(next, slog.New(slog.NewJSONHandler(&out, nil)))

	handler.ServeHTTP(httptest.NewRecorder(), r)

	var line map[string]any
	if err := json.Unmarshal(out.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	return line
}

func TestARequestIsLogged(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/files/a.mp4", nil)
	r.RemoteAddr = "192.0.2.77:50123"

	line := logged(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }, r)

	for name, want := range map[string]any{
		"level": "INFO", "method": "GET", "url": "/files/a.mp4", "status": 200.0, "bytes": 5.0, "client": "192.0.2.0",
	} {
		if line[name] != want {
			t.Errorf("%s: got %v, want %v", name, line[name], want)
		}
	}
}

func TestAFailureIsLoggedAsAnError(t *testing.T) {
	line := logged(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "broken", http.StatusBadGateway)
	}, httptest.NewRequest(http.MethodGet, "/", nil))

	if line["level"] != "ERROR" || line["status"] != 502.0 {
		t.Errorf("got %v", line)
	}
}
