import type { TObject, TSchema } from 'typebox'
import { Type } from 'typebox'
import { Failure, invalid } from '../../core/errors/errors.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { addVary } from '../caching.ts'
import type { MediaAnswer } from '../description.ts'
import { media } from '../description.ts'
import type { Operation } from '../endpoint.ts'
import { chooseMediaType } from './media-ranges.ts'

/** A link of a response with features. */
export interface ItemLink {
  rel: string
  type: string
  href: string
  title?: string
}

/** Writes a link for a `Link` header (RFC 8288). */
export function linkHeader({ rel, type, href, title }: ItemLink): string {
  const titleText = title === undefined ? '' : `; title="${title.replaceAll(/["\\]/g, '')}"`
  return `<${href}>; rel="${rel}"; type="${type.replaceAll('"', '')}"${titleText}`
}

/** A representation of responses below `/ogc`. */
export interface Representation {
  /** Value of the parameter `f`. */
  name: string
  /** Further names that clients use. */
  aliases?: readonly string[]
  /** `Content-Type`, also of links. */
  mediaType: string
  /** Other media types by which clients ask for it in `Accept`. */
  acceptedAs?: readonly string[]
  /** Title of links. */
  title: string
  /** Schema in the OpenAPI document; absent: the operation's schema. */
  schema?: TSchema
  /**
   * Writes the handler's result, an object; absent: the handler sends this representation itself, or it is
   * sent as JSON.
   */
  write?(answer: unknown, representationContext: RepresentationContext): string | Promise<string>
  /** Default and maximum number of rows per page, if the page shortens features. */
  rows?: { usual: number; most: number }
  /** Inputs of the text besides the document and the address. */
  variant?(request: FastifyRequest): string
}

/** Context of a written response. */
interface RepresentationContext {
  request: FastifyRequest
  reply: FastifyReply
  /** The other available representations. */
  others: readonly Representation[]
}

interface Negotiated {
  offered: readonly Representation[]
  chosen: Representation
}

const negotiated = new WeakMap<FastifyRequest, Negotiated>()

function negotiatedOf(request: FastifyRequest): Negotiated {
  const found = negotiated.get(request)
  if (found === undefined) throw new Error(`${request.url} offers no representations`)
  return found
}

/** Returns the inputs of a response besides its layer and address; none without negotiation. */
export function variantOf(request: FastifyRequest): string[] {
  const chosen = chosenRepresentation(request)
  if (chosen === undefined) return []
  return chosen.variant === undefined ? [chosen.name] : [chosen.name, chosen.variant(request)]
}

/** Undefined if it is the default representation. */
export function chosenRepresentation(request: FastifyRequest): Representation | undefined {
  const { offered, chosen } = negotiated.get(request) ?? {}
  return chosen === offered?.[0] ? undefined : chosen
}

/** Selects the representation by `f`, otherwise by `Accept` (RFC 9110, section 12.5.1), otherwise the first one. */
function chooseRepresentation(
  offered: readonly Representation[],
  { f, accept }: { f?: string | undefined; accept?: string | undefined },
): Representation {
  const names = offered.map(({ name }) => name).join(', ')
  if (f !== undefined) {
    const named = offered.find(({ name, aliases }) => name === f || aliases?.includes(f) === true)
    if (named !== undefined) return named
    throw invalid('unknown-format', `f "${f.slice(0, 60)}" is not available: expected one of ${names}`)
  }
  const types = offered.map(({ mediaType, acceptedAs = [] }) => [mediaType, ...acceptedAs])
  const chosen = offered[chooseMediaType(types, accept) ?? -1]
  if (chosen !== undefined) return chosen
  const reported = offered.map(({ mediaType }) => mediaType).join(', ')
  throw new Failure(
    'notAcceptable',
    'not-acceptable',
    `Accept "${accept?.slice(0, 200)}" lists no available media type: use ${reported}; or f with one of ${names}`,
  )
}

/** Returns the address of a representation: that of the request with another `f`. */
function hrefAs(request: FastifyRequest, path: string, { name }: Representation): string {
  const query = new URLSearchParams(request.query as Record<string, string>)
  query.set('f', name)
  return request.link(`${path}?${query.toString()}`)
}

