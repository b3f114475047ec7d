import { escapeHtml } from '../../lib/text/escape-html.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import type { BuiltPages, PageEntry } from './built-pages.ts'

/**
 * What a page and its workers may load: all of it comes from this server, but for a background map of another one
 * (`TERRANE_BASEMAP`). Styles that a script sets go through the document's own model, which no policy minds; pictures may be made
 * by a page itself.
 */
export function pagePolicy(mapOrigin = '', framers: "'none'" | '*' = "'none'"): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    `connect-src 'self' ${mapOrigin}`.trimEnd(),
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' data: blob: ${mapOrigin}`.trimEnd(),
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    `frame-ancestors ${framers}`,
  ].join('; ')
}

/**
 * Sends the document that every page starts from: the script tells by the address which one it is, and finds here what the style
 * sheets of the pages are called. `first` is a page that is surely shown. A page that changes nothing may stand in frames of others.
 */
export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { script, imports, style }: PageEntry,
  { sheets, mapOrigin }: BuiltPages,
  { mayBeFramed = false, first }: { mayBeFramed?: boolean; first?: PageEntry | undefined } = {},
): FastifyReply {
  if (mayBeFramed) reply.removeHeader('x-frame-options')
  const base = new URL(request.link('/')).pathname
  const sheet = style === undefined ? '' : `\n<link rel="stylesheet" href="assets/${escapeHtml(style)}">`
  // Asked for at once, not when the script that needs them runs.
  const soon = new Set([...imports, ...(first === undefined ? [] : [first.script, ...first.imports])])
  const preloads = [...soon]
    .map((name) => `\n<link rel="modulepreload" href="assets/${escapeHtml(name)}">`)
    .join('')
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><base href="${escapeHtml(base)}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="sheets" content="${escapeHtml(JSON.stringify(sheets))}">
<title>Terrane</title><link rel="icon" href="data:,">${sheet}${preloads}
<script type="module" src="assets/${escapeHtml(script)}"></script></head>
<body><noscript>These pages need JavaScript. The <a href="docs">interface</a> and the <a href="ogc">layers</a> do not.</noscript></body></html>
`
  return reply
    .headers({
      'content-security-policy': pagePolicy(mapOrigin, mayBeFramed ? '*' : "'none'"),
      'cache-control': 'no-cache',
      'content-type': 'text/html; charset=utf-8',
    })
    .serializer((text: string) => text)
    .send(html)
}
