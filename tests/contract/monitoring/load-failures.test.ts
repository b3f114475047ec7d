import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { openSeriesDatabase } from '../../../src/monitoring/series/open-series-database.ts'
import type { FedMonitoring } from '../../support/fed-monitoring.ts'
import { placeOf, startFed } from '../../support/fed-monitoring.ts'
import { databases } from '../../support/monitoring-client.ts'
import type { DumpObject } from '../../support/older-dump.ts'
import { countValue, dumpObjects, dumpOf, dumpText, loadDump } from '../../support/older-dump.ts'

/** Rows that only a load makes here. */
const loaded = [
  'monitoring_series where load_id <> 0 or service_id < 0',
  'monitoring_exceptions',
  'monitoring_loads',
  'monitoring_resources',
]

/** Returns everything that a load could have left: rows of the series, and the configuration. */
async function traces(fed: FedMonitoring): Promise<unknown> {
  const database = await openSeriesDatabase(placeOf(fed.server))
  try {
    const rows: number[] = []
    for (const table of loaded) {
      const [row] = await database.arrays(`select count(*) from ${table}`)
      rows.push(Number(row?.[0]))
    }
    const lists = ['hosts', 'services', 'notifications'].map(async (list) => {
      const { json } = await fed.call('GET', `/api/${list}/`)
      return JSON.stringify(json, ['hosts', 'services', 'data', 'notifications', 'name'])
    })
    return [rows, await Promise.all(lists)]
  } finally {
    await database.close()
  }
}

const host = { model: 'monitoring.host', pk: 1, fields: { name: 'a', ip: '192.0.2.1' } }
const hugeElement = `[{"model":"monitoring.host","pk":1,"fields":{"name":"${'a'.repeat(17 * 2 ** 20)}"}}]`

const refused: [what: string, body: string | Buffer, message: RegExp][] = [
  ['nothing', '', /empty: expected a JSON array/],
  ['an object', '{"a": 1}', /not a JSON array: byte 0 is "\{"/],
  ['a text', 'PGDMP', /not a JSON array: byte 0 is "P"/],
  ['a list of nothing', '[]', /holds nothing of the monitoring application/],
  ['a list that does not end', '[', /ends within element 1/],
  ['half of the dump', dumpText.slice(0, dumpText.length / 2), /ends within element \d+ of the dump/],
  ['all but the last bracket', dumpText.trimEnd().slice(0, -1), /ends within element \d+/],
  ['something behind the list', `${dumpText} []`, /text after the end/],
  ['an element that is none', JSON.stringify([host, 7]), /Element 2 of the dump has no model and fields/],
  [
    'a missing comma',
    `[${JSON.stringify(host)} ${JSON.stringify(host)}]`,
    /Element 1 of the dump is not JSON/,
  ],
  ['a comma too many', `[${JSON.stringify(host)},]`, /element 2 of the dump is missing/],
  [
    'a missing key',
    JSON.stringify([{ ...host, pk: undefined }]),
    /Element 1 of the dump \(monitoring\.host\) has no pk/,
  ],
  ['another application', '[{"model":"people.profile","pk":1,"fields":{}}]', /nothing of the monitoring app/],
  ['an element of 17 MiB', hugeElement, /more than 16777216 bytes of element 1/],
  ['a broken archive', gzipSync(dumpText).subarray(0, 900), /compressed by gzip, but broken/],
]

/** Values in any field, of the kinds that a broken or hostile dump may have. */
const anything = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.constant(null),

  fc.constantFrom(1e300, -1e300, 1e16, '9'.repeat(400), 'NaN', '0x10', '\ud800', '\0', '界'.repeat(3000)),
  fc.constantFrom('2021-07-01', '9999-12-31T23:59:59Z', '99:99:99', [], {}, [[1]], { a: { b: 1 } }),
)

interface Change {
  object: number
  field: number
  value: unknown
}

const changes = fc.array(fc.record({ object: fc.nat(), field: fc.nat(), value: anything }), {
  minLength: 1,
  maxLength: 150,
})

function changed(list: readonly Change[]): DumpObject[] {
  const objects = dumpObjects()
  for (const { object, field, value } of list) {
    const fields = objects[object % objects.length]?.fields ?? {}
    const names = Object.keys(fields)
    fields[names[field % names.length] ?? 'name'] = value
  }
  return objects
}

describe('a dump that is none', () => {
  it('is refused with the place that is wrong, and nothing of it is loaded', async (t) => {
    const fed = await startFed(t)
    const before = await traces(fed)
    for (const [what, body, message] of refused) {
      const { status, text, errors } = await loadDump(fed, body)
      assert.equal(status, 400, `${what}: ${text}`)
      assert.match(errors.file?.[0] ?? '', message, what)
    }
    assert.deepEqual(await traces(fed), before)
    assert.equal((await loadDump(fed, gzipSync(dumpText))).status, 200)
  })

  it('is refused where it is larger than an upload may be', async (t) => {
    const fed = await startFed(t, { TERRANE_MAX_UPLOAD: '20KiB' })
    const before = await traces(fed)
    const { status, text } = await loadDump(fed, dumpText)
    assert.equal(status, 413, text)
    assert.deepEqual(await traces(fed), before)
  })

  it('is refused while another is loaded, and how far that is can be asked for', async (t) => {
    const fed = await startFed(t)
    const progress = async (): Promise<unknown> =>
      ((await fed.call('GET', '/api/load/')).json as unknown as { data: unknown }).data
    assert.deepEqual(await progress(), { running: false, phase: null, done: 0 })
    const first = loadDump(fed, dumpText)
    while (((await progress()) as { running: boolean }).running === false);
    const second = await loadDump(fed, dumpText)
    assert.equal(second.status, 409, second.text)
    assert.match(second.errors.__all__?.[0] ?? '', /Another dump is being loaded/)
    assert.equal((await first).status, 200)
  })
})

