import { pagesServiceId } from '../../model/service-types.ts'
import type { CaughtException, RequestEvent } from '../../series/request-event.ts'
import type { SeriesWriter } from '../../series/series.ts'
import type { SeriesDatabase } from '../../series/series-database.ts'
import type { Classifier, RawRequest } from '../classify/raw-request.ts'
import type { LoneException, ServerException, ServerRequest } from './server-request.ts'

/** Requests that a server has answered since its last batch. */
export interface RequestBatch {
  /** Identifies the running server, such as `own:1f0c...`. */
  source: string
  /** Number of the server's batch, so that a repeated batch is not written twice. */
  number: number
  /** Milliseconds since 1970. */
  now: number
  /** Services for which requests count; requests of absent services are skipped. */
  services: { app?: number; mapserver?: number }
  requests: ServerRequest[]
  exceptions: LoneException[]
}

/** Writes a batch. A batch that was already written is ignored. */
export async function appendOwn(
  writer: Pick<SeriesWriter, 'append' | 'cursor'>,
  classifier: Classifier,
  batch: RequestBatch,
): Promise<void> {
  const { source, number, now } = batch
  const from = await writer.cursor(source)
  if (from !== undefined && Number(from.split(' ')[1]) >= number) return
  const { events, exceptions } = await classifyBatch(classifier, batch)
  const cursor = { source, from, to: `${String(now).padStart(15, '0')} ${number}` }
  if (!(await writer.append({ events, exceptions, cursor, isFrequent: true }))) {
    throw new Error('Another process writes the requests of this server')
  }
}

async function classifyBatch(
  classifier: Classifier,
  { services, requests, exceptions }: RequestBatch,
): Promise<{ events: RequestEvent[]; exceptions: CaughtException[] }> {
  const counted = requests.filter(({ service }) => services[service] !== undefined)
  const events = await classifier.classify(
    counted.map((request) => toRaw(request, services[request.service] ?? 0)),
  )
  const describe = ({ type, message, stack }: ServerException) => ({
    errorType: type,
    message: classifier.scrub(message),
    stack: classifier.scrub(stack),
  })
  const ofPages = events
    .filter((_, at) => counted[at]?.isOfPages === true)
    .map((event) => ({ ...event, serviceId: pagesServiceId(event.serviceId), isCountedOnly: true }))
  const caught: CaughtException[] = []
  for (const [at, event] of events.entries()) {
    const exception = counted[at]?.exception
    if (exception === undefined) continue
    const { serviceId, created } = event
    caught.push({ serviceId, created, ...describe(exception), request: event })
  }
  const { app } = services
  for (const exception of app === undefined ? [] : exceptions) {
    caught.push({ serviceId: app ?? 0, created: exception.created, ...describe(exception) })
  }
  return { events: [...events, ...ofPages], exceptions: caught }
}

function toRaw(
  { service: _service, exception: _exception, isOfPages: _isOfPages, ...facts }: ServerRequest,
  serviceId: number,
): RawRequest {
  return { ...facts, serviceId }
}

const cursorLifeMs = 86_400_000

/** Forgets servers that have written nothing for a day. */
export async function forgetServers(database: SeriesDatabase, now: number): Promise<void> {
  await database.run("delete from monitoring_cursors where source like 'own:%' and value < ?", [
    String(now - cursorLifeMs).padStart(15, '0'),
  ])
}
