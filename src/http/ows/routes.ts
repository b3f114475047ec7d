import { Type } from 'typebox'
import { ownValue } from '../../lib/own-value.ts'
import type { OwnEventType } from '../../monitoring/model/event-types.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { Bytes, media } from '../description.ts'
import { endpoint, operation } from '../endpoint.ts'
import { urlToken } from '../url-token.ts'
import { keyValuesOf } from './key-values.ts'
import { OwsFailure } from './ows-failure.ts'
import type { OwsParts } from './ows-parts.ts'
import { answerPosted, mostBodyBytes } from './posted.ts'
import { tmsEndpoints } from './tms/routes.ts'
import { answerWcs } from './wcs/wcs.ts'
import { answerWfs } from './wfs/wfs.ts'
import { sendException } from './wms/exceptions.ts'
import { answerWms } from './wms/wms.ts'
import { wmtsEndpoints } from './wmts/routes.ts'
import { answerWmts } from './wmts/wmts.ts'

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

const wmsAnswers = {
  'image/png': Bytes,
  'image/jpeg': Bytes,
  'image/webp': Bytes,
  'image/gif': Bytes,
  'image/tiff': Bytes,
  'text/xml': Type.String(),
  'application/vnd.ogc.wms_xml': Type.String(),
  'text/plain': Type.String(),
  'text/html': Type.String(),
  'application/json': Type.Unknown(),
  'application/geo+json': Type.Unknown(),
  'application/vnd.ogc.gml': Type.String(),
  'application/gml+xml': Type.String(),
}
const wfsAnswers = {
  'application/xml': Type.String(),
  'text/xml': Type.String(),
  'application/gml+xml': Type.String(),
  'application/json': Type.Unknown(),
  'text/csv': Type.String(),
  'application/zip': Bytes,
}

const wcsAnswers = {
  'application/xml': Type.String(),
  'image/tiff': Bytes,
  'image/png': Bytes,
  'image/jpeg': Bytes,
}