for (const [name, makeDatabase] of Object.entries(databases)) {
  describe(`a dump with objects that are wrong on ${name}`, () => {
    it('is loaded without them, and each is told with its reason', async (t) => {
      const fed = await startFed(t, await makeDatabase())
      const wrong: [reason: string, change: Record<string, unknown>][] = [
        ['its service is not loaded', { service: 99 }],
        ['its service is not loaded', { service: null }],
        ['its metric is not in the dump', { service_metric: 9999 }],
        ['there is no such event type here', { event_type: 77 }],
        ['its resource is not in the dump', { resource: 66 }],
        ['valid_to is before valid_from', { valid_to: '2021-07-01T09:00:00Z' }],
        ['valid_to is not a time', { valid_to: 'tomorrow' }],
        ['valid_from is empty', { valid_from: null }],
        ['valid_from is not text', { valid_from: {} }],
        ['service is not a key', { service: [1] }],
        ['value_num is not a number', { value_num: 'ten' }],
        ['value_num is not a number', { value_num: [1] }],
        ['value_num is out of range', { value_num: 1e300 }],
        ['samples_count is out of range', { samples_count: 1e300 }],
        ['it has no number', { value_num: null, value: null }],
      ]
      const values = wrong.map(([, change], index) => countValue(100 + index, 1, change))
      const names = [
        { model: 'monitoring.host', pk: 50, fields: { name: 'nowhere', ip: 'not an address' } },
        { model: 'monitoring.service', pk: 51, fields: { name: 'strange', host: 1, service_type: 88 } },
        { model: 'monitoring.dashboard', pk: 52, fields: {} },
      ]
      const { status, text, model } = await loadDump(fed, dumpOf([...values, ...names, countValue(1, 5)]))
      assert.equal(status, 200, text)
      const expected = new Map<string, number>()
      for (const [reason] of wrong) expected.set(reason, (expected.get(reason) ?? 0) + 1)
      assert.deepEqual(model('metricvalue'), {
        read: wrong.length + 1,
        loaded: 1,
        skipped: Object.fromEntries(expected),
      })
      assert.deepEqual(model('host').skipped, { 'ip is not an address': 1 })
      assert.deepEqual(model('service').skipped, { 'its type is not known': 1 })
      assert.deepEqual(model('dashboard').skipped, { 'there is nothing like it here': 1 })
    })

    it('is loaded or refused, whatever stands in its fields', async (t) => {
      const fed = await startFed(t, await makeDatabase())
      const property = fc.asyncProperty(changes, async (list) => {
        const { status, text } = await loadDump(fed, JSON.stringify(changed(list)))
        assert.ok([200, 400].includes(status), text)
        for (const path of ['metric_data/request.count/?last=600', 'labels/', 'exceptions/', 'services/']) {
          const answer = await fed.call('GET', `/api/${path}`)
          assert.equal(answer.status, 200, answer.text)
        }
      })
      await fc.assert(property, { numRuns: 8 })
    })

    it('is loaded with texts that are too long or no characters', async (t) => {
      const fed = await startFed(t, await makeDatabase())
      const texts = ['界'.repeat(3000), '\ud800', 'a\0b', `${'🌍'.repeat(250)}x`, "'; drop table hosts; --"]
      const objects = dumpObjects()
      const resources = texts.map((text, index) => ({
        model: 'monitoring.monitoredresource',
        pk: 500 + index,
        fields: { name: text, type: 'layer' },
      }))
      const labels = texts.map((text, index) => ({
        model: 'monitoring.metriclabel',
        pk: 500 + index,
        fields: { name: text, user: text },
      }))
      const values = texts.map((_, index) =>
        countValue(5000 + index, 2, { service_metric: 51, label: 500 + index, resource: 500 + index }),
      )
      const { status, text, model } = await loadDump(
        fed,
        JSON.stringify([...objects, ...resources, ...labels, ...values]),
      )
      assert.equal(status, 200, text)
      assert.equal(model('metricvalue').loaded, 42 + texts.length)
    })
  })
}

describe('a dump that is nested deeply', () => {
  it('is refused or loaded without it', async (t) => {
    const fed = await startFed(t)
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`
    const check = `{"model":"monitoring.notificationcheck","pk":1,"fields":{"name":"x","user_threshold":${deep}}}`
    const { status, text } = await loadDump(fed, `[${check}]`)
    assert.ok([200, 400].includes(status), text)
    assert.equal((await loadDump(fed, dumpText)).status, 200)
  })
})
