import type { ChangeCounts } from '../../../src/stores/changes.ts'
import { writeShapefile } from '../shapefile-writer.ts'
import { wgs84 } from './part-files.ts'
import type { PointRow } from './targets.ts'

/** Expected content of a layer, in memory: for each key the round that last wrote its row. */
export type Model = ReadonlyMap<number, number>

export type Mode = 'APPEND' | 'REPLACE' | 'UPSERT'

export interface Change {
  mode: Mode
  deleteMissing: boolean
  source: Model
}

const xOf = (gid: number): number => gid % 170
const yOf = (round: number): number => round % 80
const nameOf = (gid: number, round: number): string => `place ${gid} of ${round}`

/** The rows of a model as a store is to hold them, without their ids. */
export function expectedRows(model: Model): Omit<PointRow, 'fid'>[] {
  return [...model]
    .sort(([a], [b]) => a - b)
    .map(([gid, round]) => {
      const point = Buffer.alloc(16)
      point.writeDoubleLE(xOf(gid), 0)
      point.writeDoubleLE(yOf(round), 8)
      return { gid, name: nameOf(gid, round), point: point.toString('hex') }
    })
}

/** The same as features of a collection show them, in the order of their keys. */
export function expectedFeatures(model: Model): string[] {
  return [...model]
    .sort(([a], [b]) => a - b)
    .map(([gid, round]) => [gid, nameOf(gid, round), xOf(gid), yOf(round)].join(' '))
}

/** Returns the feature to send in an edit. */
export function featureOf(gid: number, round: number): object {
  const geometry = { type: 'Point', coordinates: [xOf(gid), yOf(round)] }
  return { properties: { name: nameOf(gid, round) }, geometry }
}

/** Rows 1 to `rows`, written by round 0. */
export function firstModel(rows: number): Model {
  return new Map(Array.from({ length: rows }, (_, at) => [at + 1, 0]))
}

/** Writes a Shapefile. */
export function writeModel(path: string, model: Model): void {
  writeShapefile(path, {
    shapeType: 1,
    fields: [
      { name: 'gid', type: 'N', width: 9 },
      { name: 'name', type: 'C', width: 30 },
    ],
    rows: [...model].map(([gid, round]) => ({
      shape: { parts: [[xOf(gid), yOf(round)]] },
      values: [gid, nameOf(gid, round)],
    })),
    prj: wgs84,
  })
}

/** Some rows of a model go, some change, some come; what is appended is new as a whole. */
export function nextSource(before: Model, round: number, mode: Mode, random: () => number): Model {
  const source = new Map<number, number>()
  for (const [gid, written] of before) {
    const chance = random()
    if (mode !== 'APPEND' && chance > 0.1) source.set(gid, chance > 0.25 ? written : round)
  }
  const last = Math.max(0, ...before.keys())
  const comes = Math.round(before.size * 0.1) + 1
  for (let at = 1; at <= comes; at += 1) source.set(last + at, round)
  return source
}

export function modelAfter(before: Model, { mode, deleteMissing, source }: Change): Model {
  return mode === 'REPLACE' || deleteMissing ? source : new Map([...before, ...source])
}

/** Counts the rows added, changed, removed and unchanged, by their keys. */
export function countsBetween(before: Model, after: Model): ChangeCounts {
  const counts = { added: 0, changed: 0, removed: 0, same: 0 }
  for (const [gid, round] of after) {
    const was = before.get(gid)
    counts[was === undefined ? 'added' : was === round ? 'same' : 'changed'] += 1
  }
  for (const gid of before.keys()) if (!after.has(gid)) counts.removed += 1
  return counts
}
