import type { RequestEventType } from '../../monitoring/model/event-types.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keyValuesOf } from './key-values.ts'
import { requireWorkspace } from './named-layers.ts'
import type { OwsDeps } from './ows-deps.ts'
import { OwsFailure } from './ows-failure.ts'
import { sendException as sendWcsException } from './wcs/exceptions.ts'
import { answerWcs } from './wcs/wcs.ts'
import { sendException as sendWfsException } from './wfs/exceptions.ts'
import { answerWfs } from './wfs/wfs.ts'
import { sendException as sendWmsException } from './wms/exceptions.ts'
import { answerWms } from './wms/wms.ts'
import { sendException as sendWmtsException } from './wmts/exceptions.ts'
import { answerWmts } from './wmts/wmts.ts'

type Answer = (
  parts: OwsDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
) => Promise<unknown>

interface Service {
  countsAs: RequestEventType
  answer: Answer
  /** Sends a failure as the version of the service that VERSION names does; default: the newest. */
  refuse(reply: FastifyReply, failure: OwsFailure, version?: string): FastifyReply
}

const olderVersion = /^[01]\.[0-2](\.|$)/

const wms: Service = {
  countsAs: 'OWS:WMS',
  answer: answerWms,
  refuse: (reply, failure, version = '') =>
    sendWmsException(reply, failure, olderVersion.test(version) ? '1.1.1' : '1.3.0'),
}
const wfs: Service = {
  countsAs: 'OWS:WFS',
  answer: answerWfs,
  refuse: (reply, failure, version = '') =>
    sendWfsException(reply, failure, olderVersion.test(version) ? '1.1.0' : '2.0.0'),
}
const wcs: Service = {
  countsAs: 'OWS:WCS',
  answer: answerWcs,
  refuse: (reply, failure, version = '') =>
    sendWcsException(reply, failure, olderVersion.test(version) ? '1.0.0' : '2.0.1'),
}
const wmts: Service = {
  countsAs: 'OWS:WMTS',
  answer: answerWmts,
  refuse: (reply, failure) => sendWmtsException(reply, failure),
}
const services = new Map(Object.entries({ WMS: wms, WFS: wfs, WCS: wcs, WMTS: wmts }))

/** The services as the parameter SERVICE names them. */
export const offeredServices = [...services.keys()].join(', ')

/** Responds as the service named by SERVICE; by default as that of the address. */
function answering(ofAddress: Service): Answer {
  return async (parts, request, reply, workspace) => {
    const named = keyValuesOf(request.originalUrl).find('service')
    const service = named === undefined ? ofAddress : services.get(named.toUpperCase())
    if (service === undefined) return ofAddress.refuse(reply, unknownService(String(named)))
    request.usedService = service.countsAs
    try {
      if (workspace !== undefined) await requireWorkspace(parts.catalog, request, workspace)
    } catch (error) {
      if (!(error instanceof OwsFailure)) throw error
      return service.refuse(reply, error, keyValuesOf(request.originalUrl).find('version'))
    }
    return service.answer(parts, request, reply, workspace)
  }
}

function unknownService(name: string): OwsFailure {
  return new OwsFailure(
    'InvalidParameterValue',
    `SERVICE "${name.slice(0, 60)}" is not offered here: ${offeredServices}`,
    'service',
  )
}

/** Addresses of one service. */
export const answerAtWms: Answer = answering(wms)
export const answerAtWfs: Answer = answering(wfs)
export const answerAtWcs: Answer = answering(wcs)
export const answerAtWmts: Answer = answering(wmts)

/** The address shared by all services. */
export const answerAtOws: Answer = answering({
  ...wms,
  answer: async (_parts, _request, reply) =>
    wms.refuse(
      reply,
      new OwsFailure(
        'MissingParameterValue',
        `The parameter SERVICE is missing: ${offeredServices}`,
        'service',
      ),
    ),
})

/**
 * Sends the exception document of the service that a GET request names, by SERVICE or by its path, for a
 * failure before the service was called, such as an outage while the caller's account was read.
 */
export function refuseUnasked(reply: FastifyReply, failure: OwsFailure): FastifyReply {
  const { originalUrl, routeOptions } = reply.request
  const values = keyValuesOf(originalUrl)
  const ofPath = /\/(wms|wfs|wcs|wmts)(?=\/|$)/.exec(routeOptions.url ?? '')?.[1] ?? 'wms'
  const service = services.get((values.find('service') ?? ofPath).toUpperCase()) ?? wms
  return service.refuse(reply, failure, values.find('version'))
}
