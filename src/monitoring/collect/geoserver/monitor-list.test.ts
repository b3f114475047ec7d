import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { listFormats, readList, readRecord } from './monitor-list.ts'
import { parseMonitorTime } from './request-data.ts'

const name = 'org.geoserver.monitor.RequestData'
const record = {
  id: 5,
  status: 'FINISHED',
  startTime: '2025-10-10 11:55:36.123 UTC',
  totalTime: 25,
  path: '/wms',
  resources: { string: ['a:b', 'a:c'] },
  responseLength: [1000, 3],
}

function idsOf(document: unknown): number[] {
  const { records, ids } = readList(JSON.stringify(document), 'json')
  return [...records.map(({ id }) => id), ...ids]
}

describe("lists of GeoServer's monitor", () => {
  it('are read in every wrapping', () => {
    const wrappings = [
      { list: { [name]: [record, { ...record, id: 6 }] } },
      { list: [{ [name]: [record, { ...record, id: 6 }] }] },
      { list: [{ [name]: record }, { [name]: { ...record, id: 6 } }] },
      { [name]: [record, { ...record, id: 6 }] },
      [record, { ...record, id: 6 }],
      { [`${name}s`]: { [name]: [{ name: 5, href: 'x' }, { id: '6' }] } },
    ]
    for (const document of wrappings) assert.deepEqual(idsOf(document), [5, 6], JSON.stringify(document))
  })

  it('may be empty', () => {
    for (const document of [{ list: '' }, { list: [''] }, [], {}]) assert.deepEqual(idsOf(document), [])
    assert.deepEqual(readList('<list/>', 'xml'), { records: [], ids: [], length: 7 })
    const page = '<html><table></table></html>'
    assert.deepEqual(readList(page, 'html'), { records: [], ids: [], length: page.length })
  })

  it('are refused where they are none', () => {
    for (const text of ['', 'null', '5', '"x"', '<html>']) assert.throws(() => readList(text, 'json'), Error)
    for (const text of ['', 'x', '<a>', '{}']) assert.throws(() => readList(text, 'xml'), Error)
    assert.throws(() => readList('Sign in', 'html'), /not a list/)
  })

  it('tell times with and without a zone', () => {
    const expected = Date.UTC(2025, 9, 10, 11, 55, 36, 123)
    for (const text of [
      '2025-10-10 11:55:36.123 UTC',
      '2025-10-10T11:55:36.123Z',
      '2025-10-10T13:55:36.123+0200',
      '2025-10-10 11:55:36.123',
    ]) {
      assert.equal(parseMonitorTime(text), expected, text)
    }
    for (const text of ['', 'yesterday', '2025-13-10 11:55:36'])
      assert.ok(Number.isNaN(parseMonitorTime(text)))
  })

  it('expand no entities and follow no depth', () => {
    const bomb = `<!DOCTYPE a [<!ENTITY b "${'x'.repeat(1000)}">]><${name}><path>&b;</path></${name}>`
    assert.throws(() => readRecord(bomb, 'xml'), Error)
    assert.throws(() => readList('<a>'.repeat(10_000), 'xml'), /nested too deep/)
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    assert.deepEqual(readList(deep, 'json'), { records: [], ids: [], length: deep.length })
  })

  it('are read or refused, whatever stands in them', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constantFrom('', null, -1, 1e300, '1e999', [], {}))
    const strange = fc.record({
      id: fc.oneof(fc.nat(), value),
      status: value,
      startTime: fc.oneof(fc.constant(record.startTime), value),
      totalTime: value,
      resources: value,
      error: fc.oneof(fc.record({ '@class': value, detailMessage: value, stackTrace: value }), value),
      responseStatus: value,
    })
    fc.assert(
      fc.property(fc.array(strange), fc.string(), fc.constantFrom(...listFormats), (list, text, format) => {
        for (const one of readList(JSON.stringify({ list: { [name]: list } }), 'json').records) {
          assert.ok(Number.isSafeInteger(one.id) && Number.isSafeInteger(one.start))
          assert.ok(one.milliseconds >= 0 && one.sizeBytes >= 0 && one.responseStatus >= 0)
        }
        try {
          readList(text, format)
        } catch (error) {
          assert.ok(error instanceof Error)
        }
      }),
    )
  })
})
