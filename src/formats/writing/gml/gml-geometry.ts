/** Output options for the geometries of a document. */
export interface GmlGeometryOptions {
  /** URI of the CRS; undefined if unknown. */
  srsName?: string
  isYx: boolean
  /** True to give each geometry an id, which GML 3.2 requires. */
  hasIds?: boolean
  /**
   * True if positions are tuples with commas, and rings and multi geometries as in GML 2.1.2 (OGC 02-069,
   * section 4).
   */
  hasTuples?: boolean
}

/** Element names. */
interface Words {
  multiples: Record<number, { element: string; member: string }>
  rings: [first: string, other: string]
  /** Element of one position, and of several. */
  position: string
  positions: string
  /** Separator between positions, and between the numbers of a position. */
  separator: string
}

/** GML elements for multi geometries (OGC 10-100r3, section 8.4.4.1). */
const multiples: Words['multiples'] = {
  4: { element: 'MultiPoint', member: 'pointMember' },
  5: { element: 'MultiCurve', member: 'curveMember' },
  6: { element: 'MultiSurface', member: 'surfaceMember' },
  7: { element: 'MultiGeometry', member: 'geometryMember' },
}

const words: Words = {
  multiples,
  rings: ['exterior', 'interior'],
  position: 'pos',
  positions: 'posList',
  separator: ' ',
}
const olderWords: Words = {
  multiples: {
    ...multiples,
    5: { element: 'MultiLineString', member: 'lineStringMember' },
    6: { element: 'MultiPolygon', member: 'polygonMember' },
  },
  rings: ['outerBoundaryIs', 'innerBoundaryIs'],
  position: 'coordinates',
  positions: 'coordinates',
  separator: ',',
}

/** Writes geometries from Terrane's internal WKB as GML 3.2, 3.1 or 2.1.2. GML has no M. */
export class GmlGeometry {
  readonly #srs: string
  readonly #isYx: boolean
  readonly #hasIds: boolean
  readonly #words: Words
  #view: DataView = new DataView(new ArrayBuffer(0))
  #at = 0

  constructor({ srsName, isYx, hasIds = true, hasTuples = false }: GmlGeometryOptions) {
    this.#words = hasTuples ? olderWords : words
    this.#srs = srsName === undefined ? '' : ` srsName="${srsName}"`
    this.#hasIds = hasIds
    this.#isYx = isYx
  }

  /** Returns the element of a geometry; `id` is the prefix of its ids. */
  write(wkb: Uint8Array, id: string): string {
    this.#view = new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)
    this.#at = 0
    return this.#geometry(id, this.#srs)
  }

  #geometry(id: string, srs: string): string {
    const type = this.#view.getUint32(this.#at + 1, true)
    this.#at += 5
    const code = type % 1000
    const dimensions = (type - code) / 1000
    const hasZ = (dimensions & 1) === 1
    const own = this.#hasIds ? ` gml:id="${id}"` : ''
    const attributes = `${own}${srs}${hasZ && this.#words === words ? ' srsDimension="3"' : ''}`
    switch (code) {
      case 1:
        return `<gml:Point${attributes}>${this.#point(dimensions)}</gml:Point>`
      case 2:
        return `<gml:LineString${attributes}>${this.#positions(dimensions)}</gml:LineString>`
      case 3:
        return `<gml:Polygon${attributes}>${this.#rings(dimensions)}</gml:Polygon>`
      default:
        return this.#multiple(code, attributes, id)
    }
  }

  #multiple(code: number, attributes: string, id: string): string {
    const { element = '', member = '' } = this.#words.multiples[code] ?? {}
    const count = this.#count()
    let text = `<gml:${element}${attributes}>`
    // Parts use the CRS of the whole.
    for (let part = 1; part <= count; part += 1)
      text += `<gml:${member}>${this.#geometry(`${id}.${part}`, '')}</gml:${member}>`
    return `${text}</gml:${element}>`
  }

  #rings(dimensions: number): string {
    const count = this.#count()
    let text = ''
    for (let ring = 0; ring < count; ring += 1) {
      const element = this.#words.rings[ring === 0 ? 0 : 1]
      const positions = this.#positions(dimensions)
      text += `<gml:${element}><gml:LinearRing>${positions}</gml:LinearRing></gml:${element}>`
    }
    return text
  }

  #count(): number {
    const count = this.#view.getUint32(this.#at, true)
    this.#at += 4
    return count
  }

  #point(dimensions: number): string {
    const { position } = this.#words
    return `<gml:${position}>${this.#position(dimensions)}</gml:${position}>`
  }

  #positions(dimensions: number): string {
    const count = this.#count()
    const { positions } = this.#words
    let text = `<gml:${positions}>`
    for (let point = 0; point < count; point += 1) {
      if (point > 0) text += ' '
      text += this.#position(dimensions)
    }
    return `${text}</gml:${positions}>`
  }

  /**
   * Returns an empty text for the NaN pair of an empty point; an unknown height is 0, since GML cannot omit
   * it.
   */
  #position(dimensions: number): string {
    const view = this.#view
    const x = view.getFloat64(this.#at, true)
    const y = view.getFloat64(this.#at + 8, true)
    const hasZ = (dimensions & 1) === 1
    const z = hasZ ? view.getFloat64(this.#at + 16, true) : 0
    this.#at += 16 + (hasZ ? 8 : 0) + (dimensions >= 2 ? 8 : 0)
    if (Number.isNaN(x)) return ''
    const { separator } = this.#words
    const xy = this.#isYx ? `${y}${separator}${x}` : `${x}${separator}${y}`
    return hasZ ? `${xy}${separator}${Number.isFinite(z) ? z : 0}` : xy
  }
}
