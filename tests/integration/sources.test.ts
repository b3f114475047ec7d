import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createTestApp, type TestApp } from '../support/app.ts'
import { fixedClock } from '../support/fixed-clock.ts'
import { points, type ShownSource, SourceClient } from '../support/sources/source-client.ts'
import { startWebServer } from '../support/web-server.ts'

const hourMs = 3_600_000
const clock = fixedClock('2026-06-01T10:00:00Z')
let app: TestApp
let client: SourceClient
let folder: string

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'terrane-sources-'))
  app = await createTestApp({
    clock,
    env: { TERRANE_IMPORT_ROOTS: folder, TERRANE_REMOTE_ALLOW: '127.0.0.1/32', TERRANE_MONITORING: 'on' },
  })
  client = new SourceClient(app)
})

after(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

describe('a source of a file', () => {
  it('creates the layer, loads only changed data, and says what changed', async () => {
    const file = write(
      'trees.geojson',
      points([
        [1, 'oak'],
        [2, 'elm'],
        [3, 'ash'],
      ]),
    )
    await client.create({
      name: 'trees',
      data: { type: 'file', file },
      target: { layer: 'trees' },
      updateMode: 'UPSERT',
      keys: ['gid'],
      deleteMissing: true,
    })
    const first = await client.run('trees')
    assert.deepEqual([first.outcome, first.rows, first.trigger], ['loaded', 3, 'api'], first.message ?? '')
    const version = await client.version('trees')

    const same = await client.run('trees')
    assert.deepEqual([same.outcome, same.import], ['unchanged', null])
    utimesSync(file, new Date('2026-06-02T00:00:00Z'), new Date('2026-06-02T00:00:00Z'))
    assert.equal((await client.run('trees')).outcome, 'unchanged', 'the same bytes at another time')
    write(
      'trees.geojson',
      `${points([
        [3, 'ash'],
        [1, 'oak'],
        [2, 'elm'],
      ])}\n`,
    )
    const equal = await client.run('trees')
    assert.equal(equal.outcome, 'unchanged', 'other bytes with equal values')
    assert.equal(await client.version('trees'), version)

    write(
      'trees.geojson',
      points([
        [1, 'oak'],
        [2, 'birch'],
        [4, 'fir'],
      ]),
    )
    const changed = await client.run('trees')
    assert.deepEqual(changed.changes, { added: 1, changed: 1, removed: 1 })
    assert.ok((changed.version ?? 0) > version)
    assert.deepEqual(await client.values('trees', 'name'), ['birch', 'fir', 'oak'])
    assert.equal((await client.show('trees')).state, 'idle')
  })

  it('stops at a limit, keeps the old rows, and loads the new ones when a person accepts', async () => {
    write('trees.geojson', points([[1, 'oak']]))
    await client.change('trees', { stopIf: { removed: { rows: 1 } } })
    const stopped = await client.run('trees')
    assert.equal(stopped.outcome, 'stopped')
    assert.deepEqual(
      stopped.stopped?.map(({ rule }) => rule),
      ['removed'],
    )
    assert.equal((await client.show('trees')).state, 'stopped')
    assert.deepEqual(await client.values('trees', 'name'), ['birch', 'fir', 'oak'])
    const path = `/rest/sources/trees/runs/${stopped.id}/accept`
    await client.request('POST', path, { payload: { stopped: ['fewer'] }, status: 400 })
    await client.request('POST', path, { payload: { stopped: ['removed'] } })
    assert.deepEqual(await client.values('trees', 'name'), ['oak'])
    const [run] = await client.runs('trees')
    assert.deepEqual([run?.outcome, run?.acceptedBy], ['loaded', 'admin'])
    assert.equal((await client.run('trees')).outcome, 'unchanged')
  })

  it('does not overwrite rows that someone else has edited, unless a person accepts', async () => {
    const feature = (
      await client.request<{ features: { id: string }[] }>('GET', '/ogc/collections/default:trees/items')
    ).features[0]
    await client.request('PUT', `/rest/sources/trees`, { payload: { source: { stopIf: null } } })
    const headers = { ...app.admin, 'content-type': 'application/merge-patch+json' }
    const edited = await app.app.inject({
      method: 'PATCH',
      url: `/ogc/collections/default:trees/items/${feature?.id}`,
      payload: { properties: { name: 'by hand' } },
      headers,
    })
    assert.ok(edited.statusCode < 300, edited.body)
    write(
      'trees.geojson',
      points([
        [1, 'oak'],
        [9, 'yew'],
      ]),
    )
    const stopped = await client.run('trees')
    assert.deepEqual([stopped.outcome, stopped.code], ['stopped', 'edited'])
    assert.deepEqual(await client.values('trees', 'name'), ['by hand'])
    const path = `/rest/sources/trees/runs/${stopped.id}/accept`
    await client.request('POST', path, { payload: { stopped: ['edited'] } })
    await client.settle('trees')
    assert.deepEqual(await client.values('trees', 'name'), ['oak', 'yew'])
  })

  it('fails when its layer was deleted, and creates it again on request', async () => {
    await client.request('DELETE', '/rest/layers/trees')
    write(
      'trees.geojson',
      points([
        [1, 'oak'],
        [2, 'elm'],
      ]),
    )
    const failed = await client.run('trees')
    assert.deepEqual([failed.outcome, failed.code], ['failed', 'target-deleted'])
    const again = await client.run('trees', { recreate: true })
    assert.equal(again.outcome, 'loaded', again.message ?? '')
    assert.deepEqual(await client.values('trees', 'name'), ['elm', 'oak'])
  })

  it('runs with the rights of its owner, and fails without harm once the owner is gone', async () => {
    const user = { name: 'anna', password: 'long-enough-1', role: 'staff' }
    await client.request('POST', '/rest/security/users', { payload: { user }, status: 201 })
    write('paths.geojson', points([[1, 'a']]))
    await client.create({ name: 'paths', data: { type: 'file', file: 'paths.geojson' }, owner: 'anna' })
    assert.equal((await client.run('paths')).outcome, 'loaded')
    write('paths.geojson', points([[1, 'b']]))
    const disabled = { payload: { user: { enabled: false } } }
    await client.request('PUT', '/rest/security/users/anna', disabled)
    assert.equal((await client.run('paths')).code, 'owner-disabled')
    const demoted = { payload: { user: { enabled: true, role: 'user' } } }
    await client.request('PUT', '/rest/security/users/anna', demoted)
    assert.equal((await client.run('paths')).code, 'owner-rights')
    await client.request('DELETE', '/rest/security/users/anna')
    assert.equal((await client.run('paths')).code, 'owner-gone')
    assert.deepEqual(await client.values('paths', 'name'), ['a'])
  })
})

describe('a schedule', () => {
  it('runs once after downtime, and once a day', async () => {
    write('daily.geojson', points([[1, 'x']]))
    await client.create({
      name: 'daily',
      data: { type: 'file', file: 'daily.geojson' },
      schedule: { cron: '0 3 * * *', timeZone: 'Europe/Berlin' },
    })
    assert.equal((await client.show('daily')).nextRun, '2026-06-02T01:00:00.000Z')
    assert.deepEqual(await client.settle('daily'), [])
    clock.advance(72 * hourMs)
    await client.settle('daily')
    const runs = await client.runs('daily')
    assert.deepEqual(
      runs.map(({ outcome, trigger }) => [outcome, trigger]),
      [['loaded', 'schedule']],
    )
    assert.equal((await client.show('daily')).nextRun, '2026-06-05T01:00:00.000Z')
    clock.advance(24 * hourMs)
    assert.equal((await client.settle('daily')).length, 2)
  })

  it('recovers from a clock that was years ahead', async () => {
    const start = clock.now().getTime()
    clock.advance(5 * 365 * 24 * hourMs)
    await client.settle('daily')
    clock.advance(start - clock.now().getTime())
    await client.settle('daily')
    const { nextRun } = await client.show('daily')
    assert.ok(nextRun !== null && Date.parse(nextRun) - start < 24 * hourMs, nextRun ?? '')
  })

  it('is refused where it is invalid, with what to write instead', async () => {
    const data = { type: 'file', file: 'daily.geojson' }
    for (const [schedule, text] of [
      [{ cron: '0 0 31 2 *' }, /matches no date/],
      [{ cron: 'daily' }, /such as/],
      [{ cron: '0 3 * * *', timeZone: 'Mars' }, /IANA/],
    ] as const)
      assert.match(await client.create({ name: 'bad', data, schedule }, 400), text)
    assert.match(await client.create({ name: 'bad', data, updateMode: 'UPSERT' }, 400), /needs \\"keys\\"/)
    assert.match(await client.create({ name: 'a/b', data }, 400), /not valid/)
    assert.match(await client.create({ name: 'daily', data }, 409), /already/)
    assert.match(await client.create({ name: 'bad', data, receivers: ['nobody'] }, 400), /mail addresses/)
  })
})

describe('a watched folder', () => {
  it('waits for files that are still written, and loads what is new', async () => {
    const inbox = mkdtempSync(join(folder, 'inbox-'))
    await client.create({
      name: 'inbox',
      data: { type: 'directory', location: inbox },
      updateMode: 'APPEND',
      target: { layer: 'surveys' },
      schedule: { watch: true, quietSeconds: 30 },
    })
    await client.settle('inbox')
    clock.advance(60_000)
    assert.deepEqual(await client.settle('inbox'), [], 'an empty folder has nothing to load')
    writeFileSync(join(inbox, 'day1.geojson'), points([[1, 'a']]).slice(0, 50))
    await client.settle('inbox')
    clock.advance(20_000)
    writeFileSync(join(inbox, 'day1.geojson'), points([[1, 'a']]))
    await client.settle('inbox')
    clock.advance(20_000)
    assert.deepEqual(await client.settle('inbox'), [], '20 seconds are not quiet')
    clock.advance(20_000)
    const [first] = await client.settle('inbox')
    assert.deepEqual([first?.outcome, first?.trigger], ['loaded', 'file'], first?.message ?? '')
    writeFileSync(
      join(inbox, 'day2.geojson'),
      points([
        [2, 'b'],
        [3, 'c'],
      ]),
    )
    await client.settle('inbox')
    clock.advance(40_000)
    const runs = await client.settle('inbox')
    assert.deepEqual([runs.length, runs[0]?.outcome, runs[0]?.rows], [2, 'loaded', 2], runs[0]?.message ?? '')
    assert.deepEqual(await client.values('surveys', 'name'), ['a', 'b', 'c'])
    clock.advance(40_000)
    assert.equal((await client.settle('inbox')).length, 2)
  })
})

describe('a source of another server', () => {
  it('asks whether the file has changed, retries with back-off, and hides its password', async (test) => {
    let body = points([[1, 'oak']])
    let status = 200
    const requests: (string | undefined)[] = []
    const url = await startWebServer(test, (request, reply) => {
      const etag = `W/"${body.length}"`
      requests.push(request.headers['if-none-match'])
      if (status !== 200) return reply.writeHead(status, { 'retry-after': '0' }).end('later')
      if (request.headers['if-none-match'] === etag) return reply.writeHead(304).end()
      return reply.writeHead(200, { etag, 'content-type': 'application/geo+json' }).end(body)
    })
    const created = await client.create({
      name: 'web',
      data: { type: 'remote', location: `${url}/oaks.geojson`, username: 'me', password: 'secret-word' },
      retry: { times: 2, firstSeconds: 60 },
      target: { layer: 'oaks' },
    })
    assert.doesNotMatch(created, /secret-word/)
    assert.equal((await client.run('web')).outcome, 'loaded')
    requests.length = 0
    assert.equal((await client.run('web')).outcome, 'unchanged')
    assert.deepEqual(requests, ['W/"'.concat(String(body.length), '"')])

    body = points([
      [1, 'oak'],
      [2, 'elm'],
    ])
    status = 404
    await client.request('POST', '/rest/sources/web/run', { status: 202 })
    await client.settle('web')
    assert.equal((await client.show('web')).state, 'waiting')
    clock.advance(61_000)
    await client.settle('web')
    assert.equal((await client.show('web')).state, 'waiting')
    clock.advance(121_000)
    const [failed] = await client.settle('web')
    assert.deepEqual([failed?.outcome, failed?.attempts], ['failed', 3], failed?.message ?? '')
    assert.match(failed?.message ?? '', /404/)
    assert.equal((await client.show('web')).state, 'failed')
    assert.deepEqual(await client.values('oaks', 'name'), ['oak'])
    const { data } = await client.show('web')
    assert.equal(data.password, '********')
    const metrics = await app.app.inject({ url: '/metrics', headers: app.admin })
    await app.sources.tick()
    assert.match(metrics.body, /terrane_sources\{state="failed"\} \d/)
  })

  it('is listed by the layers that it has loaded', async () => {
    const named = async (query: string) =>
      (await client.request<{ sources: ShownSource[] }>('GET', `/rest/sources${query}`)).sources
    const [source, ...others] = await named('?layer=default:oaks')
    assert.deepEqual([source?.name, source?.layers, others], ['web', ['default:oaks'], []])
    assert.deepEqual([source?.problem?.kind, await named('?layer=default:none')], ['failed', []])
  })

  it('is overdue while a due run does not end: in its state, the status of monitoring and the metrics', async (test) => {
    const url = await startWebServer(test, (_request, reply) => reply.writeHead(404).end())
    await client.create({
      name: 'late',
      data: { type: 'remote', location: `${url}/late.geojson` },
      schedule: { cron: '0 12 * * *' },
      overdueSeconds: 600,
      retry: { times: 5, firstSeconds: 86_400 },
    })
    const { nextRun } = await client.show('late')
    clock.advance(Date.parse(nextRun ?? '') - clock.now().getTime() + 1000)
    await client.settle('late')
    assert.equal((await client.show('late')).state, 'waiting')
    clock.advance(700_000)
    await client.settle('late')
    const { state, problem } = await client.show('late')
    assert.deepEqual([state, problem?.kind], ['overdue', 'overdue'])
    const { data } = await client.request<{ data: { problems: { message: string }[] }[] }>(
      'GET',
      '/monitoring/api/status/',
    )
    const messages = data.flatMap(({ problems }) => problems.map(({ message }) => message))
    assert.ok(messages.includes('Source "late": overdue'), messages.join())
    const metrics = await app.app.inject({ url: '/metrics', headers: app.admin })
    assert.match(metrics.body, /terrane_sources\{state="overdue"\} [1-9]/)
    await client.change('late', { enabled: false })
    const paused = await client.show('late')
    assert.deepEqual([paused.problem, paused.nextRun === null], [null, false], 'the waiting run is shown')
  })
})
