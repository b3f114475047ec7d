import { Type } from 'typebox'
import { reportedClasses, reportGroupings } from '../../../../monitoring/query/index.ts'
import { reportComparisons } from '../../../../monitoring/report/index.ts'
import { nullable } from '../bodies.ts'

const Count = nullable(Type.Integer({ minimum: 0 }))
const Milliseconds = nullable(Type.Number({ minimum: 0 }))
const Time = nullable(Type.String({ format: 'date-time' }))

const numbers = {
  hits: Count,
  people: Type.Object({ hits: Count, visits: Count }, { description: 'Without robots' }),
  robots: Count,
  outside: Type.Object({ hits: Count, visits: Count }, { description: 'Without TERRANE_OWN_NETWORKS' }),
  named: nullable(Type.Integer({ description: 'Requests of signed-in users' })),
  anonymous: Count,
  events: Type.Object(Object.fromEntries(reportedClasses.map((name) => [name, Count])), {
    description: 'Delivered responses: GET and POST with success or 304',
  }),
  errors: nullable(Type.Integer({ description: 'Server errors (5xx) and exception documents' })),
  errorShare: nullable(Type.Number({ minimum: 0, maximum: 1 })),
  p50: Milliseconds,
  p95: Milliseconds,
  p99: Milliseconds,
  bytes: Count,
  lastUse: Time,
  before: Type.Optional(
    nullable(
      Type.Object(
        { hits: Type.Integer(), downloads: Type.Integer(), visits: Count },
        { description: 'The compared period; null where it was not counted whole' },
      ),
    ),
  ),
}

/** The response with a report. */
export const ReportReply = Type.Object({
  report: Type.Object(
    {
      from: Type.String({ description: 'First month or day' }),
      to: Type.String({ description: 'Last month or day, included' }),
      zone: Type.String({ description: 'IANA name' }),
      by: Type.Enum([...reportGroupings]),
      compare: nullable(Type.Enum([...reportComparisons])),
      before: nullable(Type.Object({ from: Type.String(), to: Type.String() })),
      since: nullable(Type.String({ description: 'First counted day of the zone' })),
      complete: Type.Boolean({ description: 'True if all days of the period are over and were counted' }),
      sumsToTotal: Type.Boolean({ description: 'False if one request can count in several rows' }),
      rows: Type.Array(
        Type.Object({
          key: Type.String({
            description: 'Layer, workspace, owner, country, program, referrer, day or month',
          }),
          href: nullable(Type.String({ format: 'uri' })),
          title: nullable(Type.String()),
          owner: nullable(Type.String()),
          ...numbers,
        }),
      ),
      total: nullable(Type.Object(numbers)),
      unused: Type.Array(
        Type.Object({
          key: Type.String(),
          title: Type.String(),
          lastUse: Time,
          rows: Count,
          sizeBytes: Count,
        }),
        { description: 'If grouped by layer: layers without a request in the period' },
      ),
      notKnown: Type.Array(
        Type.Object({ figure: Type.String(), since: nullable(Type.String()), reason: Type.String() }),
      ),
    },
    { title: 'UsageReport' },
  ),
})
