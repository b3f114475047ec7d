import { conflict, Failure, invalid, notFound } from '../../core/errors/errors.ts'
import { type EditedFeature, parseFeatureBody, parsePatchBody } from '../../formats/geojson/index.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { featureTag, featureToJson } from '../../geo/feature-json.ts'
import { reprojectBatch } from '../../geo/reproject-geometry.ts'
import type {
  DecideChange,
  EditedTable,
  EditRequest,
  FeatureChange,
  FeatureEditResult,
  FeaturePage,
  StoreConnection,
  TableEditResult,
} from '../../stores/index.ts'
import { findReprojector } from '../../stores/worker.ts'
import type { WrittenCrs } from './edited-geometry.ts'
import { meantGeometry } from './edited-geometry.ts'
import { editedRow } from './edited-row.ts'
import { withEdit } from './failed-edit.ts'
import { latestStore } from './latest-store.ts'

/** An edit request for one feature. Plain data. */
export interface FeatureEditRequest {
  kind: 'create' | 'replace' | 'update' | 'delete'
  /** A feature, for an update a JSON Merge Patch; absent for a deletion. */
  body?: Uint8Array
  written: WrittenCrs
  /** CRS of the layer, if known. */
  crs?: CrsDeclaration | string
  /** Tags, one of which the feature must still have; `*` matches any. */
  ifMatch?: string[]
  /** True to return an added feature as GeoJSON. */
  returnsFeature?: boolean
}

/**
 * Input of a worker that edits features. Plain data: it is passed between threads. Contains secrets and must
 * never be logged.
 */
export interface EditPlan {
  connection: StoreConnection
  request: EditRequest
  /** In the order of the request. */
  edits: readonly FeatureEditRequest[]
}

/** Result of the edit of a feature. */
export interface FeatureOutcome extends Omit<FeatureEditResult, 'feature'> {
  /** Tag of the feature after the edit. */
  tag?: string
  /** The added feature as GeoJSON in the CRS of the request, if that asks for it. */
  json?: string
}

/** Result of edits. */
export interface EditOutcome {
  features: readonly FeatureOutcome[]
  tables: readonly TableEditResult[]
}

interface EditWatch {
  signal: AbortSignal
  /** Like the store's callback. */
  beforeTouch(table: number, token: string, mark: string): Promise<void>
  /** Called before a change is committed; the store rolls back if it throws. */
  beforeCommit(outcome: EditOutcome): Promise<void>
}

/** Edits features in one transaction. If it throws, nothing has changed; `failedEdit` tells which edit failed. */
export async function editFeatures(
  { connection, request, edits: written }: EditPlan,
  { beforeCommit, ...hooks }: EditWatch,
): Promise<EditOutcome> {
  const { edits, type } = await latestStore(connection)
  if (edits === undefined) throw conflict('table-read-only', `Features of a ${type} store cannot be changed`)
  let at: number | undefined
  const decide: DecideChange = async (edited, index) => {
    at = index
    const edit = written[index]
    if (edit === undefined) throw new Error('An edit without a change')
    return decideChange(edited, request.edits[index]?.featureId ?? '', edit, parseBody(edit))
  }
  const prepared = await edits.prepare(request, decide, hooks).catch((error: unknown) => {
    throw withEdit(error, at)
  })
  let outcome: EditOutcome
  let isChanged: boolean
  try {
    outcome = { features: await toOutcomes(prepared.features, written), tables: prepared.tables }
    isChanged = outcome.tables.some((table) => table.isChanged)
    if (isChanged) await beforeCommit(outcome)
  } catch (error) {
    await prepared.discard()
    throw error
  }
  await (isChanged ? prepared.commit() : prepared.discard())
  return outcome
}

function parseBody({ kind, body }: FeatureEditRequest): EditedFeature | undefined {
  if (kind === 'delete') return undefined
  if (body === undefined || body.length === 0)
    throw invalid('invalid-feature', 'The body is empty: send a GeoJSON feature')
  return kind === 'update' ? parsePatchBody(body) : parseFeatureBody(body)
}

async function decideChange(
  edited: EditedTable,
  featureId: string,
  edit: FeatureEditRequest,
  body: EditedFeature | undefined,
): Promise<FeatureChange> {
  const { present } = edited
  if (edit.kind !== 'create') requirePresent(present, featureId, edit.ifMatch)
  if (body === undefined) return { kind: 'remove' }
  const geometry = await geometryOf(edited, edit, body)
  const row = editedRow(body, geometry, edited, edit.kind === 'replace' ? 'all' : 'named')
  if (edit.kind === 'create') return { kind: 'add', row }
  const isSame = row.columns.length === 0 && row.geometry === undefined
  return isSame ? { kind: 'none' } : { kind: 'change', row }
}

/** OGC 20-002, /req/create-replace-delete/put-rid-exception and /req/optimistic-locking-etags/ifmatch-put-eval. */
function requirePresent(
  present: FeaturePage | undefined,
  featureId: string,
  ifMatch: string[] | undefined,
): void {
  if (ifMatch === undefined) {
    if (present === undefined) throw unknownFeature(featureId)
    return
  }
  const tag = present && featureTag(present.batch, 0, present.ids[0] ?? '')
  if (tag !== undefined && (ifMatch.includes('*') || ifMatch.includes(`"${tag}"`))) return
  throw new Failure(
    'precondition',
    'changed-meanwhile',
    'If-Match does not match the current state, which was changed meanwhile: read it again',
  )
}

function unknownFeature(featureId: string): Failure {
  return notFound('unknown-feature', `Feature "${featureId}" does not exist in this collection`)
}

async function geometryOf(
  { table, present }: EditedTable,
  edit: FeatureEditRequest,
  { geometry }: EditedFeature,
) {
  if (geometry === undefined) return undefined
  if (table.schema.geometry === undefined) {
    if (geometry === null) return undefined
    throw invalid('invalid-geometry', 'The layer has no geometry: "geometry" must be null')
  }
  const { written, crs, kind } = edit
  const meant = await meantGeometry(geometry, { written, crs, present, isPatch: kind === 'update' })
  return meant.column
}

async function toOutcomes(
  results: readonly FeatureEditResult[],
  edits: readonly FeatureEditRequest[],
): Promise<FeatureOutcome[]> {
  const outcomes: FeatureOutcome[] = []
  for (const [index, { feature, ...result }] of results.entries()) {
    const edit = edits[index]
    const tag = feature && featureTag(feature.batch, 0, result.featureId)
    const isReturned = edit?.returnsFeature === true && edit.kind === 'create' && feature !== undefined
    outcomes.push({ ...result, tag, json: isReturned ? await featureText(feature, edit) : undefined })
  }
  return outcomes
}

async function featureText(
  { batch, ids }: FeaturePage,
  { crs, written }: FeatureEditRequest,
): Promise<string> {
  if (crs === undefined) return featureToJson(batch, 0, ids[0] ?? '', written)
  const reprojector = await findReprojector(crs, written.srs)
  try {
    return featureToJson(await reprojectBatch(batch, reprojector), 0, ids[0] ?? '', written)
  } finally {
    await reprojector.close()
  }
}
