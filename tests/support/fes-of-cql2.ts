import { escapeXml } from '../../src/core/text/escape.ts'

type Node = unknown

interface Call {
  op: string
  args: Node[]
}

interface GeoJson {
  type: string
  coordinates: unknown
}

/** Names of Filter Encoding 2.0 (OGC 09-026r2) or 1.1 (OGC 04-095). */
type FesVersion = '2.0' | '1.1'

const operators: Record<string, string> = {
  '=': 'PropertyIsEqualTo',
  '<>': 'PropertyIsNotEqualTo',
  '<': 'PropertyIsLessThan',

  '>': 'PropertyIsGreaterThan',
  '<=': 'PropertyIsLessThanOrEqualTo',
  '>=': 'PropertyIsGreaterThanOrEqualTo',
  and: 'And',
  or: 'Or',
  not: 'Not',
  isNull: 'PropertyIsNull',
  t_during: 'During',
  s_intersects: 'Intersects',
  s_disjoint: 'Disjoint',
  s_equals: 'Equals',
  s_touches: 'Touches',
  s_within: 'Within',
  s_contains: 'Contains',
  s_overlaps: 'Overlaps',
  s_crosses: 'Crosses',
}

/** Returns the same filter in Filter Encoding; undefined if Filter Encoding cannot express it. */
export function fesOfCql2(filter: object, version: FesVersion): string | undefined {
  const inside = new FesWriter(version).write(filter)
  if (inside === undefined) return undefined
  const [uri, gml] =
    version === '2.0'
      ? ['http://www.opengis.net/fes/2.0', 'http://www.opengis.net/gml/3.2']
      : ['http://www.opengis.net/ogc', 'http://www.opengis.net/gml']
  return `<Filter xmlns="${uri}" xmlns:gml="${gml}">${inside}</Filter>`
}

class FesWriter {
  readonly #reference: string

  constructor(version: FesVersion) {
    this.#reference = version === '2.0' ? 'ValueReference' : 'PropertyName'
  }

  write(node: Node): string | undefined {
    if (isProperty(node))
      return this.#element('PropertyIsEqualTo', [this.#operand(node), '<Literal>true</Literal>'])
    const { op, args } = node as Call
    const name = operators[op]
    if (op === 'and' || op === 'or' || op === 'not')
      return this.#element(
        name ?? '',
        args.map((one) => this.write(one)),
      )
    if (op === 'like') return typeof args[1] !== 'string' ? undefined : this.#like(args)
    if (op === 'between') {
      const [value, least, most] = args.map((one) => this.#operand(one))
      return `<PropertyIsBetween>${value}<LowerBoundary>${least}</LowerBoundary><UpperBoundary>${most}</UpperBoundary></PropertyIsBetween>`
    }
    if (op === 'in') {
      const [value, list] = args as [Node, number[]]
      return this.write({ op: 'or', args: list.map((one) => ({ op: '=', args: [value, one] })) })
    }
    if (op.startsWith('s_'))
      return this.#element(
        name ?? '',
        args.map((one) => this.#operand(one)),
      )
    if (name === undefined) return undefined
    if (/"op":"(?:%|div|\^)"/.test(JSON.stringify(args))) return undefined
    const folded = args.every((one) => (one as Partial<Call>).op === 'casei')
    const sides = folded ? args.map((one) => (one as Call).args[0]) : args
    return this.#element(
      name ?? '',
      sides.map((one) => this.#operand(one)),
      folded ? ' matchCase="false"' : '',
    )
  }

  #element(name: string, parts: (string | undefined)[], attributes = ''): string | undefined {
    return parts.includes(undefined) ? undefined : `<${name}${attributes}>${parts.join('')}</${name}>`
  }

  #like([value, pattern]: Node[]): string {
    return `<PropertyIsLike wildCard="%" singleChar="_" escapeChar="\\">${this.#operand(value)}${this.#operand(pattern)}</PropertyIsLike>`
  }

  #call({ op, args }: Call): string {
    const name = arithmetic[op]
    const inside = args.map((one) => this.#operand(one)).join('')
    return name === undefined ? `<Function name="${op}">${inside}</Function>` : `<${name}>${inside}</${name}>`
  }

  #operand(node: Node): string {
    // CQL2 has a name for the only geometry; WFS has that of its column.
    if (isProperty(node))
      return `<${this.#reference}>${node.property === 'geometry' ? 'geom' : node.property}</${this.#reference}>`
    if (typeof node !== 'object' || node === null) return literal(node)
    if ('date' in node || 'timestamp' in node) return literal(Object.values(node)[0])
    if ('interval' in node) {
      const [from, to] = node.interval as string[]
      return `<gml:TimePeriod><gml:beginPosition>${from}</gml:beginPosition><gml:endPosition>${to}</gml:endPosition></gml:TimePeriod>`
    }
    if ('op' in node) return this.#call(node as Call)
    if ('bbox' in node) {
      const [west, south, east, north] = node.bbox as number[]
      return `<gml:Envelope srsName="EPSG:4326"><gml:lowerCorner>${west} ${south}</gml:lowerCorner><gml:upperCorner>${east} ${north}</gml:upperCorner></gml:Envelope>`
    }
    return gmlOf(node as GeoJson, ' srsName="EPSG:4326"')
  }
}

const arithmetic: Record<string, string> = { '+': 'Add', '-': 'Sub', '*': 'Mul', '/': 'Div' }

function isProperty(node: Node): node is { property: string } {
  return typeof node === 'object' && node !== null && 'property' in node
}

function literal(value: unknown): string {
  return `<Literal>${escapeXml(String(value))}</Literal>`
}

function positions(list: unknown): string {
  return `<gml:posList>${(list as number[][]).flat().join(' ')}</gml:posList>`
}

function gmlOf({ type, coordinates }: GeoJson, srs = ''): string {
  if (type === 'Point')
    return `<gml:Point${srs}><gml:pos>${(coordinates as number[]).join(' ')}</gml:pos></gml:Point>`
  if (type === 'LineString') return `<gml:LineString${srs}>${positions(coordinates)}</gml:LineString>`
  if (type === 'Polygon') {
    const rings = (coordinates as unknown[]).map((ring, at) => {
      const name = at === 0 ? 'exterior' : 'interior'
      return `<gml:${name}><gml:LinearRing>${positions(ring)}</gml:LinearRing></gml:${name}>`
    })
    return `<gml:Polygon${srs}>${rings.join('')}</gml:Polygon>`
  }
  const parts = (coordinates as unknown[]).map(
    (part) => `<gml:surfaceMember>${gmlOf({ type: 'Polygon', coordinates: part })}</gml:surfaceMember>`,
  )
  return `<gml:MultiSurface${srs}>${parts.join('')}</gml:MultiSurface>`
}
