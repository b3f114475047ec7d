import type { PrivacyMode } from '../../../config/monitoring-settings.ts'
import type { RequestEvent } from '../../series/request-event.ts'
import type { Classifier, RawRequest } from './raw-request.ts'

export interface ClassifierOptions {
  privacy: PrivacyMode
}

/** Makes events of requests, with nothing in them that may not be stored. */
export function createClassifier(_options: ClassifierOptions): Classifier {
  return { classify: async (requests) => requests.map(toEvent) }
}

function toEvent({ path, ...raw }: RawRequest): RequestEvent {
  return {
    serviceId: raw.serviceId,
    created: raw.created,
    eventType: raw.eventType,
    method: raw.method,
    path: path.split(/[?#]/, 1)[0] ?? '',
    host: raw.host,
    status: raw.status,
    sizeBytes: raw.sizeBytes,
    milliseconds: raw.milliseconds ?? null,
    contentType: raw.contentType ?? null,
    userAgent: raw.userAgent ?? null,
    userAgentFamily: null,
    clientIp: null,
    country: null,
    region: null,
    city: null,
    latitude: null,
    longitude: null,
    visitor: null,
    userName: null,
    resources: raw.resources,
    errorType: raw.errorType ?? null,
  }
}
