import type { LayerSummary, SummarySet } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import { foldText } from '../../../core/text/fold-text.ts'
import type { LayerBounds } from '../../layer-bounds.ts'
import type { LayerTimeBounds } from '../../layer-times.ts'
import { readBox, readInterval } from '../items-query.ts'
import { meets } from './record-location.ts'
import type { RecordTimes } from './record-times.ts'
import { momentsOf, timesOfSummaries } from './record-times.ts'

/** Records are of layers, and those are data sets. */
export const recordType = 'dataset'

export const defaultRecords = 100
export const maxRecords = 1000
const maxKeys = 5

/** Query parameters of the records, as text. */
export interface RecordsParameters {
  q?: string
  bbox?: string
  datetime?: string
  type?: string
  ids?: string
  externalIds?: string
  workspace?: string
  sortby?: string
  limit?: string
  offset?: string
  after?: string
}

/** Sortable fields of records. */
const sortables = {
  id: (card: LayerSummary): string => card.qualifiedName,
  title: (card: LayerSummary): string => card.titleKey,
  updated: (card: LayerSummary): string => card.changedAt,
} as const
type Sortable = keyof typeof sortables

interface SortKey {
  name: Sortable
  isDescending: boolean
}

/** A page of the requested records. */
export interface RecordPage {
  cards: LayerSummary[]
  total: number
  /** Start of the next page. */
  after: string | undefined
}

/** Spatial and temporal extents of layers. */
export interface LayerExtents {
  bounds: Pick<LayerBounds, 'of'>
  times: Pick<LayerTimeBounds, 'ofCard'>
}

/** Returns the layers of the requested records, in order. Throws `Failure` (`invalid`). */
export async function findRecords(
  set: SummarySet,
  parameters: RecordsParameters,
  extents: LayerExtents,
): Promise<RecordPage> {
  const keys = readSortKeys(parameters.sortby)
  const limit = Math.min(maxRecords, wholeNumber('limit', parameters.limit, defaultRecords, 1))
  const offset = wholeNumber('offset', parameters.offset, 0, 0)
  const position = readPosition(parameters.after, keys)
  const isSelected = testOf(parameters)
  const layerSummaries = await inTime([...set.ordered('name', false)].filter(isSelected), parameters, extents)
  const chosen = await within(layerSummaries, parameters, extents.bounds)
  const ordered = parameters.sortby === undefined ? chosen : sorted(chosen, keys)
  const from =
    position === undefined
      ? offset
      : ordered.findIndex((card) => compare(keys, keysOf(keys, card), position) > 0)
  const cards = from < 0 ? [] : ordered.slice(from, from + limit)
  const last = cards.at(-1)
  const hasMore = last !== undefined && from + limit < ordered.length
  return { cards, total: ordered.length, after: hasMore ? writePosition(keysOf(keys, last)) : undefined }
}

/** The layers of workspaces whose names have commas between; all where none are named. */
export function summariesOfWorkspaces(set: SummarySet, names: string | undefined): readonly LayerSummary[] {
  const all = set.ordered('name', false)
  if (names === undefined) return all
  const requested = new Set(listed(names))
  return all.filter(({ workspace }) => requested.has(workspace))
}

function wholeNumber(name: string, text: string | undefined, fallback: number, least: number): number {
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d{1,9}$/.test(text) && value >= least) return value
  throw invalid('invalid-parameter', `${name} "${text}" is not a whole number from ${least}`)
}

function listed(text: string | undefined): string[] | undefined {
  return text === undefined ? undefined : text.split(',').map((one) => one.trim())
}

/** Returns a test for the filter, without location and time. */
function testOf({ q, type, ids, externalIds, workspace }: RecordsParameters) {
  const terms = (listed(q) ?? []).map(phraseOf).filter((term) => term !== '')
  const named = ids === undefined ? undefined : new Set(listed(ids))
  const workspaces = workspace === undefined ? undefined : new Set(listed(workspace))
  const isType = listed(type)?.includes(recordType) ?? true
  return (card: LayerSummary): boolean =>
    isType &&
    // Layers have no external identifiers.
    externalIds === undefined &&
    named?.has(card.qualifiedName) !== false &&
    workspaces?.has(card.workspace) !== false &&
    (terms.length === 0 || terms.some((term) => card.head.includes(term) || card.body.includes(term)))
}

