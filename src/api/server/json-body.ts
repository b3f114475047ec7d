import JSON5 from 'json5'
import { Failure, invalid } from '../../core/errors/errors.ts'
import type { App, FastifyRequest } from '../app-types.ts'

export const maxJsonBytes = 5 * 2 ** 20
const maxJsonDepth = 100
/** Each value is visited several times, on the main thread. */
const maxJsonValues = 100_000
/** JSON5 is parsed at 4 MB/s, on the main thread: sufficient for manually written bodies. */
const maxJson5Length = 256 * 1024

const jsonTypes = ['application/json', 'text/json', 'text/plain', /^application\/[\w.-]+\+json(?=;|$)/]

/** Parses JSON under every content type for JSON; an empty body counts as no body. */
export function acceptJson(app: App): void {
  app.removeAllContentTypeParsers()
  app.addHook('onRequest', (request, _reply, done) => {
    const type = request.headers['content-type']
    if (type === undefined || type.trim() === '') request.headers['content-type'] = 'application/json'
    done()
  })
  for (const type of jsonTypes)
    app.addContentTypeParser(type, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) =>
      parseJsonBody(body, {
        allowsJson5: isImportPath(request.url),
        keepsNulls: request.routeOptions.config.keepsNulls ?? false,
      }),
    )
}

function isImportPath(url: string): boolean {
  return /^\/rest\/imports(?=[/?]|$)/.test(url)
}

/**
 * Parses a body without its nulls, except those of top-level keys with `keepsNulls`; `undefined` for an empty
 * body.
 */
export function parseJsonBody(
  body: Uint8Array,
  { allowsJson5 = false, keepsNulls = false }: { allowsJson5?: boolean; keepsNulls?: boolean } = {},
): unknown {
  const text = decode(body)
  if (text.trim() === '') return undefined
  return withoutNulls(parse(text, allowsJson5), { depth: 1, count: { values: 0 }, keepsNulls })
}

function decode(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (error) {
    throw invalid('malformed-json', 'The body is not JSON: it is not UTF-8 text', { cause: error })
  }
}

function parse(text: string, allowsJson5: boolean): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const json5 = allowsJson5 && text.length <= maxJson5Length ? parseJson5(text) : undefined
    if (json5 !== undefined) return json5.value
    const reason = error instanceof Error ? error.message.slice(0, 200) : ''
    throw invalid('malformed-json', `The body is not JSON: ${reason}`, { cause: error })
  }
}

function parseJson5(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON5.parse(text) }
  } catch {
    return undefined
  }
}

interface Location {
  depth: number
  /** Shared by all places. */
  count: { values: number }
  keepsNulls: boolean
}

/** `null` means absent; list items keep theirs, so that positions stay. */
function withoutNulls(value: unknown, place: Location): unknown {
  const { depth, count, keepsNulls } = place
  count.values += 1
  if (count.values > maxJsonValues)
    throw new Failure('tooLarge', 'body-too-wide', `The body has more than ${maxJsonValues} values`)
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxJsonDepth)
    throw new Failure('tooLarge', 'body-too-deep', `The body is nested deeper than ${maxJsonDepth} levels`)
  const inner = { depth: depth + 1, count, keepsNulls: false }
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, inner))
  const kept: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') throw invalid('malformed-json', 'The body has a key "__proto__"')
    if (item !== null || keepsNulls) kept[key] = withoutNulls(item, inner)
  }
  return kept
}
