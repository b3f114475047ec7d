import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { escapeHtml } from '../../core/text/escape.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { media } from '../description.ts'
import { endpoint, operation } from '../endpoint.ts'
import type { BuiltPages } from '../pages/built-pages.ts'
import { sendDocument } from '../pages/page-document.ts'

/** One link of an index. */
interface Entry {
  rel: string
  path: string
  title: string
}

const Link = Type.Object({ rel: Type.String(), href: Type.String(), title: Type.String() })
const Index = Type.Object(
  { name: Type.String(), version: Type.String(), links: Type.Array(Link) },
  { title: 'Index' },
)

const rest: Entry[] = [
  { rel: 'imports', path: '/rest/imports', title: 'Imports' },
  { rel: 'workspaces', path: '/rest/workspaces', title: 'Workspaces' },
  { rel: 'layers', path: '/rest/layers', title: 'Layers' },
  { rel: 'styles', path: '/rest/styles', title: 'Styles' },
  { rel: 'security', path: '/rest/security', title: 'Users, tokens and sessions' },
]
const security: Entry[] = [
  { rel: 'session', path: '/rest/security/session', title: 'Show the current session' },
  { rel: 'tokens', path: '/rest/security/tokens', title: 'Tokens of the user' },
  { rel: 'users', path: '/rest/security/users', title: 'Users' },
]
const api = '/monitoring/api'
const monitoring: Entry[] = [
  { rel: 'status', path: `${api}/status/`, title: 'Status' },
  { rel: 'metrics', path: `${api}/metrics/`, title: 'Metrics' },
  { rel: 'services', path: `${api}/services/`, title: 'Services' },
  { rel: 'hosts', path: `${api}/hosts/`, title: 'Hosts' },
  { rel: 'resources', path: `${api}/resources/`, title: 'Resources' },
  { rel: 'exceptions', path: `${api}/exceptions/`, title: 'Exceptions' },
  { rel: 'notifications', path: `${api}/notifications/`, title: 'Checks and notifications' },
]

interface StartPageDeps {
  version: string
  isMonitoringOn: boolean
  pages: BuiltPages
}

/** Entry points; monitoring only if it is enabled. */
function start({ isMonitoringOn }: StartPageDeps): Entry[] {
  return [
    { rel: 'data', path: '/ogc', title: 'Layers as OGC API Features' },
    { rel: 'rest', path: '/rest', title: 'Imports and configuration' },
    ...(isMonitoringOn ? [{ rel: 'monitoring', path: '/monitoring', title: 'Monitoring' }] : []),
    { rel: 'service-doc', path: '/docs', title: 'API reference' },
    { rel: 'service-desc', path: '/openapi.json', title: 'OpenAPI document' },
    { rel: 'status', path: '/health', title: 'Check that the server responds' },
  ]
}

/**
 * Lists the resources below a path, as JSON for programs and as HTML for people; `/` is the home page of the
 * web interface.
 */
function indexOf(path: string, description: string, entriesOf: (parts: StartPageDeps) => Entry[]) {
  const self: Entry = { rel: 'self', path, title: path === '/' ? 'Terrane' : path }
  return operation({
    summary: `List the resources below ${path}`,
    description,
    tags: ['server'],
    answers: { 200: media('Links', { 'application/json': Index, 'text/html': Type.String() }) },
    handle: (deps: StartPageDeps, request, reply) => {
      const entries = entriesOf(deps)
      reply.header('vary', 'Accept')
      const places = path === '/' ? entries : [...entries, { rel: 'up', path: '/', title: 'Start' }]
      if (prefersHtml(request.headers.accept)) {
        const home = path === '/' ? deps.pages.entry('main') : undefined
        if (home !== undefined)
          return sendDocument(request, reply, home, deps.pages, { first: deps.pages.entry('home') })
        return sendPage(request, reply, self, places, deps.version)
      }
      const links = [self, ...places].map((one) => toLink(request, one))
      return reply.send({ name: 'Terrane', version: deps.version, links })
    },
  })
}

const showStart = indexOf(
  '/',
  'JSON with the version and links to each part of the API; for browsers the HTML home page.',
  start,
)
const showRestIndex = indexOf('/rest', 'Links to the collections below `/rest`.', () => rest)
const showSecurityIndex = indexOf(
  '/rest/security',
  'Links to users, tokens, the session and the own password.',
  () => security,
)
const showMonitoringIndex = indexOf('/monitoring', 'Links to the API of monitoring.', () => monitoring)
const showMonitoringApiIndex = indexOf(
  api,
  'Links to each collection of the monitoring API.',
  () => monitoring,
)

export const startPageEndpoints = [
  endpoint('GET', '/', 'public', 'view', { showStart }),
  endpoint('GET', '/rest', 'public', 'view', { showRestIndex }),
  endpoint('GET', '/rest/security', 'public', 'view', { showSecurityIndex }),
]

/** Registered if monitoring is enabled. */
export const monitoringIndexEndpoints = [
  endpoint('GET', '/monitoring', 'public', 'unrecorded', { showMonitoringIndex }),
  endpoint('GET', '/monitoring/api', 'public', 'unrecorded', { showMonitoringApiIndex }),
]

function toLink(request: FastifyRequest, { rel, path, title }: Entry) {
  return { rel, href: request.link(path), title }
}

/** True if HTML is preferred to JSON; equal preference yields JSON. */
function prefersHtml(accept = '*/*'): boolean {
  const [html, json] = [weightOf(accept, 'text/html'), weightOf(accept, 'application/json')]
  return html > json
}

/**
 * Returns the quality of a media type in an `Accept` header, 0 to 1 (RFC 9110, section 12.5.1): the most
 * specific range counts.
 */
function weightOf(accept: string, type: string): number {
  const ranges = [type, type.replace(/\/.*/, '/*'), '*/*']
  let best = { rank: ranges.length, weight: 0 }
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((one) => one.trim())
    const rank = ranges.indexOf(range)
    if (rank < 0 || rank >= best.rank) continue
    const q = parameters.find((one) => /^q=/.test(one))?.slice(2)
    const weight = q === undefined ? 1 : Number(q)
    best = { rank, weight: weight >= 0 && weight <= 1 ? weight : 0 }
  }
  return best.weight
}

const style =
  'body{font:1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}li{margin:.4rem 0}small{opacity:.7}'
const styleHash = createHash('sha256').update(style).digest('base64')
const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  self: Entry,
  places: Entry[],
  version: string,
): FastifyReply {
  const items = places.map((one) => {
    const { href, title } = toLink(request, one)
    return `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a> <small>${escapeHtml(one.path)}</small></li>`
  })
  const title = escapeHtml(self.title)
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${style}</style></head>
<body><h1>${title}</h1><ul>
${items.join('\n')}
</ul><p><small>Terrane ${escapeHtml(version)}</small></p></body></html>
`
  return reply
    .header('content-security-policy', pagePolicy)
    .type('text/html; charset=utf-8')
    .serializer((text: string) => text)
    .send(html)
}
