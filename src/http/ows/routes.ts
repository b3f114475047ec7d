import { Type } from 'typebox'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { Bytes, media } from '../description.ts'
import { endpoint, operation } from '../endpoint.ts'
import { urlToken } from '../url-token.ts'
import { keyValuesOf } from './key-values.ts'
import { OwsFailure } from './ows-failure.ts'
import type { OwsParts } from './ows-parts.ts'
import { sendException } from './wms/exceptions.ts'
import { answerWms } from './wms/wms.ts'

const Workspace = Type.Object({
  workspace: Type.String({ description: 'Only its layers, by their names alone' }),
})
const Query = Type.Object(
  {
    ...{ SERVICE: Type.Optional(Type.String()), VERSION: Type.Optional(Type.String()) },
    REQUEST: Type.Optional(
      Type.String({ description: 'GetCapabilities, GetMap, GetFeatureInfo or GetLegendGraphic' }),
    ),
    ...urlToken,
  },
  { additionalProperties: true },
)

const wms = {
  tags: ['ows'],
  isPublicRead: true,
  takesTokenInUrl: true,
  description:
    'By key and value, names in any case, as OGC 06-042 and 01-068r3 say; parameters that they do not know are ignored. What fails is told by a service exception report.',
  told: { query: Query },
  answers: {
    200: media('What was asked for', {
      'image/png': Bytes,
      'image/jpeg': Bytes,
      'text/xml': Type.String(),
      'application/vnd.ogc.wms_xml': Type.String(),
      'text/plain': Type.String(),
      'text/html': Type.String(),
      'application/json': Type.Unknown(),
      'application/geo+json': Type.Unknown(),
    }),
  },
}

const askWms = operation({
  ...wms,
  summary: 'Web Map Service 1.1.1 and 1.3.0',
  handle: (parts: OwsParts, request, reply) => answerWms(parts, request, reply, undefined),
})

const askWorkspaceWms = operation({
  ...wms,
  summary: 'Web Map Service 1.1.1 and 1.3.0 of a workspace',
  params: Workspace,
  handle: (parts: OwsParts, request, reply) => answerWms(parts, request, reply, request.params.workspace),
})

/** Asks the service that the request names. */
function answerOws(
  parts: OwsParts,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
): Promise<unknown> | FastifyReply {
  const service = keyValuesOf(request.originalUrl).find('service')
  if (service?.toUpperCase() === 'WMS') return answerWms(parts, request, reply, workspace)
  const text =
    service === undefined
      ? 'The parameter SERVICE is missing: WMS'
      : `SERVICE "${service}" is not offered here: WMS`
  const code = service === undefined ? 'MissingParameterValue' : 'InvalidParameterValue'
  return sendException(reply, new OwsFailure(code, text, 'service'), '1.3.0')
}

const askOws = operation({
  ...wms,
  summary: 'OGC services by the parameter SERVICE: WMS',
  handle: (parts: OwsParts, request, reply) => answerOws(parts, request, reply, undefined),
})

const askWorkspaceOws = operation({
  ...wms,
  summary: 'OGC services of a workspace by the parameter SERVICE: WMS',
  params: Workspace,
  handle: (parts: OwsParts, request, reply) => answerOws(parts, request, reply, request.params.workspace),
})

/** The older services of OGC, at the addresses that clients have kept. */
export const owsEndpoints = [
  endpoint('GET', '/wms', 'public', 'OWS:WMS', { askWms }),
  endpoint('GET', '/:workspace/wms', 'public', 'OWS:WMS', { askWorkspaceWms }),
  endpoint('GET', '/ows', 'public', 'OWS:WMS', { askOws }),
  endpoint('GET', '/:workspace/ows', 'public', 'OWS:WMS', { askWorkspaceOws }),
]
