import { Type } from 'typebox'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { addVary, keepPrivately } from '../caching.ts'
import type { ProblemWriter } from '../errors.ts'
import { problemWriter } from '../errors.ts'
import { writeHtml } from './html/html.ts'
import type { Form, PageFiles, Shown } from './html/html-page.ts'
import type { Language } from './html/language.ts'
import { chooseLanguage } from './html/language.ts'
import { textsIn } from './html/messages/texts.ts'
import { chooseMediaType } from './media-ranges.ts'
import type { Representation } from './representations.ts'

/** Assets of the pages below `/ogc`, and their publisher. */
export interface HtmlPageSettings extends PageFiles {
  version: string
  /** Another server that the background map comes from. */
  mapOrigin?: string
}

declare module 'fastify' {
  interface FastifyInstance {
    html: HtmlPageSettings
  }
}

/** Renders each response as HTML: a view of its JSON. */
export const asHtml: Representation = {
  name: 'html',
  mediaType: 'text/html',
  title: 'HTML',
  schema: Type.String(),
  rows: { usual: 50, most: 200 },
  variant: (request) => JSON.stringify([languageOf(request), request.caller, request.server.html]),
  write: (document, { request, reply, others }) => {
    const operation = request.routeOptions.config.operation?.id ?? ''
    const forms = others.map(({ name, title, mediaType }) => ({
      name: title,
      type: mediaType,
      href: hrefWith(request, name),
    }))
    prepare(request, reply)
    if (!reply.hasHeader('cache-control')) keepPrivately(reply)
    return writeHtml(operation, document as object, shownBy(request, forms))
  },
}

/** Renders errors as HTML if HTML was requested. */
export const writeProblemPage: ProblemWriter = (problem, reply) => {
  const { request } = reply
  addVary(reply, 'Accept')
  if (!wantsHtml(request)) return problemWriter(request.server.dialect)(problem, reply)
  prepare(request, reply)
  const text = writeHtml('problem', problem, shownBy(request, []))
  return reply.code(problem.status).type('text/html; charset=utf-8').send(text)
}

function wantsHtml({ query, headers }: FastifyRequest): boolean {
  const { f } = query as { f?: unknown }
  if (typeof f === 'string' && f !== 'html') return false
  return (
    f === 'html' ||
    chooseMediaType([['application/problem+json', 'application/json'], ['text/html']], headers.accept) === 1
  )
}

function languageOf({ query, headers }: FastifyRequest): Language {
  const { lang } = query as { lang?: unknown }
  return chooseLanguage(typeof lang === 'string' ? lang : undefined, headers['accept-language'])
}

function prepare(request: FastifyRequest, reply: FastifyReply): void {
  addVary(reply, 'Accept-Language')
  reply.headers({
    'content-language': languageOf(request),
    'content-security-policy': policy(request.server.html),
    'cross-origin-resource-policy': 'same-origin',
  })
}

/** All content comes from this server, except a configured external base map; the map is in a frame. */
function policy({ mapOrigin = '' }: HtmlPageSettings): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `connect-src 'self' ${mapOrigin}`.trimEnd(),
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data:",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function queryOf({ query }: FastifyRequest): URLSearchParams {
  const found = new URLSearchParams()
  for (const [name, value] of Object.entries(query as Record<string, unknown>))
    if (typeof value === 'string') found.set(name, value)
  return found
}

function parametersOf({ routeOptions }: FastifyRequest): Set<string> {
  const { querystring } = routeOptions.schema ?? {}
  return new Set(Object.keys((querystring as { properties?: object } | undefined)?.properties ?? {}))
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1).join()
}

/** The same address in another form. */
function hrefWith(request: FastifyRequest, f: string): string {
  const query = queryOf(request)
  query.delete('lang')
  query.set('f', f)
  return request.link(`${pathOf(request)}?${query.toString()}`)
}

function shownBy(request: FastifyRequest, forms: readonly Form[]): Shown {
  const { caller, server, usedLayer } = request
  const language = languageOf(request)
  const query = queryOf(request)
  query.delete('f')
  const { html } = server
  return {
    language,
    texts: textsIn(language),
    path: pathOf(request),
    query,
    forms,
    parameters: parametersOf(request),
    files: html,
    version: html.version,
    link: (path) => request.link(path),
    user: caller.role === 'anonymous' ? undefined : caller.name,
    layer: usedLayer,
  }
}
