import { counter, gauge } from './exported-metric.ts'

export const exceptionsTotal = counter(
  {
    name: 'terrane_exceptions_total',
    help: 'Requests that ended with a 5xx status, and jobs that failed.',
    labels: ['source'],
  },
  (exceptions, events) => {
    for (const source of ['request', 'job']) exceptions.inc({ source }, 0)
    return [
      events.on('request.finished', ({ status }) => {
        if (status >= 500) exceptions.inc({ source: 'request' })
      }),
      events.on('exception.caught', () => exceptions.inc({ source: 'job' })),
    ]
  },
)

export const workEnded = counter(
  {
    name: 'terrane_work_ended_total',
    help: 'Loads and jobs that were ended because they made no progress and ignored their signal, or whose thread or process died.',
    labels: ['kind'],
  },
  (ended, events) => {
    for (const kind of ['load', 'job']) ended.inc({ kind }, 0)
    return [events.on('work.ended', ({ kind }) => ended.inc({ kind }))]
  },
)

const clients = ['address', 'user'] as const

export const heavyWorkSeconds = counter(
  {
    name: 'terrane_heavy_work_seconds_total',
    help: 'Seconds of workers that heavy requests took, of anonymous clients (address) and of users.',
    labels: ['client'],
  },
  (seconds, events) => {
    for (const client of clients) seconds.inc({ client }, 0)
    return [events.on('heavy-work.ended', ({ client, seconds: more }) => seconds.inc({ client }, more))]
  },
)

export const heavyWorkRefused = counter(
  {
    name: 'terrane_heavy_work_refused_total',
    help: 'Requests refused with 429, since their client had used up its time for heavy work.',
    labels: ['client'],
  },
  (refused, events) => {
    for (const client of clients) refused.inc({ client }, 0)
    return [events.on('heavy-work.refused', ({ client }) => refused.inc({ client }))]
  },
)

export const importsTotal = counter(
  {
    name: 'terrane_imports_total',
    help: 'Runs of imports by the state that they ended in.',
    labels: ['state'],
  },
  (imports, events) => [events.on('import.completed', ({ state }) => imports.inc({ state }))],
)

export const layersPublished = counter(
  {
    name: 'terrane_layers_published_total',
    help: 'Layers that imports made, replaced or added to.',
    labels: ['mode'],
  },
  (published, events) => [events.on('layer.published', ({ mode }) => published.inc({ mode }))],
)

export const rowsLoaded = counter(
  { name: 'terrane_rows_loaded_total', help: 'Rows, and granules of mosaics, that imports loaded.' },
  (loaded, events) => [events.on('layer.published', ({ rows }) => loaded.inc(rows))],
)

export const loadsRunning = gauge(
  {
    name: 'terrane_loads_running',
    help: 'Loads, inspections of data and chains of raster tools that are running.',
  },
  ({ loads }) =>
    () =>
      loads().running,
)

export const loadsQueued = gauge(
  { name: 'terrane_loads_queued', help: 'Queued loads, inspections and chains of raster tools.' },
  ({ loads }) =>
    () =>
      loads().queued,
)
