import type { ListedException, ServiceRecord, WholeException } from '../../../../monitoring/query/index.ts'
import type { MonitoringNames } from '../../../compat/geonode-monitoring.ts'

interface Around {
  wire: MonitoringNames
  service: Pick<ServiceRecord, 'name' | 'type'> | undefined
}

/** An exception as the list shows it; `path` is that of the list. */
export function toListedException(
  exception: ListedException,
  { path, ...around }: Around & { path: string },
) {
  const { id, errorType, created } = exception
  return {
    id,
    url: `${path}/${id}/`,
    error_type: errorType,
    service: toServiceResponse(around),
    created: around.wire.time(created),
  }
}

/** Returns all fields of an exception; without a request its request fields are null. */
export function toExceptionResponse(exception: WholeException, around: Around) {
  const { errorType, message, stack, created } = exception
  return {
    error_type: errorType,
    error_message: message,
    error_data: stack,
    service: toServiceResponse(around),
    created: around.wire.time(created),
    request: toRequestResponse(exception, around),
  }
}

function toServiceResponse({ service, wire }: Around) {
  return service === undefined ? null : { type: wire.serviceType(service.type), name: service.name }
}

function toRequestResponse({ request = {}, resources }: WholeException, { wire }: Around) {
  const { eventType, created, milliseconds } = request
  return {
    event_type: eventType == null ? null : wire.eventType(eventType),
    client: {
      ip: request.clientIp ?? null,
      position: {
        lat: request.latitude ?? null,
        lon: request.longitude ?? null,
        country: request.country ?? null,
        city: request.city ?? null,
      },
      user_agent: request.userAgent ?? null,
      user_agent_family: request.userAgentFamily ?? null,
    },
    request: {
      path: request.path ?? null,
      host: request.host ?? null,
      method: request.method ?? null,
      created: created === undefined ? null : wire.time(created),
    },
    response: {
      status: request.status ?? null,
      time: milliseconds == null ? null : Math.round(milliseconds),
      type: request.contentType ?? null,
      size: request.sizeBytes ?? null,
    },
    resources,
  }
}
