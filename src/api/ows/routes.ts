import { Type } from 'typebox'
import type { ApiArea, App, FastifyReply, FastifyRequest } from '../app-types.ts'
import { addEndpoints, endpoint, operation } from '../endpoint.ts'
import type { ProblemWriter } from '../errors.ts'
import { answerFailures, problemWriter } from '../errors.ts'
import { urlToken } from '../url-token.ts'
import { answerService, offeredServices, sendUnansweredException, services } from './answer-service.ts'
import type { OwsDeps } from './ows-deps.ts'
import { OwsFailure } from './ows-failure.ts'
import { answerPosted } from './posted.ts'
import type { RequestDocuments } from './request-documents.ts'
import { serviceAnswers } from './service-answers.ts'
import { sendTmsError } from './tms/exceptions.ts'
import { tmsEndpoints } from './tms/routes.ts'
import { wmtsEndpoints } from './wmts/routes.ts'

const Workspace = Type.Object({
  workspace: Type.String({ description: 'Only its layers, by their names without the workspace' }),
})
const Query = Type.Object(
  {
    SERVICE: Type.Optional(Type.String()),
    VERSION: Type.Optional(Type.String()),
    REQUEST: Type.Optional(
      Type.String({ description: 'GetCapabilities, GetMap, GetFeatureInfo or GetLegendGraphic' }),
    ),
    ...urlToken,
  },
  { additionalProperties: true },
)

const wms = {
  knowsParameters: true,
  tags: ['ows'],
  isPublicRead: true,
  takesTokenInUrl: true,
  description:
    'Parameters as key-value pairs (OGC 06-042 and 01-068r3), names in upper or lower case; unknown parameters are ignored. Errors are service exception reports.',
  reported: { query: Query },
  answers: serviceAnswers,
}

const askWms = operation({
  ...wms,
  summary: 'Web Map Service 1.1.1 and 1.3.0',
  handle: (deps: OwsDeps, request, reply) => answerService(deps, request, reply, { ofPath: 'WMS' }),
})

const askWorkspaceWms = operation({
  ...wms,
  summary: 'Web Map Service 1.1.1 and 1.3.0 of a workspace',
  params: Workspace,
  handle: (deps: OwsDeps, request, reply) =>
    answerService(deps, request, reply, { ...request.params, ofPath: 'WMS' }),
})

const ows = {
  ...wms,
  description:
    'Parameters are those of the requested service. Names of parameters may be in upper or lower case; unknown parameters are ignored. Errors have the format of the service.',
  reported: {
    query: Type.Object(
      {
        SERVICE: Type.String({ description: offeredServices }),
        VERSION: Type.Optional(Type.String()),
        REQUEST: Type.Optional(Type.String()),
        ...urlToken,
      },
      { additionalProperties: true },
    ),
  },
}

const askOws = operation({
  ...ows,
  summary: `OGC services by the parameter SERVICE: ${offeredServices}`,
  handle: (deps: OwsDeps, request, reply) => answerService(deps, request, reply, {}),
})

const askWorkspaceOws = operation({
  ...ows,
  summary: `OGC services of a workspace by the parameter SERVICE: ${offeredServices}`,
  params: Workspace,
  handle: (deps: OwsDeps, request, reply) => answerService(deps, request, reply, request.params),
})

