HTTP/1.1 404 Not Found
x-content-type-options: nosniff
x-frame-options: DENY
referrer-policy: same-origin
content-security-policy: default-src 'none'; frame-ancestors 'none'
x-request-id: 83e7a154-c1f0-43d1-9da8-9800a9536563
cache-control: private, no-cache
vary: Authorization, Cookie
content-type: application/problem+json; charset=utf-8
content-length: 218
Date: Sun, 22 Nov 2026 12:55:12 GMT
Connection: keep-alive
Keep-Alive: timeout=72

