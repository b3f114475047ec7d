import { Type } from 'typebox'
import type { FeatureBatch } from '../geo/batch.ts'
import type { CrsDeclaration } from '../geo/crs.ts'
import { CrsError } from '../geo/crs.ts'
import { findCrs, parseSrs } from '../geo/crs-database.ts'
import type { Reprojector } from '../geo/crs-reproject.ts'
import { createReprojector } from '../geo/crs-reproject.ts'
import type { GeometryColumn } from '../geo/geometry-builder.ts'
import { reprojectGeometry } from '../geo/reproject-geometry.ts'
import type { GeometryField, Schema } from '../geo/schema.ts'
import { geometryTypeName, wkbEnvelope } from '../geo/wkb.ts'
import { meaningText, textParameter } from './parameters.ts'
import type { RowFailure } from './replace-column.ts'
import { withoutFailures } from './replace-column.ts'
import type {
  BatchMapper,
  ChainOptions,
  TransformContext,
  TransformSpec,
  VectorTransform,
} from './transform.ts'
import { TransformError } from './transform.ts'

function srsOf(spec: TransformSpec, name: string): string {
  const text = textParameter(spec, name)
  const srs = parseSrs(text)
  if (srs === undefined || findCrs(srs) === undefined) {
    throw new TransformError(
      `Parameter "${name}": "${text}" is not a known CRS; give a code such as EPSG:4326`,
      'unknown-crs',
    )
  }
  return srs
}

/** Replaces a code: the CRS declared in the data. */
const declaredSource = 'declared'

function sourceOf(
  { crs }: GeometryField,
  spec: TransformSpec,
  { sourceCrs }: ChainOptions,
): CrsDeclaration | undefined {
  const text = textParameter(spec, 'source')
  if (text === '') return crs
  return text === declaredSource ? sourceCrs : { srs: srsOf(spec, 'source') }
}

interface Plan {
  source: CrsDeclaration
  target: CrsDeclaration
  schema: Schema
}

function plan(schema: Schema, spec: TransformSpec, options: ChainOptions): Plan {
  const { geometry } = schema
  if (geometry === undefined)
    throw new TransformError('The data have no geometry to reproject', 'no-geometry')
  const target = { srs: srsOf(spec, 'target') }
  const source = sourceOf(geometry, spec, options)
  if (source === undefined) {
    throw new TransformError('The data declare no CRS: set "source", or the srs of the layer', 'no-crs')
  }
  const moved: GeometryField = { ...geometry, crs: target }
  return { source, target, schema: { ...schema, geometry: moved } }
}

/** Creates a mapper that reprojects the geometry; `close` stops its program. Throws `TransformError`. */
async function createReprojectMapper(
  schema: Schema,
  source: CrsDeclaration,
  target: CrsDeclaration,
  context: TransformContext,
): Promise<BatchMapper> {
  const reprojector = await open(source, target, context.signal)
  for (const { code, message } of reprojector.messages) context.onMessage({ level: 'warning', code, message })
  const close = (): Promise<void> => reprojector.close()
  if (reprojector.isIdentity) return { schema, apply: (batch) => ({ ...batch, schema }), close }
  return { schema, apply: (batch) => reprojectBatch(batch, schema, reprojector), close }
}

async function open(
  source: CrsDeclaration,
  target: CrsDeclaration,
  signal: AbortSignal,
): Promise<Reprojector> {
  try {
    return await createReprojector(source, target, { signal, prefersPrograms: true })
  } catch (error) {
    if (error instanceof CrsError) throw new TransformError(error.message, error.code)
    throw error
  }
}

async function reprojectBatch(
  batch: FeatureBatch,
  schema: Schema,
  reprojector: Reprojector,
): Promise<FeatureBatch> {
  const { geometry } = batch
  if (geometry === undefined) return { ...batch, schema }
  const { geometry: moved, failedRows } = await reprojectGeometry(geometry, batch.rowCount, reprojector)
  const field = batch.schema.geometry?.name ?? ''
  const failures = failedRows.map((row) => failure(geometry, row, field))
  return withoutFailures(batch, { ...batch, schema, geometry: moved }, failures)
}

function failure(geometry: GeometryColumn, row: number, field: string): RowFailure {
  const bytes = geometry.bytes.subarray(geometry.offsets[row], geometry.offsets[row + 1])
  return { row, field, value: wkbText(bytes), reason: 'A point cannot be transformed to the target CRS' }
}

function shownSource(text: string): string | null {
  return text === declaredSource ? text : (parseSrs(text) ?? null)
}

/**
 * Reprojects the geometry; `source` replaces the CRS of the layer, `declared` means the CRS declared in the
 * data.
 */
export const reproject: VectorTransform = {
  type: 'ReprojectTransform',
  kind: 'vector',
  phase: 'inline',
  example: {
    spec: { type: 'ReprojectTransform', source: 'EPSG:4326', target: 'EPSG:3857' },
    rows: 'WKT,name\nPOINT (12.5 41.9),Rome\nPOINT (7.45 46.95),Bern\n',
  },
  parameters: Type.Object({ source: Type.Optional(meaningText('crs')), target: meaningText('crs') }),
  show: (spec) => ({
    source: shownSource(textParameter(spec, 'source')),
    target: parseSrs(textParameter(spec, 'target')) ?? textParameter(spec, 'target'),
  }),
  outputSchema: (schema, spec, options) => plan(schema, spec, options).schema,
  prepare: async (schema, spec, context) => {
    const { source, target, schema: moved } = plan(schema, spec, context)
    return createReprojectMapper(moved, source, target, context)
  },
}

/** Describes a geometry for a message: its type and envelope. */
function wkbText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const type = geometryTypeName(view.getUint32(1, true) % 1000)
  const envelope = wkbEnvelope(bytes)
  if (envelope === undefined) return `${type} empty`
  const { minX, minY, maxX, maxY } = envelope
  return minX === maxX && minY === maxY
    ? `${type} ${minX} ${minY}`
    : `${type} ${minX} ${minY}, ${maxX} ${maxY}`
}