const wfs = {
  knowsParameters: true,
  tags: ['ows'],
  isPublicRead: true,
  takesTokenInUrl: true,
  description:
    'Parameters as key-value pairs (OGC 09-025r2 and 04-094), names in upper or lower case; unknown parameters are ignored. Errors are exception reports.',
  reported: {
    query: Type.Object(
      {
        SERVICE: Type.Optional(Type.String()),
        VERSION: Type.Optional(Type.String()),
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
  answers: serviceAnswers,
}

const askWfs = operation({
  ...wfs,
  summary: 'Web Feature Service 1.1.0 and 2.0.0',
  handle: (deps: OwsDeps, request, reply) => answerService(deps, request, reply, { ofPath: 'WFS' }),
})

const askWorkspaceWfs = operation({
  ...wfs,
  summary: 'Web Feature Service 1.1.0 and 2.0.0 of a workspace',
  params: Workspace,
  handle: (deps: OwsDeps, request, reply) =>
    answerService(deps, request, reply, { ...request.params, ofPath: 'WFS' }),
})

const wcs = {
  ...wfs,
  description:
    'Parameters as key-value pairs (OGC 09-110r4 and 03-065r6), names in upper or lower case; unknown parameters are ignored. Errors are exception reports.',
  reported: {
    query: Type.Object(
      {
        SERVICE: Type.Optional(Type.String()),
        VERSION: Type.Optional(Type.String()),
        REQUEST: Type.Optional(
          Type.String({ description: 'GetCapabilities, DescribeCoverage or GetCoverage' }),
        ),
        ...urlToken,
      },
      { additionalProperties: true },
    ),
  },
}

const askWcs = operation({
  ...wcs,
  summary: 'Web Coverage Service 1.0.0 and 2.0.1',
  handle: (deps: OwsDeps, request, reply) => answerService(deps, request, reply, { ofPath: 'WCS' }),
})

const askWorkspaceWcs = operation({
  ...wcs,
  summary: 'Web Coverage Service 1.0.0 and 2.0.1 of a workspace',
  params: Workspace,
  handle: (deps: OwsDeps, request, reply) =>
    answerService(deps, request, reply, { ...request.params, ofPath: 'WCS' }),
})

const wmts = {
  ...wfs,
  description:
    'Parameters as key-value pairs (OGC 07-057r7), names in upper or lower case. Tile matrix sets have the names of OGC 17-083r4 and those of GeoWebCache. Errors are exception reports.',
  reported: {
    query: Type.Object(
      {
        SERVICE: Type.Optional(Type.String()),
        VERSION: Type.Optional(Type.String()),
        REQUEST: Type.Optional(Type.String({ description: 'GetCapabilities, GetTile or GetFeatureInfo' })),
        ...urlToken,
      },
      { additionalProperties: true },
    ),
  },
}

const askWmts = operation({
  ...wmts,
  summary: 'Web Map Tile Service 1.0.0',
  handle: (deps: OwsDeps, request, reply) => answerService(deps, request, reply, { ofPath: 'WMTS' }),
})

const askWorkspaceWmts = operation({
  ...wmts,
  summary: 'Web Map Tile Service 1.0.0 of a workspace',
  params: Workspace,
  handle: (deps: OwsDeps, request, reply) =>
    answerService(deps, request, reply, { ...request.params, ofPath: 'WMTS' }),
})

const posted = {
  ...wfs,
  description:
    'The same request as XML (OGC 09-025r2 and 04-094) or as a form. Transaction changes features in one transaction; it needs the right to edit its layers. SOAP is refused with an exception report.',
  consumes: ['text/xml', 'application/xml', 'application/x-www-form-urlencoded'],
  reported: { body: Type.String(), query: Type.Object(urlToken, { additionalProperties: true }) },
  bodyLimit: ({ documents }: Pick<OwsDeps, 'documents'>) => documents.limits.bodyBytes,
}

const postWfs = operation({
  ...posted,
  summary: 'Web Feature Service 1.1.0 and 2.0.0, requested by XML',
  handle: (deps: OwsDeps, request, reply) => answerPosted(deps, request, reply, { ofPath: 'WFS' }),
})

const postWorkspaceWfs = operation({
  ...posted,
  summary: 'Web Feature Service 1.1.0 and 2.0.0 of a workspace, requested by XML',
  params: Workspace,
  handle: (deps: OwsDeps, request, reply) =>
    answerPosted(deps, request, reply, { ...request.params, ofPath: 'WFS' }),
})

const postedCoverage = { ...posted, description: 'The same request as XML (OGC 09-148r1) or as a form.' }

const postWcs = operation({
  ...postedCoverage,
  summary: 'Web Coverage Service 2.0.1, requested by XML',
  handle: (deps: OwsDeps, request, reply) => answerPosted(deps, request, reply, { ofPath: 'WCS' }),
})

const postWorkspaceWcs = operation({
  ...postedCoverage,
  summary: 'Web Coverage Service 2.0.1 of a workspace, requested by XML',
  params: Workspace,
  handle: (deps: OwsDeps, request, reply) =>
    answerPosted(deps, request, reply, { ...request.params, ofPath: 'WCS' }),
})

const postedMap = {
  ...posted,
  description: 'The same request as a form.',
  consumes: ['application/x-www-form-urlencoded'],
}

const postWms = operation({
  ...postedMap,
  summary: 'Web Map Service 1.1.1 and 1.3.0, requested by a form',
  handle: (deps: OwsDeps, request, reply) => answerPosted(deps, request, reply, { ofPath: 'WMS' }),
})

const postWorkspaceWms = operation({
  ...postedMap,
  summary: 'Web Map Service 1.1.1 and 1.3.0 of a workspace, requested by a form',
  params: Workspace,
  handle: (deps: OwsDeps, request, reply) =>
    answerPosted(deps, request, reply, { ...request.params, ofPath: 'WMS' }),
})

const postOws = operation({
  ...posted,
  summary: 'OGC services requested by a form, Web Feature Service and Web Coverage Service by XML too',
  handle: (deps: OwsDeps, request, reply) => answerPosted(deps, request, reply, { ofPath: 'WFS' }),
})

const postWorkspaceOws = operation({
  ...posted,
  summary:
    'OGC services of a workspace requested by a form, Web Feature Service and Web Coverage Service by XML too',
  params: Workspace,
  handle: (deps: OwsDeps, request, reply) =>
    answerPosted(deps, request, reply, { ...request.params, ofPath: 'WFS' }),
})

/** WMS, WFS, WCS and WMTS, at the addresses that existing clients use. */
export const owsEndpoints = [
  endpoint('GET', '/wms', 'public', 'OWS:WMS', { askWms }),
  endpoint('GET', '/:workspace/wms', 'public', 'OWS:WMS', { askWorkspaceWms }),
  endpoint('POST', '/wms', 'public', 'OWS:WMS', { postWms }),
  endpoint('POST', '/:workspace/wms', 'public', 'OWS:WMS', { postWorkspaceWms }),
  endpoint('GET', '/gwc/service/wms', 'public', 'OWS:WMS', { askCachedWms: askWms }),
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
  endpoint('GET', '/wmts', 'public', 'OWS:WMTS', { askWmts }),
  endpoint('GET', '/:workspace/wmts', 'public', 'OWS:WMTS', { askWorkspaceWmts }),
  endpoint('GET', '/gwc/service/wmts', 'public', 'OWS:WMTS', { askCachedWmts: askWmts }),
  endpoint('GET', '/:workspace/gwc/service/wmts', 'public', 'OWS:WMTS', {
    askCachedWorkspaceWmts: askWorkspaceWmts,
  }),
  ...wmtsEndpoints,
  ...tmsEndpoints,
]

/**
 * WMS, WFS, WCS and WMTS. Bodies are decoded if their encoding is known; errors of reading a body become
 * exception documents too.
 */
export function owsArea(deps: OwsDeps): ApiArea {
  return (app: App) => {
    answerFailures(app, failureWriter(deps.documents))
    app.removeAllContentTypeParsers()
    const keep = async (_request: FastifyRequest, body: Buffer): Promise<Buffer> => body
    app.addContentTypeParser('*', { parseAs: 'buffer' }, keep)
    app.addHook('onClose', () => deps.documents.close())
    addEndpoints(app, owsEndpoints, deps)
  }
}

/** Writes failures in the format of the service at the address: outages for every request, other failures for POST requests only. */
function failureWriter(documents: RequestDocuments): ProblemWriter {
  return (problem, reply: FastifyReply) => {
    const { method, server, routeOptions } = reply.request
    const { status, detail, code } = problem
    const url = routeOptions.url ?? ''
    if (method === 'POST') {
      const text =
        code === 'body-too-large'
          ? `The body has more than ${documents.limits.bodyBytes} bytes, which is the limit`
          : detail
      const failure = new OwsFailure('NoApplicableCode', text, undefined, status)
      const name = url.endsWith('/wms') ? 'WMS' : url.endsWith('/wcs') ? 'WCS' : 'WFS'
      return services[name].sendException(reply, failure)
    }
    if (status < 500) return problemWriter(server.dialect)(problem, reply)
    if (/\/tms(?=\/|$)/.test(url)) return sendTmsError(reply, status, detail)
    return sendUnansweredException(reply, new OwsFailure('NoApplicableCode', detail, undefined, status))
  }
}
