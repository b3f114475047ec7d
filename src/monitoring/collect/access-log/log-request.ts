import { layerNamer, requestedLayers } from '../classify/layer-names.ts'
import { classifyOws } from '../classify/ows.ts'
import type { RawRequest } from '../classify/raw-request.ts'
import type { CollectedService } from '../service-collector.ts'
import type { LogLine } from './log-line.ts'

/** Returns a function that converts log lines of a service to requests. */
export function requestMaker({ id, url, server }: CollectedService): (line: LogLine) => RawRequest {
  const ownHost = URL.canParse(url) ? new URL(url).host : ''
  const toName = layerNamer(server, url)
  return (line) => {
    const isRequest = line.path !== ''
    const use = isRequest ? classifyOws(line.path, line.query) : undefined
    return {
      serviceId: id,
      created: line.created,
      eventType: use === undefined ? 'mapserver' : use.eventType,
      method: isRequest ? line.method : '-',
      path: isRequest ? line.path : '-',
      host: line.host ?? ownHost,
      status: line.status,
      sizeBytes: line.sizeBytes,
      milliseconds: line.milliseconds ?? undefined,
      contentType: line.contentType ?? undefined,
      operation: use?.operation,
      target: isRequest && line.query !== '' ? `${line.path}?${line.query}` : undefined,
      userAgent: line.userAgent ?? undefined,
      referer: line.referer ?? undefined,
      clientIp: line.client,
      userName: line.user ?? undefined,
      resources: requestedLayers(use?.layers ?? [], (name) => toName(name, line.path)),
      errorType: line.status >= 500 ? `HTTP ${line.status}` : undefined,
    }
  }
}
