import type { OwnEventType } from '../../monitoring/model/event-types.ts'
import type { FastifyReply, FastifyRequest } from '../app-types.ts'
import { keyValuesOf } from './key-values.ts'
import { OwsFailure } from './ows-failure.ts'
import type { OwsParts } from './ows-parts.ts'
import { sendException as sendWcsException } from './wcs/exceptions.ts'
import { answerWcs } from './wcs/wcs.ts'
import { sendException as sendWfsException } from './wfs/exceptions.ts'
import { answerWfs } from './wfs/wfs.ts'
import { sendException as sendWmsException } from './wms/exceptions.ts'
import { answerWms } from './wms/wms.ts'
import { sendException as sendWmtsException } from './wmts/exceptions.ts'
import { answerWmts } from './wmts/wmts.ts'

type Answer = (
  parts: OwsParts,
  request: FastifyRequest,
  reply: FastifyReply,
  workspace: string | undefined,
) => Promise<unknown>

interface Service {
  countsAs: OwnEventType
  answer: Answer
  /** Tells a failure as the newest version of the service does. */
  refuse(reply: FastifyReply, failure: OwsFailure): FastifyReply
}

const wms: Service = {
  ...{ countsAs: 'OWS:WMS', answer: answerWms },
  refuse: (reply, failure) => sendWmsException(reply, failure, '1.3.0'),
}
const wfs: Service = {
  ...{ countsAs: 'OWS:WFS', answer: answerWfs },
  refuse: (reply, failure) => sendWfsException(reply, failure, '2.0.0'),
}
const wcs: Service = {
  ...{ countsAs: 'OWS:WCS', answer: answerWcs },
  refuse: (reply, failure) => sendWcsException(reply, failure, '2.0.1'),
}
const wmts: Service = { countsAs: 'OWS:WMTS', answer: answerWmts, refuse: sendWmtsException }
const services = new Map(Object.entries({ WMS: wms, WFS: wfs, WCS: wcs, WMTS: wmts }))

/** The services as the parameter SERVICE names them. */
export const offeredServices = [...services.keys()].join(', ')

/** Answers as the service that SERVICE names does; where it names none, as that of the address. */
function answering(ofAddress: Service): Answer {
  return async (parts, request, reply, workspace) => {
    const named = keyValuesOf(request.originalUrl).find('service')
    const service = named === undefined ? ofAddress : services.get(named.toUpperCase())
    if (service === undefined) return ofAddress.refuse(reply, unknownService(String(named)))
    request.usedService = service.countsAs
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

/** Of addresses that have a service of their own. */
export const answerAtWms: Answer = answering(wms)
export const answerAtWfs: Answer = answering(wfs)
export const answerAtWcs: Answer = answering(wcs)
export const answerAtWmts: Answer = answering(wmts)

/** Of the address that all services share. */
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
