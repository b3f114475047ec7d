import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startMonitoring } from '../../support/monitoring-client.ts'

const ows = ['TMS', 'WMS-C', 'WMTS', 'WCS', 'WFS', 'WMS', 'WPS']
const owsTypes = [
  ...ows.map((name) => ({ name: `OWS:${name}`, type_label: name })),
  { name: 'OWS:ALL', type_label: 'Any OWS' },
]
const otherTypes = [
  { name: 'other', type_label: 'Not OWS' },
  { name: 'all', type_label: 'All' },
  { name: 'create', type_label: 'Create' },
  { name: 'upload', type_label: 'Upload' },
  { name: 'change', type_label: 'Change' },
  { name: 'change_metadata', type_label: 'Change Metadata' },
  { name: 'view_metadata', type_label: 'View Metadata' },
  { name: 'view', type_label: 'View' },
  { name: 'download', type_label: 'Download' },
  { name: 'publish', type_label: 'Publish' },
  { name: 'remove', type_label: 'Remove' },
  { name: 'mapserver', type_label: 'Geoserver event' },
]
const resourceTypes = [
  ['', 'No resource'],
  ['layer', 'Layer'],
  ['map', 'Map'],
  ['resource_base', 'Resource base'],
  ['document', 'Document'],
  ['style', 'Style'],
  ['admin', 'Admin'],
  ['url', 'URL'],
  ['other', 'Other'],
].map(([name, label]) => ({ name, type: label, type_label: label }))

const applicationMetrics = [
  'request rate Count',
  'request.count count Count',
  'request.users value Count',
  'request.ip value Count',
  'request.ua value Count',
  'request.ua.family value Count',
  'request.path value Count',
  'request.method value Count',
  'request.country value Count',
  'request.region value Count',
  'request.city value Count',
  'response.status value Count',
  'response.time rate ms',
  'response.size rate B',
  'response.error.count count Count',
  'response.error.types value Count',
  'response.first_byte rate ms',
]
const hostMetrics = [
  'load.1m rate Rate',
  'load.5m rate Rate',
  'load.15m rate Rate',
  'mem.all rate B',
  'mem.free rate B',
  'mem.usage rate B',
  'mem.usage.percent rate %',
  'mem.buffers rate B',
  'uptime rate s',
  'cpu.usage count s',
  'cpu.usage.rate rate Rate',
  'cpu.usage.percent rate %',
  'storage.total rate B',
  'storage.used rate B',
  'storage.free rate B',
  'network.in count B',
  'network.out count B',
  'network.in.rate rate B/s',
  'network.out.rate rate B/s',
  'storage.usage.percent rate %',
]

const older = { env: { TERRANE_DIALECT: 'geoserver' } }
const envelopeOf = (key: string) => ({ status: 'ok', success: true, errors: {}, data: { key } })
type Named = { name: string }
const byName = (left: Named, right: Named) => (left.name < right.name ? -1 : 1)

describe('GET hosts', () => {
  it('answers only the list, each host with name and address', async (test) => {
    const { call } = await startMonitoring(test)
    const answer = await call('GET', '/api/hosts/')
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json, { hosts: [{ id: 1, name: 'localhost', ip: '127.0.0.1' }] })
  })
})

describe('GET services', () => {
  it('answers only the list, each service with the fields of the contract', async (test) => {
    const { call, server } = await startMonitoring(test)
    await server.services.markChecked(1, new Date('2026-11-21T12:04:00Z'))
    const { json } = await call('GET', '/api/services/')
    assert.deepEqual(Object.keys(json), ['services'])
    const common = { host: 'localhost', check_interval: 60, active: true }
    assert.deepEqual(json.services, [
      { id: 1, name: 'localhost-app', type: 'app', last_check: '2026-11-21T12:04:00.000Z', ...common },
      { id: 2, name: 'localhost-hostapp', type: 'hostapp', last_check: null, ...common },
      { id: 3, name: 'localhost-mapserver', type: 'mapserver', last_check: null, ...common },
    ])
  })

  it('has the type names and times of older systems in their dialect, and whether services are active', async (test) => {
    const { call, server } = await startMonitoring(test, older)
    await server.services.markChecked(1, new Date('2026-11-21T12:04:00Z'))
    await server.services.update(2, { isActive: false })
    const services = (await call('GET', '/api/services/')).json.services as unknown as {
      type: string
      last_check: string | null
      active: boolean
    }[]
    assert.deepEqual(
      services.map(({ type, active }) => [type, active]),
      [
        ['geonode', true],
        ['hostgeonode', false],
        ['geoserver', true],
      ],
    )
    assert.equal(services[0]?.last_check, '2026-11-21T12:04:00.000000Z')
  })
})