/** Returns links to the other representations of the response; `path` is the address without parameters. */
export function alternateLinks(request: FastifyRequest, path: string): ItemLink[] {
  const { offered, chosen } = negotiatedOf(request)
  return offered
    .filter((one) => one !== chosen)
    .map((one) => ({
      rel: 'alternate',
      type: one.mediaType,
      title: `As ${one.title}`,
      href: hrefAs(request, path, one),
    }))
}

/** Returns the operation with these representations; the first is the default. */
export function represented<Parts>(
  offered: readonly Representation[],
  operation: Operation<Parts>,
): Operation<Parts> {
  const schema = operation.reported?.query ?? operation.query
  const described = describeAll(offered, operation.answers[200])
  return {
    ...operation,
    query: withFormat(operation.query, offered, Type.String()),
    reported: { ...operation.reported, query: withFormat(schema, offered, reportedFormat(offered)) },
    answers: described === undefined ? operation.answers : { ...operation.answers, 200: described },
    handle: async (parts, request, reply) => {
      const { f } = request.query as { f?: string }
      addVary(reply, 'Accept')
      const chosen = chooseRepresentation(offered, { f, accept: request.headers.accept })
      negotiated.set(request, { offered, chosen })
      if (chosen.rows !== undefined) repairQuery(request, chosen.rows.most)
      const answer = await operation.handle(parts, request, reply)
      if (answer === reply || answer === undefined) return answer
      const whole = withAlternates(request, answer)
      if (chosen.write === undefined) return whole
      reply.header('content-type', `${chosen.mediaType}; charset=utf-8`)
      const others = offered.filter((one) => one !== chosen)
      return chosen.write(whole, { request, reply, others })
    },
  }
}

/** Removes empty parameters, which the forms of pages send, and limits the number of rows per page. */
function repairQuery({ query }: FastifyRequest, maxRows: number): void {
  const given = query as Record<string, unknown>
  for (const [name, value] of Object.entries(given)) if (value === '') delete given[name]
  if (Number(given['limit']) > maxRows) given['limit'] = String(maxRows)
}

/**
 * Adds links to the other representations of a response with links (OGC 17-069r4, /req/core/fc-md-links); the
 * links of a coverage lead to its data only.
 */
function withAlternates(request: FastifyRequest, answer: unknown): unknown {
  const { links, itemType } = answer as { links?: unknown; itemType?: unknown }
  if (!Array.isArray(links) || itemType === 'coverage') return answer
  const alternates = alternateLinks(request, request.url.split('?', 1).join())
  return alternates.length === 0 ? answer : { ...(answer as object), links: [...links, ...alternates] }
}

function withFormat(query: TSchema | undefined, offered: readonly Representation[], f: TSchema): TObject {
  const properties = (query as TObject | undefined)?.properties ?? {}
  const isRead = offered.some(({ variant }) => variant !== undefined)
  const lang = Type.String({
    description: 'Language of pages: en or de; default: the one that `Accept-Language` prefers',
  })
  return Type.Object({ ...properties, f: Type.Optional(f), ...(isRead ? { lang: Type.Optional(lang) } : {}) })
}

function reportedFormat(offered: readonly Representation[]): TSchema {
  const description = `Format of the response; default ${offered[0]?.name} if \`Accept\` names none either`
  const [first, ...others] = offered.map(({ name }) => name)
  if (first === undefined) throw new Error('An answer without a format')
  if (others.length === 0) return Type.Literal(first, { description })
  return Type.Union(
    [first, ...others].map((name) => Type.Literal(name)),
    { description },
  )
}

function describeAll(
  offered: readonly Representation[],
  answer: TSchema | MediaAnswer | undefined,
): TSchema | MediaAnswer | undefined {
  const others = offered.flatMap(({ mediaType, schema }) =>
    schema === undefined ? [] : [[mediaType.split(';', 1).join(), schema] as const],
  )
  if (answer === undefined || others.length === 0) return answer
  const { content, description = 'The answer' } = answer as Partial<MediaAnswer>
  const own = content ?? { 'application/json': { schema: answer as TSchema } }
  const further = media(description, Object.fromEntries(others)).content
  return { description, content: { ...own, ...further } }
}
