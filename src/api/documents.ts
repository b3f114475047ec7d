import { Failure, invalid } from '../core/errors/errors.ts'
import type { App, FastifyReply, FastifyRequest } from './app-types.ts'
import { addVary } from './caching.ts'
import { documentForm, isXmlType } from './compat/document-form.ts'
import { parseXml, readDocument } from './compat/read-document.ts'
import { writeDocument } from './compat/write-document.ts'
import { decodeXml } from './xml-text.ts'

/** Limits on the XML of a body. JSON has limits of the same kind (`server/json-body.ts`). */
const documentLimits = { elements: 20_000, attributes: 100, depth: 50 }
/** XML is read on the main thread. */
const maxXmlBytes = 2 ** 20

/**
 * Gives the operations of an area the XML of GeoServer's REST API: XML bodies become the values of their JSON, and documents
 * are sent as XML to clients that ask for it. Handlers know one form only. Call it before the routes are added.
 */
export function takeXmlDocuments(app: App): void {
  for (const type of ['text/xml', 'application/xml'])
    if (!app.hasContentTypeParser(type))
      app.addContentTypeParser(type, { parseAs: 'buffer', bodyLimit: maxXmlBytes }, readXmlBody)
  app.addContentTypeParser('*', refuseType)
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, hasXml: true }
  })
  sendXmlDocuments(app)
}

/** The same for an area whose bodies are files. */
export function sendXmlDocuments(app: App): void {
  app.addHook('preHandler', (request, reply, done) => {
    chooseForm(request, reply)
    done()
  })
}

/** Reads an XML body as the value of the JSON body of the operation; undefined for an empty body. */
async function readXmlBody(request: FastifyRequest, body: Buffer): Promise<unknown> {
  if (body.length === 0) return undefined
  const failure = (reason: string): Error => invalid('malformed-xml', `The body ${reason}`)
  return readXmlDocument(request, decodeXml(body, request.headers['content-type'], failure))
}

/**
 * Returns the value that an XML document has as JSON body of the operation; undefined for an operation without a body. Throws
 * `Failure` for XML that is broken, too large or for something else.
 */
export function readXmlDocument({ routeOptions }: FastifyRequest, text: string): unknown {
  const { schema, config } = routeOptions
  if (schema?.body === undefined) return undefined
  const root = parseXml(text, documentLimits)
  const { read } = config.operation?.xml ?? {}
  return read === undefined ? readDocument(root, schema.body as object) : read(root)
}

async function refuseType({ headers, routeOptions }: FastifyRequest): Promise<never> {
  const { consumes = ['application/json', 'application/xml', 'text/xml'] } =
    routeOptions.config.operation ?? {}
  const type = String(headers['content-type']).slice(0, 100)
  throw new Failure(
    'mediaType',
    'unsupported-media-type',
    `A body of type "${type}" is not accepted, only ${consumes.join(', ')}`,
  )
}

/** Clients that send XML get the responses of GeoServer: the name of what was created, and nothing after a change. */
function chooseForm(request: FastifyRequest, reply: FastifyReply): void {
  const { method, originalUrl, headers, body } = request
  const isReading = method === 'GET' || method === 'HEAD'
  // A text is a document of another language under the media type of XML, such as SLD.
  const sentXml = !isReading && isXmlType(headers['content-type']) && typeof body !== 'string'
  const form = sentXml ? 'xml' : documentForm(originalUrl, headers.accept)
  if (isReading && !/\.(?:xml|json)(?:\?|$)/.test(originalUrl)) addVary(reply, 'Accept')
  if (form === 'json') return
  const { write = writeDocument } = request.routeOptions.config.operation?.xml ?? {}
  reply.serializer((payload: unknown) => {
    if (typeof payload === 'string') return payload
    const isDocument = reply.statusCode < 300
    const text = !isDocument ? undefined : sentXml ? responseToXml(reply, payload) : write(payload)
    if (text === undefined) return asJson(reply, payload)
    if (!sentXml) reply.header('content-type', 'application/xml; charset=utf-8')
    weakenTag(reply)
    return text
  })
}

/** Returns the name of a new resource as text, nothing for a change; undefined where the response has more to say. */
function responseToXml(reply: FastifyReply, payload: unknown): string | undefined {
  const [document, ...others] = Object.values(Object(payload)) as unknown[]
  if (typeof document !== 'object' || document === null || Array.isArray(document) || others.length > 0)
    return undefined
  const { name } = document as { name?: unknown }
  reply.header('content-type', 'text/plain; charset=utf-8')
  return reply.statusCode === 201 ? String(name ?? '') : ''
}

function asJson(reply: FastifyReply, payload: unknown): string {
  if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json; charset=utf-8')
  return JSON.stringify(payload)
}

/** The tag is that of the JSON, which has the same content in other bytes. */
function weakenTag(reply: FastifyReply): void {
  const tag = reply.getHeader('etag')
  if (typeof tag === 'string' && !tag.startsWith('W/')) reply.header('etag', `W/${tag}`)
}
