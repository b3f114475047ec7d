import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { decodeXml } from '../xml-text.ts'
import type { ServiceName } from './answer-service.ts'
import { findServiceName, services } from './answer-service.ts'
import { KeyValues, keyValuesOf } from './key-values.ts'
import { requireWorkspace } from './named-layers.ts'
import type { OwsDeps } from './ows-deps.ts'
import { OwsFailure } from './ows-failure.ts'
import { readWcsXml } from './wcs/v2/xml-request.ts'
import { readWfsXml, xmlVersion } from './wfs/xml-request.ts'

/** Answers an XML or form body as the service that it names; default: that of the path. */
export async function answerPosted(
  deps: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { workspace, ofPath }: { workspace?: string; ofPath: ServiceName },
): Promise<unknown> {
  const { catalog, documents } = deps
  let version: string | undefined
  let service = ofPath
  try {
    if (workspace !== undefined) await requireWorkspace(catalog, request, workspace)
    const text = hasParametersOnly(request) ? '' : bodyText(request)
    if (!text.startsWith('<')) {
      const form = await documents.readForm(text)
      const values = new KeyValues([...form, ...keyValuesOf(request.originalUrl).entries()])
      service = requireService(values.find('service') ?? ofPath)
      request.usedService = services[service].countsAs
      request.usedOperation = values.find('request')
      return await services[service].answer(deps, request, reply, workspace, { values })
    }
    const root = await documents.readBody(text)
    if (root.name === 'Envelope')
      throw new OwsFailure('OperationNotSupported', 'There is no SOAP: send the request alone', 'body')
    service = requireService(root.attributes['service'] ?? ofPath)
    if (service === 'WMS' || service === 'WMTS')
      throw new OwsFailure(
        'OperationNotSupported',
        `${service} accepts key-value requests only: use GET or a form`,
        'body',
      )
    request.usedService = services[service].countsAs
    request.usedOperation = root.name
    if (service === 'WFS') version = xmlVersion(root)
    const content =
      service === 'WCS' ? readWcsXml(root) : { ...readWfsXml(root, request, documents), body: root }
    return await services[service].answer(deps, request, reply, workspace, content)
  } catch (error) {
    return services[service].sendException(reply, error, version)
  }
}

/** Returns true if the body is empty and the URL has the parameters, as some clients send requests. */
function hasParametersOnly({ body, originalUrl }: FastifyRequest): boolean {
  const isEmpty = body == null || (Buffer.isBuffer(body) && body.length === 0)
  return isEmpty && keyValuesOf(originalUrl).find('request') !== undefined
}

function invalidBody(text: string): OwsFailure {
  return new OwsFailure('OperationParsingFailed', text, 'body')
}

const xmlTypes = /^(?:text\/(?:xml|plain)|application\/(?:xml|(?!soap)[\w.-]+\+xml|x-www-form-urlencoded))$/i

/** Returns the text of the body, decoded by its byte order mark, its media type, or its XML declaration. */
function bodyText({ headers, body }: FastifyRequest): string {
  const [type = ''] = (headers['content-type'] ?? 'text/xml').split(';')
  if (!xmlTypes.test(type.trim()))
    throw new OwsFailure(
      'InvalidParameterValue',
      `Content-Type "${type.trim().slice(0, 100)}" is not read here: send text/xml or application/xml; there is no SOAP`,
      'Content-Type',
      415,
    )
  if (!Buffer.isBuffer(body) || body.length === 0) throw invalidBody('The body is empty')
  return decodeXml(body, headers['content-type'], (reason) => invalidBody(`The body ${reason}`)).trim()
}

function requireService(name: string): ServiceName {
  const service = findServiceName(name)
  if (service !== undefined) return service
  throw new OwsFailure(
    'InvalidParameterValue',
    `SERVICE "${name.slice(0, 60)}" is not available: use WFS, WCS, WMS or WMTS`,
    'service',
  )
}