const wms = {
  knowsParameters: true,
  tags: ['ows'],
  isPublicRead: true,
  takesTokenInUrl: true,
  description:
    'By key and value, names in any case, as OGC 06-042 and 01-068r3 say; parameters that they do not know are ignored. What fails is told by a service exception report.',
  told: { query: Query },
  answers: {
    200: media('What was asked for', wmsAnswers),
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

interface Service {
  countsAs: OwnEventType
  answer: (
    parts: OwsParts,
    request: FastifyRequest,
    reply: FastifyReply,
    workspace: string | undefined,
  ) => Promise<unknown>
}

/** Services that one address answers, by the parameter SERVICE. */
const services: Record<string, Service> = {
  WMS: { countsAs: 'OWS:WMS', answer: answerWms },
  WFS: { countsAs: 'OWS:WFS', answer: answerWfs },
  WCS: { countsAs: 'OWS:WCS', answer: answerWcs },
  WMTS: { countsAs: 'OWS:WMTS', answer: answerWmts },
}
const offered = Object.keys(services).join(', ')

/** Asks the service that the request names. */
function answerOws(
  parts: OwsParts,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
): Promise<unknown> | FastifyReply {
  const named = keyValuesOf(request.originalUrl).find('service')
  const service = ownValue(services, named?.toUpperCase() ?? '')
  if (service !== undefined) {
    request.usedService = service.countsAs
    return service.answer(parts, request, reply, workspace)
  }
  const text =
    named === undefined
      ? `The parameter SERVICE is missing: ${offered}`
      : `SERVICE "${named}" is not offered here: ${offered}`
  const code = named === undefined ? 'MissingParameterValue' : 'InvalidParameterValue'
  return sendException(reply, new OwsFailure(code, text, 'service'), '1.3.0')
}

const ows = {
  ...wms,
  description:
    'As the service that is asked: names of parameters in any case; those that it does not know are ignored. What fails is told by its exceptions.',
  told: {
    query: Type.Object(
      {
        SERVICE: Type.String({ description: offered }),
        ...{ VERSION: Type.Optional(Type.String()), REQUEST: Type.Optional(Type.String()) },
        ...urlToken,
      },
      { additionalProperties: true },
    ),
  },
  answers: { 200: media('What was asked for', { ...wmsAnswers, ...wfsAnswers, ...wcsAnswers }) },
}

const askOws = operation({
  ...ows,
  summary: `OGC services by the parameter SERVICE: ${offered}`,
  handle: (parts: OwsParts, request, reply) => answerOws(parts, request, reply, undefined),
})

const askWorkspaceOws = operation({
  ...ows,
  summary: `OGC services of a workspace by the parameter SERVICE: ${offered}`,
  params: Workspace,
  handle: (parts: OwsParts, request, reply) => answerOws(parts, request, reply, request.params.workspace),
})

const wfs = {
  knowsParameters: true,
  tags: ['ows'],
  isPublicRead: true,
  takesTokenInUrl: true,
  description:
    'By key and value, names in any case, as OGC 09-025r2 and 04-094 say; parameters that they do not know are ignored. What fails is told by an exception report.',
  told: {
    query: Type.Object(
      {
        ...{ SERVICE: Type.Optional(Type.String()), VERSION: Type.Optional(Type.String()) },
        REQUEST: Type.Optional(
          Type.String({
            description: 'GetCapabilities, DescribeFeatureType, GetFeature or GetPropertyValue',
          }),
        ),
        ...urlToken,
      },
      { additionalProperties: true },
    ),
  },
  answers: {
    200: media('What was asked for', wfsAnswers),
  },
}

const askWfs = operation({
  ...wfs,
  summary: 'Web Feature Service 1.1.0 and 2.0.0',
  handle: (parts: OwsParts, request, reply) => answerWfs(parts, request, reply, undefined),
})

const askWorkspaceWfs = operation({
  ...wfs,
  summary: 'Web Feature Service 1.1.0 and 2.0.0 of a workspace',
  params: Workspace,
  handle: (parts: OwsParts, request, reply) => answerWfs(parts, request, reply, request.params.workspace),
})

const wcs = {
  ...wfs,
  description:
    'By key and value, names in any case, as OGC 09-110r4 and 03-065r6 say; parameters that they do not know are ignored. What fails is told by an exception report.',
  told: {
    query: Type.Object(
      {
        ...{ SERVICE: Type.Optional(Type.String()), VERSION: Type.Optional(Type.String()) },
        REQUEST: Type.Optional(
          Type.String({ description: 'GetCapabilities, DescribeCoverage or GetCoverage' }),
        ),
        ...urlToken,
      },
      { additionalProperties: true },
    ),
  },
  answers: { 200: media('What was asked for', wcsAnswers) },
}

const askWcs = operation({
  ...wcs,
  summary: 'Web Coverage Service 1.0.0 and 2.0.1',
  handle: (parts: OwsParts, request, reply) => answerWcs(parts, request, reply, undefined),
})

const askWorkspaceWcs = operation({
  ...wcs,
  summary: 'Web Coverage Service 1.0.0 and 2.0.1 of a workspace',
  params: Workspace,
  handle: (parts: OwsParts, request, reply) => answerWcs(parts, request, reply, request.params.workspace),
})

const posted = {
  ...wfs,
  description:
    'The same as XML, as OGC 09-025r2 and 04-094 say, or as a form of keys and values. Features are changed elsewhere: Transaction and SOAP are refused by an exception report.',
  consumes: ['text/xml', 'application/xml', 'application/x-www-form-urlencoded'],
  told: { body: Type.String(), query: Type.Object(urlToken, { additionalProperties: true }) },
  bodyLimit: () => mostBodyBytes,
}

const postWfs = operation({
  ...posted,
  summary: 'Web Feature Service 1.1.0 and 2.0.0, asked by XML',
  handle: (parts: OwsParts, request, reply) =>
    answerPosted(parts, request, reply, { workspace: undefined, ofAddress: 'WFS' }),
})

const postWorkspaceWfs = operation({
  ...posted,
  summary: 'Web Feature Service 1.1.0 and 2.0.0 of a workspace, asked by XML',
  params: Workspace,
  handle: (parts: OwsParts, request, reply) =>
    answerPosted(parts, request, reply, { ...request.params, ofAddress: 'WFS' }),
})

const postedCoverage = {
  ...posted,
  description: 'The same as XML, as OGC 09-148r1 says, or as a form of keys and values.',
  answers: { 200: media('What was asked for', wcsAnswers) },
}

const postWcs = operation({
  ...postedCoverage,
  summary: 'Web Coverage Service 2.0.1, asked by XML',
  handle: (parts: OwsParts, request, reply) =>
    answerPosted(parts, request, reply, { workspace: undefined, ofAddress: 'WCS' }),
})

const postWorkspaceWcs = operation({
  ...postedCoverage,
  summary: 'Web Coverage Service 2.0.1 of a workspace, asked by XML',
  params: Workspace,
  handle: (parts: OwsParts, request, reply) =>
    answerPosted(parts, request, reply, { ...request.params, ofAddress: 'WCS' }),
})

const postedOws = {
  ...posted,
  answers: { 200: media('What was asked for', { ...wfsAnswers, ...wcsAnswers }) },
}

const postOws = operation({
  ...postedOws,
  summary:
    'Web Feature Service and Web Coverage Service asked by XML, the only ones of the services here that are',
  handle: (parts: OwsParts, request, reply) =>
    answerPosted(parts, request, reply, { workspace: undefined, ofAddress: 'WFS' }),
})

const postWorkspaceOws = operation({
  ...postedOws,
  summary: 'Web Feature Service and Web Coverage Service of a workspace asked by XML',
  params: Workspace,
  handle: (parts: OwsParts, request, reply) =>
    answerPosted(parts, request, reply, { ...request.params, ofAddress: 'WFS' }),
})

/** The older services of OGC, at the addresses that clients have kept. */
export const owsEndpoints = [
  endpoint('GET', '/wms', 'public', 'OWS:WMS', { askWms }),
  endpoint('GET', '/:workspace/wms', 'public', 'OWS:WMS', { askWorkspaceWms }),
  endpoint('GET', '/wfs', 'public', 'OWS:WFS', { askWfs }),
  endpoint('GET', '/:workspace/wfs', 'public', 'OWS:WFS', { askWorkspaceWfs }),
  endpoint('GET', '/wcs', 'public', 'OWS:WCS', { askWcs }),
  endpoint('GET', '/:workspace/wcs', 'public', 'OWS:WCS', { askWorkspaceWcs }),
  endpoint('GET', '/ows', 'public', 'OWS:WMS', { askOws }),
  endpoint('GET', '/:workspace/ows', 'public', 'OWS:WMS', { askWorkspaceOws }),
  endpoint('POST', '/wfs', 'public', 'OWS:WFS', { postWfs }),
  endpoint('POST', '/:workspace/wfs', 'public', 'OWS:WFS', { postWorkspaceWfs }),
  endpoint('POST', '/wcs', 'public', 'OWS:WCS', { postWcs }),
  endpoint('POST', '/:workspace/wcs', 'public', 'OWS:WCS', { postWorkspaceWcs }),
  endpoint('POST', '/ows', 'public', 'OWS:WFS', { postOws }),
  endpoint('POST', '/:workspace/ows', 'public', 'OWS:WFS', { postWorkspaceOws }),
  ...wmtsEndpoints,
  ...tmsEndpoints,
]
