import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Dialect } from '../../config/settings.ts'
import type { ImportNews, NumberedNews } from '../../importer/model/model.ts'
import type { App } from '../app-types.ts'
import { ImportParams, TaskParams } from './bodies.ts'
import type { ImporterScope } from './scope.ts'
import { findImportOf, findTaskOf, staff, tags } from './scope.ts'
import { toWireFetch, toWireState } from './wire.ts'

const heartbeatMs = 15_000
/** What is kept for a client that does not read; one that is further behind is let go and may come back. */
const maxBehindBytes = 2 ** 20
const Format = Type.Object({ f: Type.Optional(Type.String({ description: 'csv or geojson' })) })

function toEventData(news: ImportNews, dialect: Dialect): object {
  const { type, ...facts } = news
  if (type === 'fetch') return { phase: 'fetch', ...toWireFetch(news.progress) }
  if (type === 'progress') return { taskId: news.taskId, ...news.progress }
  return type === 'import' ? { ...facts, state: toWireState(news.state, dialect) } : facts
}

function toEvent({ id, news }: NumberedNews, dialect: Dialect): string {
  const { type } = news
  const data = toEventData(news, dialect)
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** What an import does, as it happens; and the rows that a load rejected. */
export function addWatchRoutes(app: App, scope: ImporterScope): void {
  const { progress, kept } = scope.importer
  const { dialect } = scope.context.settings.server
  const open = new Set<() => void>()

  app.addHook('preClose', async () => {
    for (const end of open) end()
  })

  app.get(
    '/rest/imports/:importId/events',
    {
      config: staff,
      schema: { tags, summary: 'Progress as server-sent events', params: ImportParams },
    },
    async (request, reply) => {
      const record = await findImportOf(scope, request.params.importId)
      const stream = new Readable({ read: () => undefined })
      const last = Number(request.headers['last-event-id'])
      const state = toWireState(record.state, dialect)
      if (Number.isFinite(last))
        for (const one of progress.newsSince(record.id, last)) stream.push(toEvent(one, dialect))
      else stream.push(`event: import\ndata: ${JSON.stringify({ state })}\n\n`)
      const tell = (text: string): void => {
        if (stream.readableLength > maxBehindBytes) stream.destroy()
        else stream.push(text)
      }
      const stopListening = progress.listen(record.id, (one) => tell(toEvent(one, dialect)))
      const heartbeat = setInterval(() => tell(': still here\n\n'), heartbeatMs)
      const end = (): void => {
        clearInterval(heartbeat)
        stopListening()
        open.delete(end)
        if (!stream.readableEnded) stream.push(null)
      }
      open.add(end)
      stream.once('close', end)
      reply.raw.once('close', end)
      return reply
        .header('content-type', 'text/event-stream')
        .header('cache-control', 'no-cache, no-transform')
        .header('x-accel-buffering', 'no')
        .send(stream)
    },
  )

  app.get(
    '/rest/imports/:importId/tasks/:taskId/rejects',
    {
      config: staff,
      schema: {
        tags,
        summary: 'Rows that were not loaded, as GeoJSON or CSV',
        params: TaskParams,
        querystring: Format,
      },
    },
    async (request, reply) => {
      const task = await findTaskOf(scope, request.params)
      const format = request.query.f ?? request.headers.accept ?? ''
      reply.header('vary', 'accept')
      return /csv/i.test(format)
        ? reply
            .header('content-type', 'text/csv; charset=utf-8')
            .send(Readable.from(kept.readRejects(task, 'csv')))
        : reply
            .header('content-type', 'application/geo+json')
            .send(Readable.from(kept.readRejects(task, 'geojson')))
    },
  )
}
