import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { cql2JsonOf } from '../../../../tests/support/cql2-json-of.ts'
import { cql2TextOf, fesOf } from '../../../../tests/support/write-expression.ts'
import { parseCql2Json } from '../../../filters/cql2-json.ts'
import { parseCql2Text } from '../../../filters/cql2-text.ts'
import type { Expression } from '../../../filters/expression.ts'
import { call, filterComparisons } from '../../../filters/expression.ts'
import type { Attribute, Schema } from '../../../geo/schema.ts'
import { parseRequestXml } from '../request-xml.ts'
import { LayerFesReader } from './layer-fes-reader.ts'

/** Geometries in well-known text and in GML. */
const shapes = [
  ['POINT(5 4)', '<Point><pos>5 4</pos></Point>'],
  ['LINESTRING(0 0,12.5 -14)', '<LineString><posList>0 0 12.5 -14</posList></LineString>'],
  [
    'POLYGON((1 1,2 1,2 2,1 1))',
    '<Polygon><exterior><LinearRing><posList>1 1 2 1 2 2 1 1</posList></LinearRing></exterior></Polygon>',
  ],
].map(([wkt = '', gml = '']) => ({ wkt, gml: gml.replace('>', ' srsName="EPSG:4326">'), wkb: wkbOf(wkt) }))

function wkbOf(wkt: string): Uint8Array {
  const written = parseCql2Text(`S_INTERSECTS(geom, ${wkt})`)
  const [, geometry] = written.kind === 'call' ? written.args : []
  assert.equal(geometry?.kind, 'geometry')
  return geometry.wkb
}

function shapeOf(wkb: Uint8Array) {
  const found = shapes.find((one) => Buffer.from(one.wkb).equals(wkb))
  assert.ok(found)
  return found
}

const property = (name: string): Expression => ({ kind: 'property', name })
const number = fc
  .integer({ min: -2000, max: 2000 })
  .map((value): Expression => ({ kind: 'number', digits: String(value / 4) }))
const text = fc
  .string({ unit: fc.constantFrom('a', 'Z', 'ß', '日', '😀', "'", '"', '<', '&', '%', '_', ' ') })
  .map((value): Expression => ({ kind: 'text', value }))
const numeric = fc.letrec<{ value: Expression }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constant(property('pop')),
    number,
    fc
      .tuple(fc.constantFrom('+', '-', '*', '/'), tie('value'), tie('value'))
      .map(([op, left, right]) => call(op, left, right)),
    fc.tuple(fc.constantFrom('abs', 'round'), tie('value')).map(([op, value]) => call(op, value)),
  ),
})).value
const name = fc.constantFrom(
  property('name'),
  call('lower', property('name')),
  call('casei', call('accenti', property('name'))),
)
const moment = fc.oneof(
  fc.constantFrom('2024-02-28', '2024-02-29').map((day): Expression => ({ kind: 'date', text: day })),
  fc
    .constantFrom('2024-02-28T12:00:00Z', '2024-03-01T00:00:00.5Z')
    .map((time): Expression => ({ kind: 'timestamp', text: time })),
)
const end = fc.oneof(moment, fc.constant<Expression>({ kind: 'open' }))
const period = fc.tuple(end, end).map(([from, to]): Expression => ({ kind: 'interval', from, to }))
const shape = fc.constantFrom(...shapes).map(({ wkb }): Expression => ({ kind: 'geometry', wkb }))
const sign = fc.constantFrom(...filterComparisons)

/** Predicates of all notations. */
const common = [
  fc.tuple(sign, numeric).map(([op, value]) => call(op, property('pop'), value)),
  fc.tuple(sign, name, text).map(([op, of, value]) => call(op, of, value)),
  fc.boolean().map((value) => call('=', property('flag'), { kind: 'boolean', value })),
  fc.tuple(name, text).map(([of, pattern]) => call('like', of, pattern)),
  fc.constantFrom('name', 'pop', 'geom').map((one) => call('isNull', property(one))),
  fc.tuple(number, number).map(([least, most]) => call('between', property('pop'), least, most)),
  fc
    .tuple(fc.constantFrom('t_after', 't_before', 't_during'), fc.oneof(moment, period))
    .map(([op, time]) => call(op, property('day'), time)),
  fc
    .tuple(fc.constantFrom('s_intersects', 's_disjoint', 's_within'), shape, fc.boolean())
    .map(([op, of, isFirst]) => (isFirst ? call(op, property('geom'), of) : call(op, of, property('geom')))),
]
/** Predicates that Filter Encoding does not have. */
const ofCql2 = [
  fc
    .array(number, { minLength: 1, maxLength: 3 })
    .map((of) => call('in', property('pop'), { kind: 'list', of })),
  fc.constant(property('flag')),
  fc
    .tuple(fc.constantFrom('%', 'div', '^'), number)
    .map(([op, value]) => call('>', call(op, property('pop'), value), value)),
  fc.constant(call('s_intersects', property('geom'), { kind: 'box', sides: [-1, 2, 3.5, 4] })),
]

function filters(predicates: fc.Arbitrary<Expression>[]): fc.Arbitrary<Expression> {
  return fc.letrec<{ filter: Expression }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      ...predicates,
      tie('filter').map((of) => call('not', of)),
      fc
        .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 2, maxLength: 3 }))
        .map(([op, of]) => call(op, ...of)),
    ),
  })).filter
}

/** Without the positions of calls in the text. */
function plain(written: Expression): unknown {
  return JSON.parse(JSON.stringify(written, (key, value: unknown) => (key === 'at' ? undefined : value)))
}

const attributes = [
  ['name', 'text'],
  ['pop', 'float64'],
  ['flag', 'boolean'],
  ['day', 'timestamp'],
].map(([attribute, type]) => ({ name: attribute, type, nullable: true }) as Attribute)
const schema: Schema = {
  attributes,
  geometry: { name: 'geom', type: 'Geometry', hasZ: false, hasM: false, crs: undefined },
}
const limits = {
  bodyBytes: 1_000_000,
  queries: 1,
  elements: 10_000,
  attributes: 20,
  depth: 200,
  filterNodes: 5000,
  coordinates: 5000,
}

function readFes(xml: string): Expression {
  const element = parseRequestXml(xml, limits, (reason) => new Error(reason))
  return new LayerFesReader({ details: { schema, srs: 'EPSG:4326' } }).read(element)
}

describe('a filter that is written in a notation', () => {
  it('is read as the same filter from CQL2 text', () => {
    fc.assert(
      fc.property(filters([...common, ...ofCql2]), (filter) => {
        const written = cql2TextOf(filter, (wkb) => shapeOf(wkb).wkt)
        assert.deepEqual(plain(parseCql2Text(written)), plain(filter), written)
      }),
      { numRuns: 400 },
    )
  })

  it('is read as the same filter from CQL2 JSON', () => {
    fc.assert(
      fc.property(filters([...common, ...ofCql2]), (filter) => {
        const written = JSON.stringify(cql2JsonOf(filter, new Map()))
        assert.deepEqual(plain(parseCql2Json(written)), plain(filter), written)
      }),
      { numRuns: 400 },
    )
  })

  it('is read as the same filter from Filter Encoding 1.1 and 2.0', () => {
    fc.assert(
      fc.property(filters(common), fc.constantFrom('PropertyName', 'ValueReference'), (filter, reference) => {
        const written = fesOf(filter, reference, (wkb) => shapeOf(wkb).gml)
        assert.deepEqual(plain(readFes(written)), plain(filter), written)
      }),
      { numRuns: 400 },
    )
  })
})
