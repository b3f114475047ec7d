import { Type } from 'typebox'
import { hasRole } from '../../../access/index.ts'
import type { Catalog } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { Clock } from '../../../core/time/clock.ts'
import { isZone } from '../../../core/values/zone-days.ts'
import type { Importer } from '../../../importer/index.ts'
import type { Notifications } from '../../../monitoring/index.ts'
import type { FastifyRequest } from '../../app-types.ts'
import { countReaders } from '../../compat/dialect.ts'
import { operation } from '../../endpoint.ts'
import { healthLevel } from '../monitoring/checks/responses.ts'
import type { DayTotals, RequestsToday } from './requests-today.ts'

/** Dependencies of the server's state. */
interface StateDeps {
  catalog: Pick<Catalog, 'cards' | 'availability'>
  imports: Pick<Importer['kept'], 'countUnfinished'>
  clock: Clock
  /** IANA name of the time zone whose days are meant where none is named. */
  zone: string
  /** Absent where monitoring is off. */
  counted: { requests: RequestsToday; notifications: Pick<Notifications, 'problems'> } | undefined
}

const Count = Type.Integer({ minimum: 0 })
const Day = Type.Object({
  from: Type.String(),
  to: Type.String({ description: 'The last complete minute, or the last hour if only hours are stored' }),
  requests: Count,
  failed: Type.Integer({ minimum: 0, description: 'Responses with status 400 or higher' }),
})
const ByState = Type.Record(Type.String(), Count)

const State = Type.Object(
  {
    state: Type.Object({
      time: Type.String(),
      zone: Type.String({ description: 'Time zone of the days' }),
      layers: Type.Object({
        total: Count,
        public: Count,
        problems: Type.Optional(Type.Integer({ description: 'Layers with a problem' })),
      }),
      requests: Type.Optional(
        Type.Object(
          { today: Day, weekAgo: Day },
          {
            description:
              'All monitored servers, today and a week ago up to this time of day; without requests of the pages of this server, unless `traffic` is `all`',
          },
        ),
      ),
      alerts: Type.Optional(
        Type.Object({
          raised: Type.Integer({ description: 'Checks with problems' }),
          level: Type.String({ description: '`ok`, or the worst severity' }),
        }),
      ),
      imports: Type.Optional(
        Type.Object(
          { states: ByState, tasks: ByState },
          { description: 'Imports by state, and imports by the state of their tasks, without COMPLETE' },
        ),
      ),
    }),
  },
  { title: 'State' },
)

export const showState = operation({
  summary: 'Show the state of the server in numbers',
  description:
    'Counts the layers that the caller may read. Includes request metrics for callers who may read them, alerts for users, and unfinished imports for staff.',
  tags: ['server'],
  isPublicRead: true,
  query: Type.Object({
    zone: Type.Optional(
      Type.String({
        description: 'Time zone such as `Europe/Berlin` whose days are meant; default that of the server',
      }),
    ),
    traffic: Type.Optional(
      Type.Enum(['others', 'all'], {
        description: 'Requests to count: `all` includes requests of the pages of this server',
      }),
    ),
  }),
  answers: { 200: State },
  handle: async (deps: StateDeps, request) => {
    const { zone = deps.zone, traffic } = request.query
    if (!isZone(zone))
      throw invalid(
        'invalid-parameter',
        `"zone" must be the IANA name of a time zone such as Europe/Berlin, found "${zone}"`,
      )
    const time = deps.clock.now().toISOString()
    const [layers, requests, alerts, imports] = await Promise.all([
      layersOf(deps.catalog, request),
      requestsOf(deps.counted, request, { zone, isWithPages: traffic === 'all' }),
      alertsOf(deps.counted, request),
      importsOf(deps.imports, request),
    ])
    return { state: { time, zone, layers, ...requests, ...alerts, ...imports } }
  },
})

async function layersOf(
  { cards, availability }: Pick<Catalog, 'cards' | 'availability'>,
  request: FastifyRequest,
) {
  const set = (await cards.now()).readableBy(await request.rights())
  let open = 0
  for (const card of set.byId.values()) if (set.isPublic(card)) open += 1
  if (!hasRole(request.caller, 'user')) return { total: open, public: open }
  await availability.refresh()
  let problems = 0
  for (const card of set.byId.values()) if (availability.problemOf(card) !== undefined) problems += 1
  return { total: set.byId.size, public: open, problems }
}

async function requestsOf(
  counted: StateDeps['counted'],
  { caller, server }: FastifyRequest,
  { zone, isWithPages }: { zone: string; isWithPages: boolean },
) {
  if (counted === undefined || !hasRole(caller, countReaders[server.dialect])) return {}
  const { today, weekAgo } = await counted.requests.in(zone, isWithPages)
  return { requests: { today: toDayResponse(today), weekAgo: toDayResponse(weekAgo) } }
}

function toDayResponse({ from, to, requests, failed }: DayTotals) {
  const text = (seconds: number): string => new Date(seconds * 1000).toISOString()
  return { from: text(from), to: text(to), requests, failed }
}

async function alertsOf(counted: StateDeps['counted'], { caller }: FastifyRequest) {
  if (counted === undefined || !hasRole(caller, 'user')) return {}
  const found = await counted.notifications.problems()
  return { alerts: { raised: found.length, level: healthLevel(found) } }
}

async function importsOf(imports: Pick<Importer['kept'], 'countUnfinished'>, { caller }: FastifyRequest) {
  if (!hasRole(caller, 'staff')) return {}
  const { imports: states, tasks } = await imports.countUnfinished()
  return { imports: { states, tasks } }
}
