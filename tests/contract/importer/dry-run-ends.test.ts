import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createTestApp } from '../../support/app.ts'
import type { ImporterClient, Json } from '../../support/importer-client.ts'
import { clientOf, listOf, startImporter } from '../../support/importer-client.ts'
import { readTree } from '../../support/read-tree.ts'
import { temporaryData } from '../../support/terrane-process.ts'
import { until } from '../../support/until.ts'

const points = { type: 'AttributesToPointGeometryTransform', latField: 'lat', lngField: 'lon' }
const chain = { transformChain: { type: 'vector', transforms: [points] } }

const csvOf = (rows: number): string =>
  `id,name,lat,lon\n${Array.from({ length: rows }, (_, id) => `${id},n${id % 7},${id % 80},${id % 170}`).join('\n')}\n`

async function prepare(client: ImporterClient, rows: number, task: object = {}): Promise<number> {
  const id = Number((await client.call('POST', '', { import: {} })).json.import?.id)
  await client.upload(id, [{ name: 'places.csv', content: csvOf(rows) }])
  const put = await client.call('PUT', `/${id}/tasks/0`, {
    task: { layer: { srs: 'EPSG:4326' }, ...chain, ...task },
  })
  assert.equal(put.json.task?.state, 'READY', put.text)
  return id
}

const statesOf = async (client: ImporterClient, id: number): Promise<unknown[]> => {
  const { json } = await client.call('GET', `/${id}?expand=2`)
  return [json.import?.state, listOf(json.import?.tasks)[0]?.state]
}

/** Every file below the folder of stores, by its content. */
function storesOf({ server }: ImporterClient): Record<string, string> {
  return Object.fromEntries(
    readTree(join(server.dataDir, 'stores')).map(({ name, bytes }) => [
      name,
      createHash('sha256').update(bytes).digest('hex'),
    ]),
  )
}

const dryRunOf = async (client: ImporterClient, id: number): Promise<Json> =>
  (await client.call('GET', `/${id}/dry-run`)).json.dryRun ?? assert.fail()

describe('a dry run', () => {
  it('answers 202 at once, is RUNNING meanwhile, and leaves all as it was when it is cancelled', async (test) => {
    const client = await startImporter(test)
    const id = await prepare(client, 100_000)
    const before = storesOf(client)
    const begun = await client.call('POST', `/${id}/dry-run?async=true`)
    assert.equal(begun.status, 202, begun.text)
    assert.equal(begun.json.dryRun?.state, 'RUNNING')
    assert.deepEqual(await statesOf(client, id), ['RUNNING', 'RUNNING'])
    assert.equal((await client.call('POST', `/${id}/dry-run`)).status, 409)
    assert.equal((await client.call('POST', `/${id}`)).status, 409)
    assert.equal((await client.call('DELETE', `/${id}/run`)).status, 204)
    assert.deepEqual(await statesOf(client, id), ['PENDING', 'READY'])
    assert.deepEqual(storesOf(client), before)
  })

  it('goes with its import, and two at once do not harm each other', async (test) => {
    const client = await startImporter(test)
    const first = await prepare(client, 50)
    assert.equal((await client.call('POST', `/${first}`)).status, 204)
    // The load before has its file open for a moment yet.
    await until(() => !Object.keys(storesOf(client)).some((name) => name.endsWith('-wal')))
    const before = storesOf(client)
    const ids = [
      await prepare(client, 70, { updateMode: 'REPLACE', keys: ['id'] }),
      await prepare(client, 60, { updateMode: 'UPSERT', keys: ['id'] }),
    ]
    const found = await Promise.all(ids.map((id) => client.call('POST', `/${id}/dry-run`)))
    const changes = found.map(({ json }) => listOf(json.dryRun?.tasks)[0]?.changes)
    assert.deepEqual(
      changes.map((one) => [one?.added, one?.changed, one?.removed]),
      [
        [20, 0, 0],
        [10, 0, 0],
      ],
    )
    const after = storesOf(client)
    for (const [name, hash] of Object.entries(before)) assert.equal(after[name], hash, name)
    for (const id of ids) await client.call('DELETE', `/${id}`)
    const left = Object.keys(storesOf(client)).filter((name) => !/-(?:wal|shm)$/.test(name))
    assert.deepEqual(left, ['default.gpkg'])
  })

  it('that a server stops in is begun anew by the next one', async (test) => {
    const dataDir = temporaryData(test)
    const server = await createTestApp({ dataDir })
    const client = clientOf(server)
    const id = await prepare(client, 100_000)
    assert.equal((await client.call('POST', `/${id}/dry-run?async=true`)).status, 202)
    await server.close()
    const next = await createTestApp({ dataDir })
    test.after(() => next.close())
    const again = clientOf(next)
    await until(async () => String((await dryRunOf(again, id)).state) === 'COMPLETE')
    assert.deepEqual(await statesOf(again, id), ['PENDING', 'READY'])
    const [task] = listOf((await dryRunOf(again, id)).tasks)
    assert.equal(task?.rows?.load, 100_000)
  })

  it('of a file that is served as it is counts its rows, and makes no store', async (test) => {
    const client = await startImporter(test)
    const file = client.provide('flatgeobuf/countries.fgb')
    const made = await client.call('POST', '', { import: { data: { type: 'file', file } } })
    const id = Number(made.json.import?.id)
    const reply = await client.call('POST', `/${id}/dry-run`)
    assert.equal(reply.status, 200, reply.text)
    const [task] = listOf(reply.json.dryRun?.tasks)
    assert.equal(task?.rows?.load, task?.rows?.read, reply.text)
    assert.ok(Number(task?.rows?.read) > 0, reply.text)
    assert.deepEqual(Object.keys(storesOf(client)), [])
  })
})
