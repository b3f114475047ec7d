import { classifyOws } from '../classify/ows.ts'
import type { RawRequest } from '../classify/raw-request.ts'
import type { CollectedService } from '../service-collector.ts'
import type { LogLine } from './log-line.ts'

const maxPathLength = 2000
const maxTextLength = 500

/** Makes requests of the lines of a service's log. */
export function requestMaker({ id, url }: CollectedService): (line: LogLine) => RawRequest {
  const ownHost = URL.canParse(url) ? new URL(url).host : ''
  return (line) => {
    const isRequest = line.path !== ''
    const use = isRequest ? classifyOws(line.path, line.query) : undefined
    return {
      serviceId: id,
      created: line.created,
      eventType: use === undefined ? (isRequest ? 'mapserver' : null) : use.eventType,
      method: line.method,
      path: line.path.slice(0, maxPathLength),
      host: (line.host ?? ownHost).slice(0, maxTextLength),
      status: line.status,
      sizeBytes: line.sizeBytes,
      milliseconds: line.milliseconds ?? undefined,
      userAgent: line.userAgent?.slice(0, maxTextLength),
      clientIp: line.client,
      userName: line.user?.slice(0, maxTextLength),
      resources: use?.layers.map((name) => ({ type: 'layer' as const, name })) ?? [],
      errorType: line.status >= 500 ? `HTTP ${line.status}` : undefined,
    }
  }
}