describe('GET metrics', () => {
  it('answers only the list, grouped by type of service', async (test) => {
    const { call } = await startMonitoring(test)
    const { json } = await call('GET', '/api/metrics/')
    assert.deepEqual(Object.keys(json), ['metrics'])
    const groups = json.metrics as unknown as { service: string; metrics: Named[] }[]
    assert.deepEqual(
      groups.map(({ service, metrics }) => [service, metrics.length]),
      [
        ['app', 16],
        ['mapserver', 16],
        ['hostapp', 20],
        ['hostmapserver', 20],
      ],
    )
    for (const group of groups)
      for (const metric of group.metrics) assert.deepEqual(Object.keys(metric), ['type', 'name', 'unit'])
    const [app, , host] = groups
    assert.deepEqual(app?.metrics[1], { type: 'count', name: 'request.count', unit: 'Count' })
    assert.deepEqual(
      app?.metrics.find(({ name }) => name === 'response.time'),
      { type: 'rate', name: 'response.time', unit: 'ms' },
    )
    assert.deepEqual(
      host?.metrics.find(({ name }) => name === 'network.in.rate'),
      { type: 'rate', name: 'network.in.rate', unit: 'B/s' },
    )
  })

  it('has the metrics of applications and of hosts, each with its type and unit', async (test) => {
    const { call } = await startMonitoring(test)
    const groups = (await call('GET', '/api/metrics/')).json.metrics as unknown as {
      service: string
      metrics: { type: string; name: string; unit: string }[]
    }[]
    for (const { service, metrics } of groups)
      assert.deepEqual(
        metrics.map(({ name, type, unit }) => `${name} ${type} ${unit}`),
        service.startsWith('host') ? hostMetrics : applicationMetrics,
        service,
      )
  })

  it('has metrics of the types count, value and rate alone', async (test) => {
    const { call } = await startMonitoring(test)
    const groups = (await call('GET', '/api/metrics/')).json.metrics as unknown as {
      metrics: { type: string }[]
    }[]
    const types = new Set(groups.flatMap(({ metrics }) => metrics.map(({ type }) => type)))
    assert.deepEqual([...types].sort(), ['count', 'rate', 'value'])
  })

  it('has the type names of older systems in their dialect', async (test) => {
    const { call } = await startMonitoring(test, older)
    const groups = (await call('GET', '/api/metrics/')).json.metrics as unknown as { service: string }[]
    assert.deepEqual(
      groups.map(({ service }) => service),
      ['geonode', 'geoserver', 'hostgeonode', 'hostgeoserver'],
    )
  })
})

describe('GET resource_types', () => {
  it('answers the envelope and the list beside it', async (test) => {
    const { call } = await startMonitoring(test)
    const { json } = await call('GET', '/api/resource_types/')
    assert.deepEqual(json, { ...envelopeOf('resource_types'), resource_types: resourceTypes })
  })
})

describe('GET event_types', () => {
  it('answers the envelope and every type, without labels', async (test) => {
    const { call } = await startMonitoring(test)
    const { event_types, ...rest } = (await call('GET', '/api/event_types/')).json
    assert.deepEqual(rest, envelopeOf('event_types'))
    const types = event_types as unknown as Named[]
    const expected = [...owsTypes, ...otherTypes].map(({ name }) => ({ name }))
    assert.deepEqual(types.toSorted(byName), expected.toSorted(byName))
  })

  it('answers those of OGC services with labels for ows_service true', async (test) => {
    const { call } = await startMonitoring(test)
    for (const value of ['True', 'true', '1', 'TRUE']) {
      const { json } = await call('GET', `/api/event_types/?ows_service=${value}`)
      assert.deepEqual(json, { ...envelopeOf('event_types'), event_types: owsTypes })
    }
  })

  it('answers the others with labels for ows_service false', async (test) => {
    const { call } = await startMonitoring(test)
    for (const value of ['False', 'false', '0']) {
      const { json } = await call('GET', `/api/event_types/?ows_service=${value}`)
      assert.deepEqual(json, { ...envelopeOf('event_types'), event_types: otherTypes })
    }
  })

  it('refuses another ows_service with 400 on the parameter', async (test) => {
    const { call } = await startMonitoring(test)
    const { status, json } = await call('GET', '/api/event_types/?ows_service=maybe')
    assert.equal(status, 400)
    assert.deepEqual(json.errors, {
      ows_service: ['Select a valid choice. maybe is not one of the available choices.'],
    })
  })

  it('has labels always, and the name geoserver, in the dialect of older systems', async (test) => {
    const { call } = await startMonitoring(test, older)
    const types = (await call('GET', '/api/event_types/')).json.event_types as unknown as Named[]
    const expected = [...owsTypes, ...otherTypes].map((type) =>
      type.name === 'mapserver' ? { ...type, name: 'geoserver' } : type,
    )
    assert.deepEqual(types.toSorted(byName), expected.toSorted(byName))
  })
})

describe('lists', () => {
  it('that only administrators may read in the dialect of older systems are hidden from others', async (test) => {
    const { call } = await startMonitoring(test, older)
    for (const path of ['resource_types', 'event_types'])
      for (const headers of [{ authorization: '' }]) {
        const answer = await call('GET', `/api/${path}/`, undefined, headers)
        assert.equal(answer.status, 403)
        assert.equal(answer.text, '{"error":"unauthorized_request"}')
        assert.equal(answer.headers['www-authenticate'], undefined)
      }
  })
})
