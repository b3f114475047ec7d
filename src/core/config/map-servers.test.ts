import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutUndefined } from '../../../tests/support/without-undefined.ts'
import { loadSettings, SettingsError } from './settings.ts'

function load(servers: unknown) {
  const text = typeof servers === 'string' ? servers : JSON.stringify(servers)
  return loadSettings({ TERRANE_MAP_SERVERS: text }).monitoring.mapServers
}

function problemsOf(servers: unknown): string[] {
  try {
    load(servers)
    return []
  } catch (error) {
    if (error instanceof SettingsError) return error.problems
    throw error
  }
}

describe('TERRANE_MAP_SERVERS', () => {
  it('is empty where it is not set', () => {
    assert.deepEqual(load(''), [])
  })

  it('is a list of servers, with their passwords hidden', () => {
    const [maps, older] = load([
      { name: 'maps', kind: 'MapServer', url: 'http://maps.example.org/', log: '/var/log/nginx/access.log' },
      {
        name: 'older',
        kind: 'geoserver',
        url: 'https://gs.example.org/geoserver',
        user: 'reader',
        password: 'very-secret',
        hostMetrics: 'http://10.0.0.5:9100/metrics',
      },
    ])
    assert.deepEqual(withoutUndefined(maps), {
      name: 'maps',
      kind: 'mapserver',
      url: 'http://maps.example.org',
      log: '/var/log/nginx/access.log',
    })
    assert.equal(older?.password?.reveal(), 'very-secret')
    assert.equal(older?.hostMetrics, 'http://10.0.0.5:9100/metrics')
    assert.doesNotMatch(JSON.stringify(older), /very-secret/)
  })

  it('has every problem told, without values that may be passwords', () => {
    const problems = problemsOf([
      'text',
      {},
      { name: 'a/b', kind: 'apache', url: 'ftp://x', log: 'access.log', colour: 'red' },
      { name: 'x', kind: 'qgis', url: 'http://u:very-secret@x' },
      { name: 'x', kind: 'geoserver', url: 'http://x', password: 'very-secret', user: 7 },
    ])
    assert.deepEqual(
      problems.map((problem) => problem.replace('TERRANE_MAP_SERVERS ', '')),
      [
        'entry 1 must be an object',
        'entry 2 needs "name"',
        'entry 2 needs "kind"',
        'entry 2 needs "url"',
        'entry 2 needs "log", the path of its access log',
        'entry 3 has the unknown key "colour"',
        'entry 3 must have an absolute path as "log"',
        'entry 3 must have a "name" of letters, digits, ".", "-" and "_"',
        'entry 3 must have one of mapserver, qgis, geoserver as "kind"',
        'entry 3 must have an http or https address without user and password as "url"',
        'entry 4 must have an http or https address without user and password as "url"',
        'entry 4 needs "log", the path of its access log',
        'entry 5 must have text as "user"',
        'entry 5 has a "password" without a "user"',
        'names "x" more than once',
      ],
    )
    assert.doesNotMatch(problems.join('\n'), /very-secret/)
  })

  it('is refused when it is not a JSON list, or has too many servers', () => {
    for (const text of ['{}', '[', 'maps'])
      assert.match(problemsOf(text).join(), /TERRANE_MAP_SERVERS must be a JSON list/)
    const many = Array.from({ length: 101 }, (_, index) => ({ name: `m${index}` }))
    assert.deepEqual(problemsOf(many), ['TERRANE_MAP_SERVERS has 101 map servers, at most 100 are watched'])
  })
})
