import type { RequestEventType } from '../../monitoring/query/index.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keyValuesOf } from './key-values.ts'
import { requireWorkspace } from './named-layers.ts'
import type { OwsDeps } from './ows-deps.ts'
import { OwsFailure } from './ows-failure.ts'
import { sendException as sendWcsException } from './wcs/exceptions.ts'
import { nearestVersion } from './wcs/versions.ts'
import { answerWcs } from './wcs/wcs.ts'
import type { WcsRequest } from './wcs/wcs-request.ts'
import { sendException as sendWfsException } from './wfs/exceptions.ts'
import { answerWfs } from './wfs/wfs.ts'
import type { WfsRequest } from './wfs/wfs-request.ts'
import type { WfsVersion } from './wfs/wfs-version.ts'
import { sendException as sendWmsException } from './wms/exceptions.ts'
import { answerWms } from './wms/wms.ts'
import { sendException as sendWmtsException } from './wmts/exceptions.ts'
import { answerWmts } from './wmts/wmts.ts'

/** Answers a request; `content`: the parameters of a posted request, or its XML. */
type Answer = (
  deps: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
  content?: Pick<WfsRequest, 'values' | 'features' | 'body'> & Pick<WcsRequest, 'coverage'>,
) => Promise<unknown>

interface Service {
  /** Type of the recorded request event. */
  countsAs: RequestEventType
  answer: Answer
  /** Sends an exception in the format of the version in VERSION; default: the newest. */
  sendException(reply: FastifyReply, error: unknown, version?: string): FastifyReply
}

/** True for a text that starts with a number: an unreadable VERSION gets the exceptions of the newest version. */
function isNumbered(version: string | undefined): boolean {
  return version !== undefined && !Number.isNaN(Number.parseFloat(version))
}

/** Version of the exceptions of WFS for a VERSION. */
function wfsVersionOf(text: string): WfsVersion {
  if (/^(?:0|1\.0)(?:\.|$)/.test(text)) return '1.0.0'
  return olderVersion.test(text) ? '1.1.0' : '2.0.0'
}

const olderVersion = /^[01]\.[0-2](\.|$)/

const serviceNames = ['WMS', 'WFS', 'WCS', 'WMTS'] as const
/** Value of SERVICE. */
export type ServiceName = (typeof serviceNames)[number]

/** The services by the values of SERVICE. */
export const services: Record<ServiceName, Service> = {
  WMS: {
    countsAs: 'OWS:WMS',
    answer: answerWms,
    sendException: (reply, error, version = '') =>
      sendWmsException(reply, error, olderVersion.test(version) ? '1.1.1' : '1.3.0'),
  },
  WFS: {
    countsAs: 'OWS:WFS',
    answer: answerWfs,
    sendException: (reply, error, version = '') => sendWfsException(reply, error, wfsVersionOf(version)),
  },
  WCS: {
    countsAs: 'OWS:WCS',
    answer: answerWcs,
    sendException: (reply, error, version) =>
      sendWcsException(reply, error, nearestVersion(isNumbered(version) ? version : undefined)),
  },
  WMTS: { countsAs: 'OWS:WMTS', answer: answerWmts, sendException: sendWmtsException },
}

/** Finds the service of a value of SERVICE, in any case. */
export function findServiceName(name: string): ServiceName | undefined {
  const upper = name.toUpperCase()
  return serviceNames.find((one) => one === upper)
}

/** The services as the parameter SERVICE names them. */
export const offeredServices = serviceNames.join(', ')

/**
 * Answers a GET request as the service named by SERVICE; by default as that of the path, which `/ows` does not
 * have.
 */
export async function answerService(
  deps: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { workspace, ofPath }: { workspace?: string; ofPath?: ServiceName },
): Promise<unknown> {
  const values = keyValuesOf(request.originalUrl)
  const named = values.find('service')
  const name = named === undefined ? ofPath : findServiceName(named)
  const service = services[name ?? ofPath ?? 'WMS']
  if (named !== undefined && name === undefined)
    return service.sendException(
      reply,
      new OwsFailure(
        'InvalidParameterValue',
        `SERVICE "${named.slice(0, 60)}" is not available: use ${offeredServices}`,
        'service',
      ),
    )
  request.usedService = service.countsAs
  try {
    if (workspace !== undefined) await requireWorkspace(deps.catalog, request, workspace)
  } catch (error) {
    if (!(error instanceof OwsFailure)) throw error
    return service.sendException(reply, error, values.find('version'))
  }
  if (name !== undefined) return service.answer(deps, request, reply, workspace)
  const text = `The parameter SERVICE is missing: ${offeredServices}`
  return service.sendException(reply, new OwsFailure('MissingParameterValue', text, 'service'))
}

/**
 * Sends the exception document of the service that a GET request names, by SERVICE or by its path, for a
 * failure before the service was called, such as an outage while the caller's account was read.
 */
export function sendUnansweredException(reply: FastifyReply, failure: OwsFailure): FastifyReply {
  const { originalUrl, routeOptions } = reply.request
  const values = keyValuesOf(originalUrl)
  const ofPath = /\/(wms|wfs|wcs|wmts)(?=\/|$)/.exec(routeOptions.url ?? '')?.[1] ?? 'wms'
  const name = findServiceName(values.find('service') ?? ofPath) ?? 'WMS'
  return services[name].sendException(reply, failure, values.find('version'))
}
