import type { CrsDeclaration } from '../../geo/crs.ts'
import type { Envelope } from '../../geo/envelope.ts'
import { emptyEnvelope } from '../../geo/envelope.ts'
import { GeometryBuilder } from '../../geo/geometry-builder.ts'
import { SeenGeometries } from '../../geo/geometry-shape.ts'
import { GeometryError } from '../../geo/wkb.ts'
import type { CellForm } from './geometry-cells.ts'
import { GeometryCells } from './geometry-cells.ts'

const plainShape = { isMulti: false, hasZ: false, hasM: false }
const toleratedPart = 0.05

/** A candidate geometry column: its first cell begins like a geometry. */
export class GeometrySurvey {
  readonly form: CellForm
  readonly seen = new SeenGeometries()
  readonly envelope: Envelope = emptyEnvelope()
  bad = 0
  /** Number of curves and surfaces among them. */
  curves = 0
  readonly #srids = new Set<number>()
  readonly #reader = new GeometryCells(plainShape)
  #builder = new GeometryBuilder(256)

  constructor(form: CellForm) {
    this.form = form
  }

  observe(bytes: Uint8Array, start: number, end: number): void {
    try {
      this.#reader.read(bytes, start, end, this.#builder)
    } catch (error) {
      if (!(error instanceof GeometryError)) throw error
      this.bad += 1
      return
    }
    const { typeCode, hasZ, hasM, srid } = this.#reader
    this.seen.add(typeCode, hasZ, hasM)
    if (this.#reader.isCurve) this.curves += 1
    if (srid > 0 && this.#srids.size < 2) this.#srids.add(srid)
    if (this.#builder.length === 256) this.foldEnvelopes()
  }

  foldEnvelopes(): void {
    const { envelopes } = this.#builder.finish()
    const { envelope } = this
    for (let at = 0; at < envelopes.length; at += 4) {
      if (!((envelopes[at] as number) <= (envelopes[at + 2] as number))) continue
      envelope.minX = Math.min(envelope.minX, envelopes[at] as number)
      envelope.minY = Math.min(envelope.minY, envelopes[at + 1] as number)
      envelope.maxX = Math.max(envelope.maxX, envelopes[at + 2] as number)
      envelope.maxY = Math.max(envelope.maxY, envelopes[at + 3] as number)
    }
    this.#builder = new GeometryBuilder(256)
  }

  /**
   * With a few broken cells (one, or one in twenty) those rows are rejected. With more the column is text,
   * unless its name denotes a geometry and most cells are geometries.
   */
  isGeometry(isMeant: boolean): boolean {
    const { count } = this.seen
    if (count <= this.bad) return false
    return isMeant || this.bad <= Math.max(1, (count + this.bad) * toleratedPart)
  }

  /**
   * CRS named by EWKT or EWKB; undefined if none or several are named. GeoJSON is in WGS 84 (RFC 7946,
   * section 4), if its numbers can be degrees.
   */
  get crs(): CrsDeclaration | undefined {
    const { minX, minY, maxX, maxY } = this.envelope
    const areDegrees = minX >= -180 && maxX <= 180 && minY >= -90 && maxY <= 90
    if (this.form === 'GeoJSON') return areDegrees ? { srs: 'EPSG:4326' } : undefined
    const [srid, other] = this.#srids
    return srid === undefined || other !== undefined ? undefined : { srs: `EPSG:${srid}` }
  }

  get hasSeveralSrids(): boolean {
    return this.#srids.size > 1
  }
}
