import { conflict, Failure, invalid, notFound } from '../../core/errors/errors.ts'
import { type EditedFeature, parseFeatureBody, parsePatchBody } from '../../formats/geojson/index.ts'
import type { CrsDeclaration } from '../../geo/crs.ts'
import { featureTag, featureToJson } from '../../geo/feature-json.ts'
import { reprojectBatch } from '../../geo/reproject-geometry.ts'
import type {
  DecideChange,
  EditedTable,
  EditRequest,
  EditResult,
  FeatureChange,
  FeaturePage,
  StoreConnection,
} from '../../stores/index.ts'
import { findReprojector } from '../../stores/worker.ts'
import type { WrittenCrs } from './edited-geometry.ts'
import { meantGeometry } from './edited-geometry.ts'
import { editedRow } from './edited-row.ts'
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
}

/**
 * Input of a worker that edits a feature. Plain data: it is passed between threads. Contains secrets and must
 * never be logged.
 */
export interface EditPlan {
  connection: StoreConnection
  request: EditRequest
  edit: FeatureEditRequest
}

/** Result of an edit. */
export interface EditOutcome extends Omit<EditResult, 'feature'> {
  isChanged: boolean
  /** Tag of the feature after the edit. */
  tag?: string
  /** The added feature as GeoJSON in the CRS of the request; only for an added feature. */
  json?: string
}

interface EditWatch {
  signal: AbortSignal
  /** Like the store's callback. */
  beforeTouch(token: string, mark: string): Promise<void>
  /** Called before a change is committed; the store rolls back if it throws. */
  beforeCommit(token: string, outcome: EditOutcome): Promise<void>
}

/** Edits one feature. If it throws, nothing has changed. */
export async function editFeature(
  { connection, request, edit }: EditPlan,
  { beforeCommit, ...hooks }: EditWatch,
): Promise<EditOutcome> {
  const { edits, type } = await latestStore(connection)
  if (edits === undefined) throw conflict('table-read-only', `Features of a ${type} store cannot be changed`)
  const body = parseBody(edit)
  let isChanged = true
  const decide: DecideChange = async (edited) => {
    const change = await decideChange(edited, request, edit, body)
    isChanged = change.kind !== 'none'
    return change
  }
  const { result, token, commit, discard } = await edits.prepare(request, decide, hooks)
  let outcome: EditOutcome
  try {
    outcome = await toOutcome(result, edit, isChanged)
    if (isChanged) await beforeCommit(token, outcome)
  } catch (error) {
    await discard()
    throw error
  }
  await (isChanged ? commit() : discard())
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
  { featureId = '' }: EditRequest,
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

async function toOutcome(
  { feature, ...result }: EditResult,
  edit: FeatureEditRequest,
  isChanged: boolean,
): Promise<EditOutcome> {
  if (feature === undefined) return { ...result, isChanged }
  const tag = featureTag(feature.batch, 0, result.featureId)
  const json = edit.kind === 'create' ? await featureText(feature, edit) : undefined
  return { ...result, isChanged, tag, json }
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
