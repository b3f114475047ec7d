import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { KeyValues, keyValuesOf } from './key-values.ts'
import { requireWorkspace } from './named-layers.ts'
import type { OwsDeps } from './ows-deps.ts'
import { OwsFailure } from './ows-failure.ts'
import { sendException as sendCoverageException } from './wcs/exceptions.ts'
import { answerWcs } from './wcs/wcs.ts'
import { readWcsXml } from './wcs/xml-request.ts'
import { sendException } from './wfs/exceptions.ts'
import type { RawFeatureRequest } from './wfs/wfs.ts'
import { answerWfs } from './wfs/wfs.ts'
import type { WfsVersion } from './wfs/wfs-version.ts'
import { readWfsXml, xmlVersion } from './wfs/xml-request.ts'
import { sendException as sendMapException } from './wms/exceptions.ts'
import { answerWms } from './wms/wms.ts'
import { sendException as sendTileException } from './wmts/exceptions.ts'
import { answerWmts } from './wmts/wmts.ts'

/** Services that accept forms; the first two accept XML too. */
const postedServices = ['WFS', 'WCS', 'WMS', 'WMTS'] as const
type PostedService = (typeof postedServices)[number]

const answers = { WFS: answerWfs, WCS: answerWcs, WMS: answerWms, WMTS: answerWmts }

/** Passes an XML or form body to the service that it names; default: that of the address. */
export async function answerPosted(
  deps: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { workspace, ofAddress }: { workspace: string | undefined; ofAddress: PostedService },
): Promise<unknown> {
  let version: WfsVersion = '2.0.0'
  let service: PostedService = ofAddress
  try {
    if (workspace !== undefined) await requireWorkspace(deps.catalog, request, workspace)
    const text = isAskedByAddress(request) ? '' : bodyText(request)
    if (!text.startsWith('<')) {
      const given = await readForm(deps, request, text)
      service = requireService(given.values.find('service') ?? ofAddress)
      request.usedService = `OWS:${service}`
      request.usedOperation = given.values.find('request')
      return await answers[service](deps, request, reply, workspace, given)
    }
    const root = await deps.documents.readBody(text)
    if (root.name === 'Envelope')
      throw new OwsFailure('OperationNotSupported', 'There is no SOAP: send the request alone', 'body')
    service = requireService(root.attributes['service'] ?? ofAddress)
    if (service === 'WMS' || service === 'WMTS')
      throw new OwsFailure(
        'OperationNotSupported',
        `${service} is asked by key and value, by GET or as a form`,
        'body',
      )
    request.usedService = `OWS:${service}`
    request.usedOperation = root.name
    if (service === 'WCS') return await answerWcs(deps, request, reply, workspace, readWcsXml(root))
    version = xmlVersion(root) === '1.1.0' ? '1.1.0' : '2.0.0'
    return await answerWfs(deps, request, reply, workspace, readWfsXml(root, request, deps.documents))
  } catch (error) {
    if (service === 'WMS') return sendMapException(reply, error, '1.3.0')
    if (service === 'WMTS') return sendTileException(reply, error)
    if (service === 'WCS') return sendCoverageException(reply, error, '2.0.1')
    return sendException(reply, error, version)
  }
}

/** Some clients post nothing, to an address with all that they ask. */
function isAskedByAddress({ body, originalUrl }: FastifyRequest): boolean {
  const isEmpty = body == null || (Buffer.isBuffer(body) && body.length === 0)
  return isEmpty && keyValuesOf(originalUrl).find('request') !== undefined
}

function invalidBody(text: string): OwsFailure {
  return new OwsFailure('OperationParsingFailed', text, 'body')
}

const xmlTypes = /^(?:text\/(?:xml|plain)|application\/(?:xml|(?!soap)[\w.-]+\+xml|x-www-form-urlencoded))$/i

/** Returns the text of the body, decoded by its byte order mark, its media type, or its XML declaration. */
function bodyText({ headers, body }: FastifyRequest): string {
  const [type = '', ...parameters] = (headers['content-type'] ?? 'text/xml').split(';')
  if (!xmlTypes.test(type.trim()))
    throw new OwsFailure(
      'InvalidParameterValue',
      `Content-Type "${type.trim().slice(0, 100)}" is not read here: send text/xml or application/xml; there is no SOAP`,
      'Content-Type',
      415,
    )
  if (!Buffer.isBuffer(body) || body.length === 0) throw invalidBody('The body is empty')
  const charset = /^\s*charset\s*=\s*"?([^"\s]+)"?\s*$/i
  const named = parameters.map((one) => charset.exec(one)?.[1]).find((one) => one !== undefined)
  return decode(body, markedEncoding(body) ?? named ?? declaredEncoding(body) ?? 'utf-8').trim()
}

function markedEncoding(body: Buffer): string | undefined {
  const [first, second] = body
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined
}

function declaredEncoding(body: Buffer): string | undefined {
  const start = body.subarray(0, 200).toString('latin1')
  return /^(?:\xEF\xBB\xBF)?\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(start)?.[1]
}

function decode(body: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body)
  } catch {
    throw invalidBody(`The body is no text in "${encoding.slice(0, 40)}"`)
  }
}

async function readForm(
  { documents }: Pick<OwsDeps, 'documents'>,
  request: FastifyRequest,
  text: string,
): Promise<RawFeatureRequest> {
  const form = await documents.readForm(text)
  return { values: new KeyValues([...form, ...keyValuesOf(request.originalUrl).entries()]) }
}

function requireService(name: string): PostedService {
  const service = name.toUpperCase()
  const found = postedServices.find((one) => one === service)
  if (found !== undefined) return found
  throw new OwsFailure(
    'InvalidParameterValue',
    `SERVICE "${name.slice(0, 60)}" is not offered here: ${postedServices.join(', ')}`,
    'service',
  )
}
