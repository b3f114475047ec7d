import type { UsageFigures } from '../query/usage-sum.ts'
import { reportedClasses } from '../query/usage-sum.ts'
import type { FiguresBefore, ReportNumbers } from './report.ts'

/** Returns the numbers of a report from summed figures; no figures mean no requests. */
export function toNumbers(figures: UsageFigures | undefined, hasVisits: boolean): ReportNumbers {
  const { hits = 0, errors = 0, named = 0, robots = 0, bytes = 0 } = figures ?? {}
  const { people = { hits: 0, visits: 0 }, outside = { hits: 0, visits: 0 } } = figures ?? {}
  const visits = (count: number): number | null => (hasVisits ? count : null)
  const lastUse = figures?.lastUse ?? null
  return {
    hits,
    people: { hits: people.hits, visits: visits(people.visits) },
    robots,
    outside: { hits: outside.hits, visits: visits(outside.visits) },
    named,
    anonymous: hits - named,
    events: eventsOf((name) => figures?.events[name] ?? 0),
    errors,
    errorShare: hits === 0 ? null : errors / hits,
    p50: figures?.p50 ?? null,
    p95: figures?.p95 ?? null,
    p99: figures?.p99 ?? null,
    bytes,
    lastUse: lastUse === null ? null : new Date(lastUse * 1000).toISOString(),
  }
}

/** Returns the numbers of a period in which nothing was counted. */
export function nothingKnown(): ReportNumbers {
  return {
    hits: null,
    people: { hits: null, visits: null },
    robots: null,
    outside: { hits: null, visits: null },
    named: null,
    anonymous: null,
    events: eventsOf(() => null),
    errors: null,
    errorShare: null,
    p50: null,
    p95: null,
    p99: null,
    bytes: null,
    lastUse: null,
  }
}

/** Returns the figures of the compared period: null if unknown, zeros if it is known and had no requests. */
export function toBefore(
  figures: UsageFigures | undefined,
  hasVisits: boolean,
  isKnown = figures !== undefined,
): FiguresBefore | null {
  if (!isKnown) return null
  return {
    hits: figures?.hits ?? 0,
    downloads: figures?.events.downloads ?? 0,
    visits: hasVisits ? (figures?.people.visits ?? 0) : null,
  }
}

function eventsOf(count: (name: keyof UsageFigures['events']) => number | null): ReportNumbers['events'] {
  return Object.fromEntries(reportedClasses.map((name) => [name, count(name)])) as ReportNumbers['events']
}
