import type { FormatMessage } from '../../formats/worker.ts'
import type { FeatureBatch } from '../../geo/batch.ts'
import { isValid } from '../../geo/column.ts'
import type { GeometryColumn } from '../../geo/geometry-builder.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import type { Schema } from '../../geo/schema.ts'
import { PolygonCheck } from '../../geo/validity/polygon-check.ts'

/** An invalid polygon with more points is not tested exactly, which would take too long. */
const maxExactPoints = 200_000
const namedRows = 5

/** The exact test and the repair. Their code is imported on demand, since few loads need it. */
type Exact = typeof import('../../geo/validity/exact-validity.ts') &
  typeof import('../../geo/validity/repair-wkb.ts')

let exact: Promise<Exact> | undefined

function loadExact(): Promise<Exact> {
  exact ??= Promise.all([
    import('../../geo/validity/exact-validity.ts'),
    import('../../geo/validity/repair-wkb.ts'),
  ]).then(([test, repair]) => ({ ...test, ...repair }))
  return exact
}

/** True if the geometry column of the schema can contain polygons. */
export function mayHoldPolygons({ geometry }: Schema): boolean {
  const type = geometry?.type
  return type === 'Polygon' || type === 'MultiPolygon' || type === 'Geometry'
}

/** Returns the schema of repaired rows: repairing may split a polygon. */
export function repairedSchema(schema: Schema): Schema {
  const { geometry } = schema
  if (geometry?.type !== 'Polygon') return schema
  return { ...schema, geometry: { ...geometry, type: 'MultiPolygon' } }
}

/** Counts invalid polygons, and repairs them if requested. One instance per load. */
export class PolygonWatch {
  readonly #isRepairing: boolean
  readonly #check = new PolygonCheck()
  #invalid = 0
  #repaired = 0
  readonly #named: string[] = []

  constructor(isRepairing: boolean) {
    this.#isRepairing = isRepairing
  }

  /** Number of invalid polygons, and of those that were repaired. */
  get counts(): { invalid: number; repaired: number } {
    return { invalid: this.#invalid, repaired: this.#repaired }
  }

  /** Passes batches on and reports one message about the findings at the end. */
  async *watch(
    batches: AsyncIterable<FeatureBatch>,
    onMessage: (message: FormatMessage) => void,
  ): AsyncGenerator<FeatureBatch> {
    for await (const batch of batches) {
      const suspects = this.#suspectsOf(batch)
      yield suspects.length === 0 ? batch : await this.#settle(batch, suspects)
    }
    for (const message of this.#messages()) onMessage(message)
  }

  #suspectsOf({ geometry, rowCount }: FeatureBatch): number[] {
    if (geometry === undefined) return []
    const view = viewOf(geometry)
    const suspects: number[] = []
    for (let row = 0; row < rowCount; row += 1) {
      if (geometry.nullCount > 0 && !isValid(geometry.validity, row)) continue
      const start = geometry.offsets[row] as number
      const code = view.getUint32(start + 1, true) % 1000
      if ((code === 3 || code === 6) && !this.#check.isSurelyValid(view, start)) suspects.push(row)
    }
    return suspects
  }

  async #settle(batch: FeatureBatch, suspects: number[]): Promise<FeatureBatch> {
    const { findInvalidity, appendRepaired } = await loadExact()
    const geometry = batch.geometry as GeometryColumn
    const view = viewOf(geometry)
    const broken = new Set<number>()
    for (const row of suspects) {
      const start = geometry.offsets[row] as number
      const isLarge = (geometry.offsets[row + 1] as number) - start > maxExactPoints * 16
      const found = isLarge
        ? { reason: 'The polygon is too large to be checked' }
        : findInvalidity(view, start)
      if (found === undefined) continue
      this.#count(batch.rowNumbers[row] as number, found)
      if (!isLarge) broken.add(row)
    }
    if (!this.#isRepairing || broken.size === 0) return batch
    const builder = new GeometryBuilder(batch.rowCount)
    for (let row = 0; row < batch.rowCount; row += 1) {
      const start = geometry.offsets[row] as number
      if (!isValid(geometry.validity, row)) builder.appendNull()
      else if (broken.has(row) && appendRepaired(builder, view, start)) this.#repaired += 1
      else builder.appendWkb(geometry.bytes, start, geometry.offsets[row + 1])
    }
    return { ...batch, geometry: builder.finish() }
  }

  #count(row: number, { reason, x, y }: { reason: string; x?: number; y?: number }): void {
    this.#invalid += 1
    if (this.#named.length >= namedRows) return
    const suffix = x === undefined || y === undefined ? '' : ` at ${x} ${y}`
    this.#named.push(`row ${row}: ${reason}${suffix}`)
  }

  #messages(): FormatMessage[] {
    const left = this.#invalid - this.#repaired
    const rest = this.#invalid - this.#named.length
    const names = this.#named.join('; ') + (rest > 0 ? `; and ${rest} more` : '')
    const messages: FormatMessage[] = []
    if (this.#repaired > 0) {
      const text = `${this.#repaired} invalid polygons were repaired (${names})`
      messages.push({ level: 'info', code: 'polygons-repaired', message: text })
    }
    if (left > 0) {
      const advice = this.#isRepairing
        ? 'could not be repaired and were loaded unchanged'
        : 'were loaded unchanged; set "repair": true on the task to repair them'
      const text = `${left} invalid polygons ${advice} (${names})`
      messages.push({ level: 'warning', code: 'invalid-polygons', message: text })
    }
    return messages
  }
}

function viewOf({ bytes }: GeometryColumn): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
