import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { ImporterClient } from '../../support/importer-client.ts'
import { countFeatures, listOf, startImporter } from '../../support/importer-client.ts'
import { patience } from '../../support/until.ts'

function provideText(client: ImporterClient, name: string, content: string): string {
  const path = join(client.server.dataDir, 'incoming', name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  return name
}

async function until(
  client: ImporterClient,
  path: string,
  isDone: (state: string) => boolean,
): Promise<string> {
  for (const hasTime = patience(); hasTime(); ) {
    const state = String((await client.call('GET', path)).json.import?.state)
    if (isDone(state)) return state
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return assert.fail(`${path} does not come to an end`)
}

const points = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [1, 2] } }],
})

describe('imports', () => {
  it('get ids from 0, take proposed ones above the next, and never use one twice', async (test) => {
    const client = await startImporter(test)
    const idOf = async (method: string, path: string) =>
      (await client.call(method, path, {})).json.import?.id as unknown as number
    assert.equal(await idOf('POST', ''), 0)
    assert.equal(await idOf('PUT', '/500'), 500)
    assert.equal(await idOf('PUT', '/400'), 501)
    assert.equal(await idOf('POST', ''), 502)
    assert.equal((await client.call('DELETE', '/502')).status, 200)
    assert.equal(await idOf('POST', ''), 503)
    const far = await client.call('PUT', '/2147483648')
    assert.equal(far.status, 400)
    const put = await client.call('PUT', '/600', {
      import: { targetWorkspace: { workspace: { name: 'default' } } },
    })
    assert.equal(put.status, 201)
    assert.match(String(put.headers.location), /\/rest\/imports\/600$/)
    assert.deepEqual(put.json.import?.targetWorkspace, { workspace: { name: 'default' } })
  })

  it('are listed newest first, by state, limit and offset, with id, state and href alone', async (test) => {
    const client = await startImporter(test)
    for (let count = 0; count < 3; count += 1) await client.call('POST', '')
    await client.call('POST', '', { import: { data: { type: 'file', file: 'missing.shp' } } })
    const ids = async (query: string) =>
      listOf<{ id: number }>((await client.call('GET', query)).json.imports).map((one) => one.id)
    assert.deepEqual(await ids(''), [3, 2, 1, 0])
    assert.deepEqual(await ids('?state=pending&limit=1&offset=1'), [1])
    assert.deepEqual(await ids('?state=INIT_ERROR'), [3])
    assert.equal((await client.call('GET', '?state=WRONG')).status, 400)
    const listed = await client.call('GET', '?limit=1&offset=3')
    assert.deepEqual(listed.json.imports, [
      { id: 0, href: 'http://localhost:80/rest/imports/0', state: 'PENDING' },
    ])
    const whole = await client.call('GET', '?expand=self')
    assert.deepEqual(whole.json.imports?.[1]?.tasks, [])
  })

  it('show their parts to the level that expand says', async (test) => {
    const client = await startImporter(test)
    provideText(client, 'p.geojson', points)
    await client.call('POST', '', { import: { data: { type: 'file', file: 'p.geojson' } } })
    const at = async (level: string) => (await client.call('GET', `/0?expand=${level}`)).json.import
    assert.deepEqual(Object.keys((await at('none')) ?? {}), ['id', 'href', 'state'])
    const self = await at('self')
    assert.deepEqual(Object.keys(self?.tasks?.[0] ?? {}), ['id', 'href', 'state'])
    assert.deepEqual(await at('gibberish'), self)
    assert.equal((await at('2'))?.tasks?.[0]?.layer?.title, undefined)
    assert.equal((await at('all'))?.tasks?.[0]?.layer?.title, 'p')
  })

  it('that are created synchronously fail as INIT_ERROR with 201 where the data cannot be read', async (test) => {
    const client = await startImporter(test)
    const file = await client.call('POST', '', { import: { data: { type: 'file', file: 'missing.shp' } } })
    assert.equal(file.status, 201)
    assert.equal(file.json.import?.state, 'INIT_ERROR')
    assert.match(String(file.json.import?.message), /missing\.shp/)
    provideText(client, 'broken.zip', 'this is not a zip')
    const zip = await client.call('POST', '', { import: { data: { type: 'file', file: 'broken.zip' } } })
    assert.equal(zip.json.import?.state, 'INIT_ERROR')
    provideText(client, 'missing.shp', '')
    const again = await client.call('POST', '/0')
    assert.equal(again.status, 204)
    assert.notEqual((await client.call('GET', '/0')).json.import?.state, 'INIT_ERROR')
  })

  it('are not created for an unknown workspace, store or data type, or a path outside the roots', async (test) => {
    const client = await startImporter(test)
    for (const [expected, text] of [
      [{ targetWorkspace: { workspace: { name: 'nowhere' } } }, /nowhere/],
      [{ targetStore: { dataStore: { name: 'nothing' } } }, /nothing/],
      [{ data: { type: 'file', file: '/etc/passwd' } }, /TERRANE_IMPORT_ROOTS/],
      [{ data: { type: 'file', file: '../../etc/passwd' } }, /TERRANE_IMPORT_ROOTS/],
      [{ data: { type: 'database' } }, /command line/],
      [{ data: { type: 'strange' } }, /strange/],
      [{ data: { type: 'file', file: 'a.csv', charset: 'no-such' } }, /no-such/],
      [{ transforms: [{ type: 'NoSuchTransform' }] }, /NoSuchTransform/],
    ] as const) {
      const answer = await client.call('POST', '', { import: expected })
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.text, text)
    }
    assert.deepEqual((await client.call('GET', '')).json.imports, [])
    assert.equal((await client.call('POST', '', '{import: ')).status, 400)
  })

  it('start as INIT with async=true and become PENDING by themselves', async (test) => {
    const client = await startImporter(test)
    provideText(client, 'p.geojson', points)
    const created = await client.call('POST', '?async=true', {
      import: { data: { type: 'file', file: 'p.geojson' } },
    })
    assert.equal(created.json.import?.state, 'INIT')
    assert.equal(await until(client, '/0', (state) => state !== 'INIT'), 'PENDING')
    const failed = await client.call('POST', '?async=true', {
      import: { data: { type: 'file', file: 'none.geojson' } },
    })
    assert.equal(failed.json.import?.state, 'INIT')
    assert.equal(await until(client, '/1', (state) => state !== 'INIT'), 'INIT_ERROR')
    assert.match(String((await client.call('GET', '/1')).json.import?.message), /none\.geojson/)
  })

  it('run right after creation with exec=true', async (test) => {
    const client = await startImporter(test)
    provideText(client, 'p.geojson', points)
    const created = await client.call('POST', '?exec=true', {
      import: { data: { type: 'file', file: 'p.geojson' } },
    })
    assert.equal(created.json.import?.state, 'COMPLETE')
    await client.call('POST', '?exec=true&async=true', {
      import: { data: { type: 'file', file: 'p.geojson' } },
    })
    await until(client, '/1', (state) => state === 'COMPLETE')
    assert.equal(await countFeatures(client, 'default:p'), 1)
    assert.equal(await countFeatures(client, 'default:p0'), 1)
  })

  it('answer a run by their state: 204 when complete, 409 with nothing to run, 404 when unknown', async (test) => {
    const client = await startImporter(test)
    provideText(client, 'p.geojson', points)
    await client.call('POST', '?exec=true', { import: { data: { type: 'file', file: 'p.geojson' } } })
    assert.equal((await client.call('POST', '/0')).status, 204)
    await client.call('POST', '')
    assert.equal((await client.call('POST', '/1')).status, 409)
    assert.equal((await client.call('POST', '/77')).status, 404)
    assert.equal((await client.call('GET', '/77')).status, 404)
    assert.equal((await client.call('GET', '/abc')).status, 404)
  })

  it('name the files that nothing reads in a message and make no task of them', async (test) => {
    const client = await startImporter(test)
    provideText(client, 'd/p.geojson', points)
    provideText(client, 'd/readme.xyzzy', 'hello \u0000')
    provideText(client, 'd/.hidden.geojson', points)
    provideText(client, 'd/__MACOSX/p.geojson', points)
    const created = await client.call('POST', '', { import: { data: { type: 'directory', location: 'd' } } })
    assert.equal(listOf(created.json.import?.tasks).length, 1)
    assert.match(String(created.json.import?.messages?.[0]?.message), /readme\.xyzzy/)
  })

  it('give their transformations to the tasks they suit, those of later uploads too', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '', {
      import: { transforms: [{ type: 'IntegerFieldToDateTransform', field: 'year' }] },
    })
    const odd = await client.call('POST', '', {
      import: { transforms: [{ type: 'IntegerFieldToDateTransform', field: 'year', colour: 'red' }] },
    })
    assert.equal(odd.headers['terrane-ignored'], 'import.transforms.colour')
    const fits = await client.upload(0, [{ name: 'a.csv', content: 'year,b\n1999,1\n' }])
    assert.equal(fits.json.task?.transformChain?.transforms?.[0]?.type, 'IntegerFieldToDateTransform')
    const other = await client.upload(0, [{ name: 'b.csv', content: 'c,b\n1999,1\n' }])
    assert.deepEqual(other.json.task?.transformChain?.transforms, [])
  })

  it('are created once for one Idempotency-Key', async (test) => {
    const client = await startImporter(test)
    const headers = { 'idempotency-key': 'one' }
    const first = await client.call('POST', '', { import: {} }, headers)
    const second = await client.call('POST', '', { import: {} }, headers)
    assert.equal(second.json.import?.id, first.json.import?.id)
    assert.equal(listOf((await client.call('GET', '')).json.imports).length, 1)
    assert.equal((await client.call('POST', '', { import: { archive: true } }, headers)).status, 409)
  })

  it('leave their published layers and take their uploads along when they are deleted', async (test) => {
    const client = await startImporter(test)
    await client.call('POST', '')
    await client.upload(0, [{ name: 'p.geojson', content: points }])
    await client.call('POST', '/0')
    assert.equal((await client.call('DELETE', '/0')).status, 200)
    assert.equal((await client.call('GET', '/0')).status, 404)
    assert.equal(await countFeatures(client, 'default:p'), 1)
    await client.call('POST', '')
    await client.upload(1, [{ name: 'p.geojson', content: points }])
    const uploads = join(client.server.dataDir, 'uploads', '1')
    assert.ok(existsSync(uploads))
    assert.equal((await client.call('DELETE', '/1')).status, 200)
    assert.ok(!existsSync(uploads))
  })
})
