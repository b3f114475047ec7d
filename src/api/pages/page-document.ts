import { escapeHtml } from '../../core/text/escape.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import type { BuiltPages, PageEntry } from './built-pages.ts'

/**
 * Content security policy of a page and its workers: all content comes from this server, except an external
 * base map (`TERRANE_BASEMAP`). Scripts may set styles through the CSSOM, which policies do not restrict;
 * pages may create images.
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
 * Sends the document with which every page starts: its script selects the page by the address, and finds the
 * names of the style sheets here. `first` is a page that is certain to be shown. A page that changes nothing
 * may be framed by other sites.
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
  // Preloaded, instead of when the script that needs them runs.
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
