import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Dialect } from '../../../core/config/settings.ts'
import type { Importer, ImportNews, NumberedNews } from '../../../importer/index.ts'
import { toStateResponse } from '../../compat/geoserver-importer.ts'
import { media } from '../../description.ts'
import { operation } from '../../endpoint.ts'
import { toFetchResponse } from './import-response.ts'
import type { DialectDeps, OpenStreams } from './importer-api-deps.ts'
import { ImportParams } from './parameters.ts'
import { requireImport } from './shown-imports.ts'

const tags = ['importer']
const heartbeatMs = 15_000
/**
 * Maximum size of events buffered for a client that does not read; a slower client is disconnected and may
 * reconnect.
 */
const maxBehindBytes = 2 ** 20

function toEventData(news: ImportNews, dialect: Dialect): object {
  const { type, ...facts } = news
  if (type === 'fetch') return { phase: 'fetch', ...toFetchResponse(news.progress) }
  if (type === 'progress') return { taskId: news.taskId, ...news.progress }
  return type === 'import' ? { ...facts, state: toStateResponse(news.state, dialect) } : facts
}

function toEvent({ id, news }: NumberedNews, dialect: Dialect): string {
  const { type } = news
  const data = toEventData(news, dialect)
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Sends the events of an import until `stream` or the server ends. */
function follow(
  { progress }: Importer,
  dialect: Dialect,
  streams: OpenStreams,
  importId: number,
  stream: Readable,
): () => void {
  const tell = (text: string): void => {
    if (stream.readableLength > maxBehindBytes) stream.destroy()
    else stream.push(text)
  }
  const stopListening = progress.listen(importId, (one) => tell(toEvent(one, dialect)))
  const heartbeat = setInterval(() => tell(': still here\n\n'), heartbeatMs)
  const end = (): void => {
    clearInterval(heartbeat)
    stopListening()
    forget()
    if (!stream.readableEnded) stream.push(null)
  }
  const forget = streams.add(end)
  stream.once('close', end)
  return end
}

/** Events of an import as they occur. */
export const watchImport = operation({
  summary: 'Progress as server-sent events',
  description:
    'An event for each change of state or progress of the import and its tasks, until the client closes the connection.',
  tags,
  params: ImportParams,
  answers: {
    200: media('Events `import`, `task`, `fetch` and `progress`, each with JSON as data', {
      'text/event-stream': Type.String(),
    }),
  },
  handle: async ({ importer, dialect, streams }: DialectDeps & { streams: OpenStreams }, request, reply) => {
    const record = await requireImport(importer, request.params.importId)
    const stream = new Readable({ read: () => undefined })
    const last = Number(request.headers['last-event-id'])
    const state = toStateResponse(record.state, dialect)
    if (Number.isFinite(last))
      for (const one of importer.progress.newsSince(record.id, last)) stream.push(toEvent(one, dialect))
    else stream.push(`event: import\ndata: ${JSON.stringify({ state })}\n\n`)
    reply.raw.once('close', follow(importer, dialect, streams, record.id, stream))
    return reply
      .header('content-type', 'text/event-stream')
      .header('cache-control', 'no-cache, no-transform')
      .header('x-accel-buffering', 'no')
      .send(stream)
  },
})
