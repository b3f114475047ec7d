import { setImmediate } from 'node:timers/promises'
import { readyFor, rowFilter } from '../../../filters/row-filter.ts'
import type { PlacedRows } from '../../../formats/worker.ts'
import type { AreaTest } from '../../../geo/area-test.ts'
import { areaTest } from '../../../geo/polygon-test.ts'
import type { FeatureQuery } from '../../store.ts'
import type { FileIndex } from './open-index.ts'
import { allPositions, IndexRowSet } from './row-set.ts'
import { rowsChanged } from './stamp.ts'

export type FeatureFilter = Pick<FeatureQuery, 'bboxes' | 'time' | 'featureId' | 'featureIds' | 'filter'>

/** Data that filters use in addition to the index. */
export interface MatchSource {
  index: FileIndex
  /** Opens the geometries, for rows whose envelope is inconclusive. */
  openGeometries(): Promise<PlacedRows>
  /** Opens whole rows. */
  openRows(): Promise<PlacedRows>
  signal: AbortSignal
}

const turnMs = 10
const pieceRows = 2048
const microsPerMs = 1000
const lastMicroOfDay = 86_400_000_000 - 1

/** Runs a search and yields to other work at intervals. */
async function runInSlices(search: Generator<void>, signal: AbortSignal): Promise<void> {
  let turn = performance.now()
  for (const _piece of search) {
    if (performance.now() - turn < turnMs) continue
    await setImmediate()
    signal.throwIfAborted()
    turn = performance.now()
  }
}

/** True if every row matches without checking any. Bounding boxes do not exclude rows without geometry. */
function areAllWithin({ header }: FileIndex, areas: readonly AreaTest[]): boolean {
  const { layer, withoutGeometry, rowCount, emptyGeometries, bounds } = header
  if (layer.schema.geometry === undefined || withoutGeometry === rowCount) return true
  if (emptyGeometries > 0 || bounds === undefined) return false
  const { minX, minY, maxX, maxY } = bounds
  return areas.some((area) => area.relationTo(minX, minY, maxX, maxY) === 'within')
}

async function matchAreas(source: MatchSource, areas: readonly AreaTest[]): Promise<IndexRowSet> {
  const { index, signal } = source
  const within = new IndexRowSet(index.header.rowCount)
  const across = new IndexRowSet(index.header.rowCount)
  index.addRowsWithoutGeometry(within)
  await runInSlices(index.sortByAreas(areas, within, across), signal)
  await addMeeting(source, areas, within, across)
  return within
}

/** For rows whose envelope is inconclusive, adds those whose geometry intersects an area to `within`. */
async function addMeeting(
  { index, openGeometries, signal }: MatchSource,
  areas: readonly AreaTest[],
  within: IndexRowSet,
  across: IndexRowSet,
): Promise<void> {
  let rows: PlacedRows | undefined
  try {
    for (const positions of across.positions(0, Number.POSITIVE_INFINITY, pieceRows)) {
      rows ??= await openGeometries()
      let at = 0
      for await (const batch of rows.read(index.placesOf(positions), signal)) {
        const { geometry } = batch
        if (geometry === undefined) throw new Error('Rows without geometry were taken for others')
        const { bytes, offsets } = geometry
        for (let row = 0; row < batch.rowCount; row += 1, at += 1) {
          if (areas.some((area) => area.touches(bytes, offsets[row]))) within.add(positions[at] as number)
        }
      }
      if (at < positions.length) throw rowsChanged()
      await setImmediate()
      signal.throwIfAborted()
    }
  } finally {
    await rows?.close()
  }
}

function microsOf(text: string | undefined, open: number): number {
  return text === undefined ? open : Date.parse(text) * microsPerMs
}

/** A date counts as its whole day. */
async function matchTime(
  { index, signal }: MatchSource,
  { attribute, from, to }: NonNullable<FeatureQuery['time']>,
): Promise<IndexRowSet> {
  const found = new IndexRowSet(index.header.rowCount)
  const isDate = index.header.layer.schema.attributes.some(
    ({ name, type }) => name === attribute && type === 'date',
  )
  if (!index.header.times.includes(attribute)) return found
  const earliest = microsOf(from, Number.NEGATIVE_INFINITY) - (isDate ? lastMicroOfDay : 0)
  const span = { from: earliest, to: microsOf(to, Number.POSITIVE_INFINITY) }
  await runInSlices(index.addByTime(attribute, span, found), signal)
  return found
}

function matchIds({ index }: MatchSource, featureIds: readonly string[]): IndexRowSet {
  const found = new IndexRowSet(index.header.rowCount)
  for (const featureId of featureIds) {
    const position = /^[1-9]\d{0,9}$/.test(featureId) ? index.positionOf(Number(featureId)) : undefined
    if (position !== undefined) found.add(position)
  }
  return found
}

/** Returns the rows that a filter accepts, out of the given rows or of all; reads each of them. */
async function matchFilter(
  { index, openRows, signal }: MatchSource,
  filter: NonNullable<FeatureFilter['filter']>,
  among: IndexRowSet | undefined,
): Promise<IndexRowSet> {
  const { rowCount, layer } = index.header
  const found = new IndexRowSet(rowCount)
  await readyFor(filter)
  const isMatch = rowFilter(filter, layer.schema)
  const pieces =
    among?.positions(0, Number.POSITIVE_INFINITY, pieceRows) ??
    allPositions(rowCount, 0, Number.POSITIVE_INFINITY, pieceRows)
  let rows: PlacedRows | undefined
  try {
    for (const positions of pieces) {
      rows ??= await openRows()
      let at = 0
      for await (const batch of rows.read(index.placesOf(positions), signal)) {
        for (let row = 0; row < batch.rowCount; row += 1, at += 1)
          if (isMatch(batch, row)) found.add(positions[at] as number)
      }
      if (at < positions.length) throw rowsChanged()
      await setImmediate()
      signal.throwIfAborted()
    }
    return found
  } finally {
    await rows?.close()
  }
}

/** Returns the rows that a filter accepts; undefined if it accepts all. */
export async function matchRows(
  source: MatchSource,
  filter: FeatureFilter,
): Promise<IndexRowSet | undefined> {
  const { bboxes, time, featureId, featureIds } = filter
  let found: IndexRowSet | undefined
  const narrow = (set: IndexRowSet): void => {
    if (found === undefined) found = set
    else found.intersect(set)
  }
  if (featureId !== undefined) narrow(matchIds(source, [featureId]))
  if (featureIds !== undefined) narrow(matchIds(source, featureIds))
  if (time !== undefined) narrow(await matchTime(source, time))
  const areas = bboxes?.map(areaTest)
  if (areas !== undefined && !areAllWithin(source.index, areas)) narrow(await matchAreas(source, areas))
  return filter.filter === undefined ? found : matchFilter(source, filter.filter, found)
}