/** Returns the words of a phrase in searchable form. */
function phraseOf(term: string): string {
  return foldText(term).split(/\s+/u).filter(Boolean).join(' ')
}

/** Records without time match (OGC 17-069r4, /req/core/fc-time-response). */
async function inTime(
  cards: LayerSummary[],
  { datetime }: RecordsParameters,
  extents: LayerExtents,
): Promise<LayerSummary[]> {
  if (datetime === undefined) return cards
  const { from, to } = readInterval(datetime)
  const first = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from)
  const last = to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to)
  const meetsIt = (times: RecordTimes): boolean =>
    Date.parse(times.from) <= last && Date.parse(times.to) >= first
  const known = await timesOfSummaries(extents, cards)
  return cards.filter(({ id }) => {
    const times = known.get(id)
    return times === undefined || meetsIt(momentsOf(times))
  })
}

/** Records without location match (OGC 17-069r4, /req/core/fc-bbox-response). */
async function within(
  cards: LayerSummary[],
  { bbox }: RecordsParameters,
  bounds: Pick<LayerBounds, 'of'>,
): Promise<LayerSummary[]> {
  const boxes = bbox === undefined ? undefined : readBox({ bbox })?.boxes
  if (boxes === undefined) return cards
  const ranges = await Promise.all(cards.map((card) => bounds.of(card)))
  return cards.filter((_, index) => {
    const range = ranges[index]
    return range === undefined || boxes.some((box) => meets(range, box))
  })
}

function readSortKeys(text: string | undefined): SortKey[] {
  // A plus sign in an address is a blank.
  const names = (text ?? 'id').split(',').map((one) => one.replace(/^ /, '+').trim())
  if (names.length > maxKeys)
    throw invalid('invalid-parameter', `sortby accepts at most ${maxKeys} names, found ${names.length}`)
  return names.map((one) => {
    const name = one.replace(/^[+-]/, '')
    if (isSortable(name)) return { name, isDescending: one.startsWith('-') }
    throw invalid(
      'invalid-parameter',
      `sortby "${one}" is not offered: expected ${Object.keys(sortables).join(', ')}, with "-" before what is to fall`,
    )
  })
}

function isSortable(name: string): name is Sortable {
  return Object.hasOwn(sortables, name)
}

/** By what a layer is ordered; its id last, so that no two are the same. */
function keysOf(keys: readonly SortKey[], card: LayerSummary): string[] {
  return [...keys.map(({ name }) => sortables[name](card)), card.qualifiedName]
}

function compare(keys: readonly SortKey[], a: readonly string[], b: readonly string[]): number {
  for (const [at, one] of a.entries()) {
    const other = b[at] ?? ''
    if (one !== other) return one < other === (keys[at]?.isDescending === true) ? 1 : -1
  }
  return 0
}

function sorted(cards: readonly LayerSummary[], keys: readonly SortKey[]): LayerSummary[] {
  return cards
    .map((card) => ({ card, at: keysOf(keys, card) }))
    .sort((a, b) => compare(keys, a.at, b.at))
    .map(({ card }) => card)
}

function writePosition(position: readonly string[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url')
}

/** The place behind which a page begins. */
function readPosition(text: string | undefined, keys: readonly SortKey[]): string[] | undefined {
  if (text === undefined) return undefined
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (
      Array.isArray(read) &&
      read.length === keys.length + 1 &&
      read.every((one) => typeof one === 'string')
    )
      return read
  } catch {
    // The error is thrown below.
  }
  throw invalid('invalid-parameter', '"after" must be taken from the "next" link of a response')
}
